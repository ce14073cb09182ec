"""ILP as a function of the issue queue: published figures, definitions, ranges."""

import numpy as np
import pytest
from small_profiles import DOCUMENT, document

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.workload.profile.parallelism import interpolated_ilp
from dse.models.workload.profile.profile import TYPES
from dse.models.workload.profile.reading import parse_profile, read_profile

# The third published profile: seq-list without vectors, windows and ILP.
SEQ_LIST = [(24, 4229714661 / 631429725), (54, 4229714661 / 456080919), (np.inf, 4229714661 / 65853182)]


def test_published_ilp():
    for name, printed in {
        "graph500-seq-csr": (9.7081, {"mem": 1.6234, "int": 9.5565, "control": 5.7535, "fp": 1.0188}),
        "graph500-seq-list": (9.281, {"mem": 2.0439, "int": 10.2745, "control": 6.5548, "fp": 1.0186}),
    }.items():
        item = read_profile(name).only
        assert item.ilp(54, mode="reference") == printed[0]
        assert item.ilp_by_type(54, mode="reference") == printed[1]
        assert item.ilp(54) == pytest.approx(printed[0], abs=1e-4)
        for kind in ("mem", "int", "control"):
            assert item.ilp_by_type(54)[kind] == pytest.approx(printed[1][kind], abs=1e-4)


def test_power_law_between_windows():
    """Between 24 and 54 the exponent is 0.4012, as published."""
    assert interpolated_ilp(SEQ_LIST, 24, limited=True) == pytest.approx(SEQ_LIST[0][1])
    assert interpolated_ilp(SEQ_LIST, 54, limited=True) == pytest.approx(SEQ_LIST[1][1])
    exponent = np.log(SEQ_LIST[1][1] / SEQ_LIST[0][1]) / np.log(54 / 24)
    assert exponent == pytest.approx(0.4012, abs=5e-5)
    assert interpolated_ilp(SEQ_LIST, 36.0, limited=True) == pytest.approx(SEQ_LIST[0][1] * 1.5**exponent)
    assert interpolated_ilp(SEQ_LIST, 128.0, limited=True) == pytest.approx(SEQ_LIST[0][1] * (128 / 24) ** exponent)
    assert interpolated_ilp(SEQ_LIST, 12.0, limited=True) == pytest.approx(SEQ_LIST[0][1] * 0.5**exponent)


def test_ilp_is_bounded():
    assert interpolated_ilp(SEQ_LIST, 1e7, limited=True) == SEQ_LIST[2][1]
    assert interpolated_ilp(SEQ_LIST, np.inf, limited=True) == SEQ_LIST[2][1]
    assert interpolated_ilp(SEQ_LIST, 1.0, limited=True) == 1.0
    assert interpolated_ilp([(54, 9.7)], 4.0, limited=True) == 4.0
    assert interpolated_ilp([(54, 9.7)], 4.0, limited=False) == 9.7


def test_a_single_window_holds_and_tells_its_mismatch():
    item = read_profile("graph500-seq-csr").only
    assert item.finite_windows() == (54,)
    assert list(item.window_mismatch(np.array([27, 36, 54, 81, 108]))) == [2, 1.5, 1, 1.5, 2]
    assert (item.ilp(np.array([20.0, 200.0])) == item.ilp(54)).all()


def test_an_unbounded_window_alone():
    only = document(classes__0__ilp=[{"window": "inf", "span": 100}])
    item = parse_profile(only).only
    assert item.ilp(64) == 10
    assert item.ilp(4) == 4
    assert item.window_mismatch(64) == np.inf
    assert item.finite_windows() == ()


def test_reference_takes_the_window_or_the_first():
    item = parse_profile(DOCUMENT).only
    assert item.ilp(64, mode="reference") == 5.0
    assert item.ilp(54, mode="reference") == 2.5
    assert list(item.ilp(np.array([54, 64, 99]), mode="reference")) == [2.5, 5.0, 2.5]
    assert item.ilp(64, order="in", mode="reference") == 1.9999
    assert item.ilp(64, order="in") == 2.0


def test_two_definitions_by_type():
    item = parse_profile(DOCUMENT).only
    own, common = item.ilp_by_type(64), item.ilp_by_type(64, "common")
    assert own == pytest.approx({"mem": 2, "int": 400 / 60, "control": 2.5, "fp": 3})
    assert common == pytest.approx({"mem": 1.5, "int": 2, "control": 0.5, "fp": 0.75})
    others = item.fraction("other") + item.fraction("vector_move")
    assert sum(common.values()) == pytest.approx(item.ilp(64) * (1 - others))


def test_in_order_falls_back_on_what_there_is():
    item = read_profile("graph500-seq-csr").only
    assert not item.has_order("in")
    assert item.ilp(54, order="in") == item.ilp(54)


def test_a_type_without_instructions_has_no_ilp():
    changed = document(classes__0__mix__fp=0, classes__0__mix__fp_mul=0, classes__0__mix__fp_div=0)
    changed["classes"][0]["mix"]["other"] += 150
    for entry in changed["classes"][0]["ilp"]:
        entry.pop("span_fp", None)
    item = parse_profile(changed).only
    assert item.ilp_by_type(64)["fp"] == 0
    assert item.ilp_by_type(64, "common")["fp"] == 0


def test_what_is_not_there_is_said():
    item = parse_profile(document(classes__0__ilp=[{"window": 64, "span": 100}])).only
    with pytest.raises(InputError, match=r"the profile of 'worker' has no ILP of type 'mem' \(span_mem\)"):
        item.ilp_by_type(64)
    assert set(item.ilp_by_type(64, "common")) == set(TYPES)
    with pytest.raises(InputError, match="unknown order 'out'; allowed: ooo, in"):
        item.ilp(64, order="out")
    with pytest.raises(InputError, match="unknown definition 'mine'; allowed: own, common"):
        item.ilp_by_type(64, "mine")
    with pytest.raises(InputError, match="unknown mode 'fast'"):
        item.ilp(64, mode="fast")


@pytest.mark.parametrize("mode", ["reference", "corrected"])
def test_ranges_hold_the_points(mode):
    item = parse_profile(DOCUMENT).only
    windows = np.arange(1.0, 300.0)
    bounds = item.ilp(Range(windows[:-7], windows[7:]), mode=mode)
    points = item.ilp(windows, mode=mode)
    for shift in (0, 2, 7):
        inside = points[shift : len(points) - 7 + shift]
        assert (bounds.low <= inside).all()
        assert (inside <= bounds.high).all()
    if mode == "corrected":
        for kind, bound in item.ilp_by_type(Range(windows[:-7], windows[7:])).items():
            inside = item.ilp_by_type(windows[3:-4])[kind]
            assert (bound.low <= inside).all()
            assert (inside <= bound.high).all()


def test_lines_are_chosen_by_the_nearest_size():
    rows = [{"line_bytes": line, "references": 300, "histogram": [[0, 100]]} for line in (128, 64, 256)]
    item = parse_profile(document(classes__0__data_reuse=rows)).only
    chosen = {wanted: item.reuse(wanted).line for wanted in (16, 64, 96, 97, 128, 192, 193, 512)}
    assert chosen == {16: 64, 64: 64, 96: 64, 97: 128, 128: 128, 192: 128, 193: 256, 512: 256}
    item = parse_profile(document(classes__0__data_reuse=[{**rows[0], "line_bytes": "address"}])).only
    with pytest.raises(InputError, match="counts single addresses only; no cache can be modelled from it"):
        item.reuse(64)
