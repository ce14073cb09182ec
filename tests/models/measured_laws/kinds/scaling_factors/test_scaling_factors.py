"""Scaling factors: definitions, fits against published tables, limits, and what is refused."""

import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import write_fitted
from dse.models.measured_laws.kinds.scaling_factors.definitions import (
    computation_scaling,
    ideal_time,
    measured_factors,
    speedup,
    weak_time,
)
from dse.models.measured_laws.kinds.scaling_factors.fitted_file import as_document, read_factors_fit
from dse.models.measured_laws.kinds.scaling_factors.fitting import fit_factor, fit_two_points
from dse.models.measured_laws.kinds.scaling_factors.forms import FORMS, form_value
from dse.models.measured_laws.kinds.scaling_factors.measurements import read_factors
from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import fit_profile
from tests.example_counts import examples

HACC = {"LB": [0.952, 0.948, 0.943, 0.937], "Ser": [0.860, 0.857, 0.855, 0.853], "Trf": [0.517, 0.452, 0.391, 0.333]}
HACC_RANKS = [512, 1024, 2048, 4096]


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20), st.floats(1.0, 10.0), st.floats(1.0, 10.0))
def test_the_product_is_the_efficiency(seconds, waiting, network):
    ideal = max(seconds) * waiting
    found = measured_factors(seconds, ideal * network, ideal)
    product = found.load_balance * found.serialization * found.transfer
    assert product == pytest.approx(np.mean(seconds) / (ideal * network), rel=1e-12)
    assert found.efficiency == pytest.approx(product, rel=1e-12)


def test_ideal_time_of_other_numbers_of_ranks():
    assert ideal_time(640.0, 64, 64, 0.9, 0.8) == pytest.approx(13.8889, rel=1e-5)
    assert ideal_time(640.0, 64, 256, 0.85, 0.7, 0.98) == pytest.approx(4.28743, rel=1e-5)
    assert ideal_time(640.0, 64, 256, 0.85, 0.7, 0.98, "weak") == pytest.approx(17.1497, rel=1e-5)


def test_computing_that_scales_itself():
    """Twice the ranks, a fifth more instructions at half the cycles each, a clock a tenth slower."""
    found = computation_scaling([2, 4], [100.0, 120.0], [100.0, 60.0], [2e9, 1.8e9], "strong")
    assert [found[name][1] for name in ("IPCscal", "InstrScal", "FreqScal")] == pytest.approx([2.0, 1 / 1.2, 0.9])
    assert found["CompScal"][1] == pytest.approx(1.5)
    assert computation_scaling([2, 4], [100.0, 120.0], [1, 1], [1, 1], "weak")["InstrScal"][1] == pytest.approx(1 / 0.6)


def test_speed_and_time_follow_the_efficiency():
    assert speedup(256, 0.5, 64, 0.8) == pytest.approx(2.5)
    assert weak_time(10.0, 0.8, 0.5) == pytest.approx(16.0)


def test_two_points():
    found = fit_two_points([256, 512], [0.972, 0.950])
    assert (found.single, found.fraction) == pytest.approx((0.994951, 0.99990740), abs=1e-6)
    found = fit_two_points([512, 4096], [0.517, 0.333], "amdahl-cube-root")
    assert (found.single, found.fraction) == pytest.approx((1.000936, 0.866279), abs=1e-6)
    assert found.quality == "exact"
    assert found.residual is None
    with pytest.raises(InputError, match="rises"):
        fit_two_points([256, 512], [0.9, 0.95])
    with pytest.raises(InputError, match="at one rank"):
        fit_two_points([2, 4], [0.9, 0.5])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exponent", [0, 3])
def test_a_form_finds_itself(form, exponent):
    ranks = np.array([2, 4, 8, 16, 32, 64, 128]) * 2**exponent
    growth = {"constant": 0.0, "pipeline": 0.4, "amdahl": 1e-3, "amdahl-root": 0.02, "amdahl-cube-root": 0.1}[form]
    found = fit_factor(ranks, form_value(form, 0.97, growth, ranks))
    assert found.form == form
    assert (found.single, found.growth) == pytest.approx((0.97, growth), rel=1e-5)


def test_of_equal_forms_the_simplest_is_kept():
    """Factors that rise hold every form at its bound g = 0, where all are the constant."""
    assert fit_factor([1, 2, 4, 8, 16], [0.5, 0.6, 0.7, 0.8, 0.9]).form == "constant"


def test_limits_of_the_forms():
    large = 1e15
    assert form_value("pipeline", 0.9, 1.0, large) == pytest.approx(0.45)
    assert form_value("pipeline", 0.9, 0.0, large) == 0.9
    assert form_value("pipeline", 0.9, 0.25, large) == pytest.approx(0.9 / 1.25)
    assert large * form_value("amdahl", 0.9, 0.01, large) == pytest.approx(90.0)
    for form in FORMS:
        assert form_value(form, 0.9, 0.3, 1.0) == 0.9


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(FORMS), st.lists(st.floats(0.05, 1.0), min_size=5, max_size=5))
def test_a_fit_is_a_factor_and_never_rises(form, values):
    found = fit_factor([1, 3, 10, 50, 400], values, form)
    answer = found.at(np.geomspace(1, 1e9, 50))
    assert ((answer >= 0) & (answer <= 1)).all()
    assert (np.diff(answer) <= 0).all()


def test_a_fit_is_the_least_of_a_grid():
    """No pair of unknowns on a fine grid has a smaller sum of squares."""
    ranks, values = np.array([16, 32, 64, 128, 256]), np.array([0.93, 0.94, 0.85, 0.78, 0.55])
    found = fit_factor(ranks, values, "amdahl")
    single, growth = np.meshgrid(np.linspace(0.8, 1.05, 401), np.linspace(0, 0.01, 401))
    grid = single[..., None] / (1 + growth[..., None] * (ranks - 1))
    assert ((found.at(ranks) - values) ** 2).sum() <= ((grid - values) ** 2).sum(axis=-1).min() + 1e-12


def test_efficiency_of_a_million_numbers_of_ranks():
    found = fit_profile(HACC_RANKS, HACC, "weak", form="amdahl-cube-root")
    ranks = np.arange(1.0, 1e6 + 1)
    begin = time.process_time()
    answer = found.efficiency(ranks)
    assert time.process_time() - begin < 0.5  # 50 ms on a quiet machine
    assert answer[4095] == pytest.approx(0.267, abs=0.002)


def test_what_limits_and_where_it_changes():
    ranks = np.array([1, 4, 16, 64, 256])
    values = {"LB": np.full(5, 0.9), "Ser": form_value("amdahl", 1.0, 0.01, ranks), "Trf": np.full(5, 0.95)}
    found = fit_profile(ranks, values, "strong")
    # 1 / (1 + 0.01 (P - 1)) = 0.9
    ((count, name),) = found.crossovers(1024)
    assert (count, name) == (pytest.approx(1 + (1 / 0.9 - 1) / 0.01, rel=1e-4), "Ser")
    assert (found.dominant(4), found.dominant(100)) == ("LB", "Ser")


def test_far_answers_are_told():
    found = fit_profile(HACC_RANKS, HACC, "weak")
    assert found.warnings(64 * 4096) == []
    assert "65 times" in found.warnings(65 * 4096)[0]
    two = fit_profile([256, 512], {"LB": [0.972, 0.95], "CommEff": [0.97, 0.96]}, "weak", exact=True)
    assert [text.split(":")[0] for text in two.warnings(512)] == ["Ser and Trf not separated", "LB, CommEff"]
    assert any("more than 4" in text for text in two.warnings(5 * 512))
    three = fit_profile([256, 512, 1024], {"LB": [0.97, 0.95, 0.9], "CommEff": [0.97, 0.96, 0.95]}, "weak")
    assert any("few points" in text for text in three.warnings(1024))
    assert {one.form for one in three.factors.values()} == {"amdahl"}


def table(tmp_path, text, name="table.csv"):
    file = tmp_path / name
    file.write_text(text)
    return file


def test_tables_of_ranks_and_of_factors_say_the_same(tmp_path):
    ranks = table(tmp_path, "P,rank,compute_s,T_s,T_ideal_s\n2,0,3,8,5\n2,1,4,8,5\n1,0,6,6,6\n")
    found = read_factors(ranks)
    assert found.ranks.tolist() == [1, 2]
    assert [found.values[name][1] for name in ("LB", "Ser", "Trf")] == pytest.approx([0.875, 0.8, 0.625])
    factors = table(tmp_path, "P,LB_percent,Ser,Trf,eta\n2,87.5,0.8,0.625,0.4375\n", "f.csv")
    assert [read_factors(factors).values[name][0] for name in ("LB", "Ser", "Trf")] == [0.875, 0.8, 0.625]
    tidy = "metric,P,rank,value,unit\n" + "".join(
        f"{metric},{count},{rank},{value},s\n"
        for count, rank, *values in ((2, 0, 3, 8, 5), (2, 1, 4, 8, 5), (1, 0, 6, 6, 6))
        for metric, value in zip(("compute", "T", "T_ideal"), values, strict=True)
    )
    assert {name: one.tolist() for name, one in read_factors(table(tmp_path, tidy, "tidy.csv")).values.items()} == {
        name: one.tolist() for name, one in found.values.items()
    }
    assert any("no rising order" in text for text in found.warnings)
    idle = table(tmp_path, "P,rank,compute_s,T_s\n2,0,0,8\n2,1,4,8\n", "idle.csv")
    assert read_factors(idle).values["LB"][0] == 0.5
    alone = table(tmp_path, "P,rank,compute_s\n2,0,3\n2,1,4\n", "r.csv")
    times = table(tmp_path, "P,T_s\n2,8\n", "t.csv")
    assert {name: one[0] for name, one in read_factors(alone, times).values.items()} == {"LB": 0.875, "CommEff": 0.5}


def test_clocks_within_the_slack_are_clipped_and_told(tmp_path):
    file = table(tmp_path, "P,rank,compute_s,T_s,T_ideal_s\n1,0,4.02,8,4\n")
    with pytest.raises(InputError, match=r"T_ideal = 4 s is less than max t"):
        read_factors(file)
    found = read_factors(file, slack=0.01)
    assert found.values["Ser"][0] == 1.0
    assert found.notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P,rank,compute_s,T_s\n2,0,3,8\n", "rank 1 is missing"),
        ("P,rank,compute_s,T_s\n1,0,3,2\n", "T = 2 s is less than max t = 3 s"),
        ("P,rank,compute_s,T_s\n2,0,3,8\n2,1,3,9\n", "2 values"),
        ("P,rank,compute_s\n1,0,3\n", "T_s"),
        ("P,LB,Ser,Trf\n1.5,1,1,1\n", "line 2, P: P = 1.5 is not whole"),
        ("P,LB,Ser,Trf,eta\n2,.9,.9,.9,.8\n", "eta"),
        ("P,LB,Ser\n2,.9,.9\n", "has LB, Ser"),
        ("P,LB,Serr,Trf\n2,.9,.9,.9\n", "Serr"),
        ("LB,Ser,Trf\n.9,.9,.9\n", "number of ranks"),
        ("P,LB,Ser,Trf\n2,.9,x,.9\n", "line 2, Ser: 'x' is no number"),
        ("P,LB,Ser,Trf\n2,98,.9,.9\n", "LB: 98 at P = 2 is no factor; .* percent stand in LB_percent"),
        ("P,LB,Ser,Trf\n2,0,.9,.9\n", "LB: 0 at P = 2 is no factor"),
        ("P,LB,Ser,Trf\n2,,.9,.9\n4,.9,.9,.9\n", "LB: is empty at P = 2"),
        ("P,rank,compute_s,T_s\n2,0,3,8\n2,1,3,8\n2,1,3,8\n", "rank 0 is missing of 2; allowed: .* every repetition"),
        ("P,rank,compute_ms,T_s\n1,0,-3,8\n", "line 2, compute: -3 ms is negative"),
        ("P,rank,compute_J,T_s\n1,0,3,8\n", "compute: is in J; allowed: a unit of s"),
        ("", "has no rows"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read_factors(table(tmp_path, text))


def test_too_few_points_and_other_modes_are_refused():
    with pytest.raises(InputError, match="2 numbers of ranks"):
        fit_factor([256, 512], [0.9, 0.8])
    with pytest.raises(InputError, match="mixed"):
        fit_profile(HACC_RANKS, HACC, "mixed")
    with pytest.raises(InputError, match=r"1\.2 is no factor"):
        fit_factor([1, 2, 4, 8], [1.2, 1, 1, 1])


def test_a_fitted_file_comes_back(tmp_path):
    found = fit_profile(HACC_RANKS, HACC, "weak", name="HACC", source="here")
    write_fitted(as_document(found), tmp_path / "fit.json")
    assert read_factors_fit(tmp_path / "fit.json") == found
    with pytest.raises(InputError, match="exists already"):
        write_fitted(as_document(found), tmp_path / "fit.json")
    (tmp_path / "bad.json").write_text((tmp_path / "fit.json").read_text().replace('"growth": 0.', '"growth": 7.'))
    with pytest.raises(InputError, match=r"factors\.LB\.growth"):
        read_factors_fit(tmp_path / "bad.json")


def test_what_a_fit_is_off_is_that_of_what_was_measured(tmp_path):
    """The largest error over all ranks; of HACC 0.82 % and 1.83 % together, as printed for 4096 ranks."""
    found = fit_profile(
        HACC_RANKS, HACC, "weak", form="amdahl-cube-root", measured={"LB": [1] * 4, "Ser": [0.76] * 3 + [0.78]}
    )
    at = [float(found.factors["LB"].at(ranks) * found.factors["Ser"].at(ranks)) for ranks in HACC_RANKS]
    off = [abs(one / real - 1) for one, real in zip(at, [0.76] * 3 + [0.78], strict=True)]
    assert found.errors["application_efficiency"].mean == pytest.approx(max(off))
    write_fitted(as_document(found), tmp_path / "fit.json")
    assert read_factors_fit(tmp_path / "fit.json") == found
    shipped = read_factors_fit(Path(str(files("dse.spaces"))) / "scaling_factors" / "hacc-phase-2.json")
    assert shipped.errors["application_efficiency"].mean == pytest.approx(1.0082 * 1.0183 - 1, abs=1e-3)


def test_without_what_was_measured_left_out_points_tell():
    found = fit_profile(HACC_RANKS, HACC, "weak")
    shares = [found.factors[name].left_out_error / np.mean(HACC[name]) for name in ("LB", "Ser")]
    assert found.errors["application_efficiency"].mean == pytest.approx(np.sqrt(shares[0] ** 2 + shares[1] ** 2))
    two = {"LB": [0.95, 0.9], "Ser": [0.9, 0.8], "Trf": [0.9, 0.8]}
    assert fit_profile([2, 4], two, "weak", exact=True).errors == {}


def test_measured_values_in_a_table(tmp_path):
    text = "P,LB,Ser,Trf,LB_measured\n2,.9,.9,.9,.8\n"
    assert read_factors(table(tmp_path, text)).measured["LB"].tolist() == [0.8]
    for wrong, words in (("CommEff_measured", "not there"), ("LB_measured", "1.8 at P = 2 is no factor")):
        with pytest.raises(InputError, match=words):
            read_factors(table(tmp_path, text.replace("LB_measured", wrong).replace(",.8", ",1.8")))


def test_counters_of_ranks_tell_how_computing_scales(tmp_path):
    """IPC, instructions and clock multiply to the seconds computed: over the reference, of all ranks."""
    lines = ["P,rank,compute_s,T_s,instructions,cycles,repetition"]
    seconds, random = {}, np.random.default_rng(3)
    for ranks in (2, 4, 8):
        spent = random.uniform(1, 2, ranks)
        seconds[ranks] = spent.sum()
        counts = random.integers(10**8, 10**9, (ranks, 2))
        lines += [f"{ranks},{i},{float(spent[i])!r},9,{counts[i][0]},{counts[i][1]},0" for i in range(ranks)]
    found = read_factors(table(tmp_path, "\n".join(lines) + "\n"))
    strong = computation_scaling(found.ranks, **found.counters, mode="strong")
    assert strong["CompScal"] == pytest.approx([seconds[2] / seconds[ranks] for ranks in (2, 4, 8)])
    weak = computation_scaling(found.ranks, **found.counters, mode="weak")
    assert weak["CompScal"] == pytest.approx([seconds[2] / 2 / (seconds[ranks] / ranks) for ranks in (2, 4, 8)])
    assert strong["FreqScal"][0] == strong["IPCscal"][0] == 1.0
    assert read_factors(table(tmp_path, "P,rank,compute_s,T_s\n1,0,1,1\n")).counters == {}


@pytest.mark.parametrize(
    ("columns", "values", "words"),
    [("instructions", "5", "instructions without cycles"), ("instructions,cycles", "5,0", "counts below 0, or none")],
)
def test_counters_that_are_none_are_refused(tmp_path, columns, values, words):
    with pytest.raises(InputError, match=words):
        read_factors(table(tmp_path, f"P,rank,compute_s,T_s,{columns}\n1,0,1,1,{values}\n"))


def test_an_interval_holds_the_factor_as_often_as_it_says():
    """Amdahl's law of both kinds and a pipeline with noise of half a percent, at 4, 16 and 64 times the most ranks."""
    generator, ranks, held = np.random.default_rng(5), 2.0 ** np.arange(4, 10), []
    for form, growth in (("amdahl", 4e-4), ("amdahl-cube-root", 0.05), ("pipeline", 0.2), ("constant", 0.0)):
        for _ in range(8):
            true = form_value(form, 0.97, growth, ranks)
            found = fit_factor(ranks, np.minimum(true * (1 + 0.005 * generator.standard_normal(len(ranks))), 1.0))
            for far in (4, 16, 64):
                low, high = found.interval(far * ranks[-1])
                assert 0.0 < low <= float(found.at(far * ranks[-1])) <= high <= 1.0
                held.append(low <= float(form_value(form, 0.97, growth, far * ranks[-1])) <= high)
    assert np.mean(held) >= 0.85


def test_an_interval_without_noise_is_the_curve():
    ranks = 2.0 ** np.arange(4, 10)
    found = fit_factor(ranks, form_value("amdahl-root", 0.98, 0.01, ranks))
    assert found.interval(65536.0) == pytest.approx([float(found.at(65536.0))] * 2, rel=1e-6)


def test_the_interval_of_the_product_holds_all_three():
    generator, ranks = np.random.default_rng(1), 2.0 ** np.arange(4, 10)
    values = {
        name: form_value("amdahl", 0.98, g, ranks) * (1 - 0.004 * generator.random(6))
        for name, g in (("LB", 1e-4), ("Ser", 2e-4), ("Trf", 3e-4))
    }
    profile = fit_profile(ranks, values, "weak")
    ends = profile.intervals(4096)
    assert ends["efficiency"][0] < np.prod([ends[name][0] for name in values])
    assert ends["efficiency"][0] < float(profile.efficiency(4096)) < ends["efficiency"][1] <= 1.0
    two = fit_profile([16, 32], {name: one[:2] for name, one in values.items()}, "weak", exact=True)
    assert two.intervals(4096) == dict.fromkeys(("LB", "Ser", "Trf", "efficiency"))


def test_predictions_take_the_interval_of_what_was_measured():
    ranks = 2.0 ** np.arange(4, 10)
    curve = form_value("amdahl", 0.98, 1e-3, ranks)
    off = curve * np.array([1.0, 0.97, 1.02, 0.98, 1.0, 0.97])
    predicted = fit_factor(ranks, curve, "amdahl")
    narrow, wide = (np.ptp(one.interval(4096)) for one in (predicted, replace(predicted, measured=tuple(off))))
    assert wide > 100 * narrow
