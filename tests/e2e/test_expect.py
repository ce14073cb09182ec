"""`dse expect`, as a user types it: SYNTHETIC measurements of closed forms."""

import json
import math
from pathlib import Path

import pytest

RANKS = [2**power for power in range(1, 13)]
LAWS = {
    "Bcast": lambda p: 3e-6 * math.log2(p),
    "Reduce": lambda p: 4e-6 * math.log2(p) + 1e-6,
    "Allreduce": lambda p: 1e-7 * p ** (2 / 3) * math.log2(p),
    "Bcast BT": lambda p: 5e-6 * math.log2(p),
    "Gather": lambda p: 1e-6 + math.log2(p) * 1e-6 if p <= 64 else 20e-6 + 1e-7 * p,
}
EXPECTED = """measurements = "scaling.csv"
rules = ["Allreduce <= Reduce + Bcast"]
litmus = "Bcast BT"

[functions.Bcast]
growth = "log p"
source = "binomial tree"

[functions.Reduce]
growth = "log p"

[functions.Allreduce]
growth = "log p"

[functions."Bcast BT"]
growth = "log p"

[functions.Gather]
growth = "p"
segments = true
"""


def write(laws, name="scaling.csv", ranks=RANKS):
    rows = [f"{function},{p},time,{law(p)},s" for function, law in laws.items() for p in ranks]
    Path(name).write_text("\n".join(["region,p,metric,value,unit", *rows]))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(LAWS)
    Path("expectations.toml").write_text(EXPECTED)


def test_a_failure_is_exit_code_1(dse, files):
    result = dse("expect", "expectations.toml")
    assert result.code == 1
    assert "1 of 5 functions fail: Allreduce" in result.out
    assert "faster than the rule Allreduce <= Reduce + Bcast allows" in result.out
    assert "Gather: two laws, break at p = 90.51" in result.out
    assert "litmus test Bcast BT holds" in result.out
    assert "binomial tree" in result.out
    document = json.loads(dse("expect", "expectations.toml", "--json").out)
    by_name = {one["function"]: one for one in document["functions"]}
    assert document["failed"] == ["Allreduce"]
    assert {name: one["match"] for name, one in by_name.items()} == {
        "Bcast": "exact",
        "Reduce": "exact",
        "Allreduce": "none",
        "Bcast BT": "exact",
        "Gather": "exact",
    }
    assert by_name["Allreduce"]["divergence"] == "p^(2/3)"
    assert by_name["Allreduce"]["broken_rules"] == ["Allreduce <= Reduce + Bcast"]
    assert by_name["Gather"]["segments"]["at"] == pytest.approx(90.51, abs=0.005)
    assert by_name["Bcast"]["law"]["unit"] == "s"


def test_a_litmus_test_that_fails_excuses(dse, files):
    write({**LAWS, "Bcast BT": lambda p: 1e-7 * p**1.25})
    result = dse("expect", "expectations.toml")
    assert result.code == 0
    assert "litmus test Bcast BT fails" in result.out
    assert "failures do not count" in result.out
    strict = dse("expect", "expectations.toml", "--strict")
    assert strict.code == 1
    assert "2 of 5 functions fail: Allreduce, Bcast BT" in strict.out


def test_the_status_quo(dse, files):
    dse.good("expect", "scaling.csv", "--record", "base")
    assert "5 of 5 functions grow as expected" in dse.good("expect", "scaling.csv", "--status-quo", "base").out
    write({**LAWS, "Bcast": lambda p: 1e-7 * p, "Allreduce": lambda p: 1e-6 * math.log2(p)})
    result = dse("expect", "scaling.csv", "--status-quo", "base")
    assert result.code == 1
    assert "1 of 5 functions fail: Bcast" in result.out
    assert "Allreduce: better than what is stored: record it again" in result.out
    assert "replaced expectations/base.toml" in dse("expect", "scaling.csv", "--record", "base").out
    assert dse("expect", "scaling.csv", "--status-quo", "base").code == 0


def test_nothing_is_recorded_by_itself(dse, files):
    dse("expect", "expectations.toml")
    assert not Path("expectations").exists()


def test_other_measurements(dse, files):
    write({**LAWS, "Allreduce": LAWS["Reduce"]}, "other.csv")
    assert dse("expect", "expectations.toml", "--measurements", "other.csv").code == 0


def test_rows_in_any_order(dse, files):
    before = json.loads(dse("expect", "expectations.toml", "--json").out)
    head, *rows = Path("scaling.csv").read_text().splitlines()
    mixed = sorted(rows, key=lambda row: row[::-1])
    assert mixed != rows
    Path("scaling.csv").write_text("\n".join([head, *mixed]))
    after = json.loads(dse("expect", "expectations.toml", "--json").out)
    assert after["functions"] == before["functions"]
    assert after["warnings"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("functions.Bcast]", "functions.Bcst]"),
            "the rule 'Allreduce <= Reduce + Bcast' has the unknown function 'Bcast'",
        ),
        (
            ('growth = "log p"', 'growth = "3 log p"'),
            "functions.Bcast.growth: the growth '3 log p' has the coefficient 3",
        ),
        (('growth = "p"', 'growth = "log n"'), "the growth 'log n' is in n, the size is p"),
        (('litmus = "Bcast BT"', 'litmus = "Bcast"\nlitmos = 1'), "unknown key 'litmos'"),
        (('litmus = "Bcast BT"', 'litmus = "Bcast TB"'), "did you mean 'Bcast BT'"),
        (("<= Reduce +", "<= Reduc +"), "did you mean 'Reduce'"),
        (("Reduce + Bcast", "Reduce +"), "rules[0]: the rule 'Allreduce <= Reduce +' cannot be read"),
        (("segments = true", "segments = 1"), "functions.Gather.segments: 1: input should be a valid boolean"),
        (("scaling.csv", "none.csv"), "no such file"),
        (('source = "binomial tree"', "at = { n = 3 }"), "no other parameter 'n'"),
        (('source = "binomial tree"', 'deviation = "1/p"'), "functions.Bcast.deviation: the deviation"),
    ],
)
def test_wrong_files(dse, files, change, message):
    Path("expectations.toml").write_text(EXPECTED.replace(*change, 1))
    result = dse("expect", "expectations.toml")
    assert result.code == 2
    assert message in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("laws", "ranks", "message"),
    [
        (LAWS, RANKS[:4], "4 different values of p; allowed: at least 5"),
        (
            {**LAWS, "Bcast": lambda p: 0.0},
            RANKS,
            "line 2, time: a time of 0; allowed: a time above 0",
        ),
        ({**LAWS, "Bcast": lambda p: -1.0}, RANKS, "-1"),
    ],
)
def test_wrong_measurements(dse, files, laws, ranks, message):
    write(laws, ranks=ranks)
    result = dse("expect", "expectations.toml")
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_a_function_that_was_not_measured(dse, files):
    Path("expectations.toml").write_text('measurements = "scaling.csv"\n[functions.Bcst]\ngrowth = "log p"')
    result = dse("expect", "expectations.toml")
    assert result.code == 2
    assert "functions.Bcst: 'Bcst' was not measured" in result.err
    assert "did you mean 'Bcast'" in result.err


def test_what_becomes_of_repetitions(dse, files):
    """The least of three runs is constant, the middle one grows like log p, the mean like the largest: p."""
    runs = {"Bcast": (lambda p: 1e-6, lambda p: 3e-6 * math.log2(p), lambda p: 1e-5 * p)}
    rows = [f"Bcast,{p},time,{law(p)},s" for p in RANKS for law in runs["Bcast"]]
    Path("scaling.csv").write_text("\n".join(["region,p,metric,value,unit", *rows]))
    text = 'measurements = "scaling.csv"\n[functions.Bcast]\ngrowth = "log p"\n'
    Path("expectations.toml").write_text(text)
    for options, key, reduced, growth in (
        ((), "", "median", "log p"),
        (("--reduce", "mean"), "", "mean", "p"),
        ((), 'reduce = "minimum"\n', "minimum", "1"),
        (("--reduce", "median"), 'reduce = "minimum"\n', "median", "log p"),
    ):
        Path("expectations.toml").write_text(key + text)
        document = json.loads(dse("expect", "expectations.toml", "--json", *options).out)
        assert (document["reduced"], document["functions"][0]["growth"]) == (reduced, growth)
        assert f"the {reduced} of each size counts" in dse("expect", "expectations.toml", *options).out
    Path("expectations.toml").write_text('reduce = "meen"\n' + text)
    assert "expectations.toml: reduce: 'meen'" in dse("expect", "expectations.toml").err
    assert "--reduce: 'meen'" in (told := dse("expect", "scaling.csv", "--reduce", "meen")).err
    assert told.code == 2
    assert "did you mean 'mean'" in " ".join(told.err.split())
    dse.good("expect", "scaling.csv", "--record", "base")
    beside = dse("expect", "scaling.csv", "--status-quo", "base", "--reduce", "mean").out
    assert "the mean of repetitions beside what is stored of the median" in " ".join(beside.split())


@pytest.mark.parametrize(
    ("marked", "expected", "code", "message"),
    [
        ("Bcast BT", EXPECTED.replace('litmus = "Bcast BT"\n', ""), 1, "litmus test Bcast BT holds"),
        ("Gather", EXPECTED, 2, "'Bcast BT' is named as litmus test, and 'Gather' is marked"),
        ("Bcast BT", '[functions.Bcast]\ngrowth = "log p"', 2, "'Bcast BT' is marked as litmus test, and nothing is"),
        ("Bcast", '[functions.Gather]\ngrowth = "p"\n[functions.Bcast]', 2, "'Bcast' is marked as litmus test, and"),
        ("Bcast", None, 0, "nothing is expected"),
    ],
)
def test_a_mark_of_a_litmus_test_is_used_or_refused(dse, files, marked, expected, code, message):
    rows = [f"{name},{p},time,{law(p)},s,{name == marked}" for name, law in LAWS.items() for p in RANKS]
    Path("scaling.csv").write_text("\n".join(["region,p,metric,value,unit,litmus", *rows]))
    if expected is not None and "measurements" not in expected:
        expected = 'measurements = "scaling.csv"\n' + expected
    Path("expectations.toml").write_text(expected or "")
    result = dse("expect", "scaling.csv" if expected is None else "expectations.toml")
    assert result.code == code, result.err
    assert message in " ".join((result.out + result.err).split())


def test_wrong_options(dse, files):
    assert "did you mean 'base'" not in dse("expect", "scaling.csv", "--status-quo", "base").err
    assert "nothing is recorded yet" in dse("expect", "scaling.csv", "--status-quo", "base").err
    assert dse("expect", "scaling.csv", "--record", "../base").code == 2
    assert dse("expect", "expectations.toml", "--level-limit", "0").code == 2
    assert dse("expect", "scaling.csv", "--measurements", "scaling.csv").code == 2
