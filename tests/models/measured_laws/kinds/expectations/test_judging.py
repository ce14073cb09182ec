"""Functions beside expectations: failures, excuses, rules, the status quo."""

import math
from fractions import Fraction

import pytest

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.expectation import Expectation
from dse.models.measured_laws.kinds.expectations.fitted import fit_series
from dse.models.measured_laws.kinds.expectations.growth import Growth
from dse.models.measured_laws.kinds.expectations.judging import judge
from dse.models.measured_laws.kinds.expectations.rules import Rule
from dse.models.measured_laws.kinds.expectations.status_quo import (
    StoredLaw,
    read_status_quo,
    status_quo_file,
    write_status_quo,
)

RANKS = [2.0**power for power in range(1, 13)]
LOG, ROOT, LINEAR = math.log2, math.sqrt, float


def series(law, unit="1", ranks=RANKS):
    return fit_series([law(p) for p in ranks], ranks, unit=unit)


LOG_SERIES, LINEAR_SERIES = series(lambda p: 3 + 2 * LOG(p)), series(lambda p: 2.0 * p)
EXPECTED = {"litmus": Expectation.of("log p"), "gather": Expectation.of("log p")}


def test_a_failure_is_laid_to_the_function_where_the_litmus_test_holds():
    found = judge({"litmus": LOG_SERIES, "gather": LINEAR_SERIES}, EXPECTED, litmus="litmus")
    assert found.litmus_state == "holds"
    assert [one.name for one in found.failures()] == ["gather"]
    assert found.functions[1].verdict.direction == "worse"


def test_no_failure_counts_where_it_does_not():
    found = judge({"litmus": LINEAR_SERIES, "gather": LINEAR_SERIES}, EXPECTED, litmus="litmus")
    assert found.litmus_state == "fails"
    assert found.failures() == ()
    assert [one.name for one in found.failures(strict=True)] == ["litmus", "gather"]
    assert "litmus failed: architecture or noise" in found.functions[1].notes
    assert "litmus failed: architecture or noise" not in found.functions[0].notes


def test_a_broken_rule_fails_a_function_that_matches():
    roots = series(lambda p: ROOT(p))
    found = judge(
        {"a": roots, "b": LOG_SERIES},
        {"a": Expectation.of("log p"), "b": Expectation.of("log p")},
        rules=[Rule.of("a <= b"), Rule.of("b <= a")],
    )
    assert found.functions[0].verdict.match == "approx"
    assert [one.name for one in found.failures()] == ["a"]
    assert list(map(str, found.functions[0].broken)) == ["a <= b"]


def test_faster_than_expected_fails_too():
    found = judge({"a": LOG_SERIES}, {"a": Expectation.of("p")})
    assert (found.functions[0].verdict.match, found.functions[0].verdict.direction) == ("none", "better")
    assert found.failures()


@pytest.fixture
def base(tmp_path):
    file = status_quo_file("base", tmp_path / "expectations")
    write_status_quo(
        file, {"log": LOG_SERIES, "linear": LINEAR_SERIES}, sha256="0" * 64, date="2024-01-01", larger_is_better=[]
    )
    return read_status_quo(file)


def test_stored_laws_come_back(base):
    assert base["log"].growth.text() == "log p"
    assert base["log"].at(1024.0) == pytest.approx(23.0, rel=1e-12)
    assert base["log"].largest == 4096.0
    assert base["log"].level(LOG_SERIES) == pytest.approx(1.0)


def test_the_status_quo_fails_what_grows_faster_and_passes_what_grows_more_slowly(base):
    found = judge({"log": LINEAR_SERIES, "linear": LOG_SERIES}, {}, stored=base)
    log, linear = found.functions
    assert log.by_status_quo
    assert log.expectation.source == "status quo"
    assert [one.name for one in found.failures()] == ["log"]
    assert (linear.verdict.match, linear.verdict.direction) == ("none", "better")
    assert "better than what is stored: record it again" in linear.notes


def test_a_level_is_a_warning_at_the_largest_common_size(base):
    fewer = RANKS[:10]
    slower = series(lambda p: 1.3 * (3 + 2 * LOG(p)), ranks=fewer)
    [one] = judge({"log": slower}, {}, stored=base).functions
    assert one.level == pytest.approx(1.3)
    assert not one.failed
    assert one.notes == ("at the largest common size 1.3 times what is stored (limit 1.25)",)
    [one] = judge({"log": slower}, {}, stored=base, level_limit=1.4).functions
    assert one.notes == ()


def test_a_written_expectation_outranks_the_status_quo(base):
    found = judge({"log": LINEAR_SERIES}, {"log": Expectation.of("p")}, stored=base)
    assert not found.failures()
    assert not found.functions[0].by_status_quo


def test_the_law_right_of_a_break_is_compared():
    broken = series(lambda p: 1 + LOG(p) if p <= 64 else 20 + 0.1 * p)
    whole = judge({"a": broken}, {"a": Expectation.of("p")}).functions[0]
    split = judge({"a": broken}, {"a": Expectation.of("p")}, segmented=["a"]).functions[0]
    assert whole.segments is None
    assert split.segments.at == pytest.approx(90.51, abs=0.005)
    assert split.compared is split.segments.right
    assert split.verdict.match == "exact"


def test_two_laws_are_offered_where_one_is_bad():
    [one] = judge({"a": series(lambda p: p if p <= 64 else 20 + 0.3 * p)}, {}).functions
    assert one.notes == ("one law fits badly (adjusted R² 0.88): two may do better (segments)",)
    [one] = judge({"a": series(lambda p: 1 + LOG(p) if p <= 64 else 200 + 0.01 * p)}, {}).functions
    assert one.notes == ("one law fits badly (a constant that misses by 81 %): two may do better (segments)",)
    [one] = judge({"a": LINEAR_SERIES}, {}).functions
    assert one.notes == ()


def test_what_cannot_be_judged(base, tmp_path):
    with pytest.raises(InputError, match=r"litmus: no function 'litmos'.*did you mean 'litmus'"):
        judge({"litmus": LOG_SERIES}, {}, litmus="litmos")
    with pytest.raises(InputError, match=r"litmus: nothing is expected of 'litmus'"):
        judge({"litmus": LOG_SERIES}, {}, litmus="litmus")
    with pytest.raises(InputError, match="is in s, what is stored in 1"):
        judge({"log": series(LOG, "s", RANKS)}, {}, stored=base)
    with pytest.raises(InputError, match=r"no such status quo.*did you mean 'base'"):
        read_status_quo(status_quo_file("bases", tmp_path / "expectations"))
    for name in ("../base", "", "a/b", ".hidden"):
        with pytest.raises(InputError, match="allowed: letters, digits"):
            status_quo_file(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = 1", "format: is no status quo"),
        ('format = "dse-status-quo/1"\n[functions]\na = 1', "functions.a: is damaged"),
        ('format = "dse-status-quo/1"\n[functions.a]\nvariable = "p"', "functions.a: is damaged"),
        ("= 1", "cannot be read"),
    ],
)
def test_damaged_status_quo(tmp_path, text, message):
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_status_quo(file)


@pytest.mark.parametrize(("factor", "warned"), [(1.3, False), (1.0, False), (0.5, True)])
def test_where_larger_is_better_a_lower_level_is_told(factor, warned):
    sizes = [2.0**power for power in range(3, 10)]
    stored = StoredLaw(((10.0, Growth(power=Fraction(1))),), 512.0, "1", larger_is_better=True)
    series = fit_series([10.0 * factor * size for size in sizes], sizes)
    [one] = judge({"bandwidth": series}, {}, stored={"bandwidth": stored}).functions
    assert (one.level, bool(one.notes)) == (pytest.approx(factor), warned)
