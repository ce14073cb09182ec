"""The processor studies through the command line: time, energy and area of chips, exact, and with no free lunch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.models.workload.profile.reading import read_profile
from dse.search.driver import SearchOptions, search
from dse.study.file.headings import bundled_studies

pytestmark = pytest.mark.slow

STUDIES = {"processor-graph500": 73_920, "cache-hierarchy": 16_731}
OBJECTIVES = ["time_per_program", "energy_per_program", "chip_area"]


@pytest.fixture(scope="module")
def runs():
    return {name: Study.load(name).run(trust=False) for name in STUDIES}


@pytest.fixture(scope="module")
def chips(runs):
    return runs["processor-graph500"].frontier


@pytest.fixture(scope="module")
def caches(runs):
    return runs["cache-hierarchy"].frontier


def edited(folder, name, *changes):
    """Write a study that comes with the project into a folder, with changes to its text."""
    text = bundled_studies()[name].read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    Path(folder / "edited.toml").write_text(text, encoding="utf-8")


def wrong(dse, *arguments):
    """Run a command whose input is wrong, and return its message on one line."""
    result = dse(*arguments)
    assert result.code == 2, result
    return " ".join(result.err.split())


@pytest.mark.parametrize("name", STUDIES)
def test_run_show_verify_and_report(dse, tmp_path, name):
    told = dse.good("run", name, "--json", "--report").json
    assert told["exact"] is True
    assert told["designs"] == told["evaluated"] == STUDIES[name]
    checked = dse.good("verify", f"runs/{name}", "--designs", "3000", "--json").json
    assert checked["passed"] is True
    assert "exact: the frontier of the whole space" in dse.good("show", f"runs/{name}").out
    page = (tmp_path / "runs" / name / "report.html").read_text(encoding="utf-8")
    for assumption in ("catalogue_l3_latency", "unlisted_area_share", "good to 30 % at best"):
        assert assumption in page


@pytest.mark.parametrize("name", STUDIES)
def test_bundles_find_the_same_frontier(runs, name):
    problem = Study.load(name).problem()
    found = search(problem, SearchOptions(method="bundles"))
    table = runs[name].frontier
    assert found.certificate.exact
    np.testing.assert_array_equal(found.numbers, table["design"])
    assert found.values.tobytes() == np.ascontiguousarray(table[OBJECTIVES].to_numpy(dtype=float)).tobytes()


@pytest.mark.parametrize("name", STUDIES)
def test_breakdowns_add_up(runs, name):
    run = runs[name]
    for row in (0, len(run.frontier) // 2, len(run.frontier) - 1):
        told = {one["quantity"]: one for one in run.explain(row).breakdowns}
        assert {"energy", "node_power", "cycles_per_instruction"} <= set(told)
        energy = told["energy"]
        assert sum(part["value"] for part in energy["parts"]) == pytest.approx(energy["value"], rel=1e-12)


def test_what_graph500_wants_of_a_processor(chips):
    """No width beyond six, no clock below what the lowest voltage allows, never a second channel."""
    assert set(chips["width"]) == {"2-wide", "4-wide", "6-wide"}
    assert (chips.loc[chips["frequency"] < 2.25e9, "frequency"] == 2.2e9).all()
    assert chips["voltage"].min() == pytest.approx(0.6)
    assert (chips["dram_units"] == 1).all()
    fastest = chips.loc[chips["time_per_program"].idxmin()]
    assert (fastest["cores"], fastest["frequency"], fastest["width"]) == (32, 2.8e9, "6-wide")
    frugal = chips.loc[chips["energy_per_program"].idxmin()]
    assert (frugal["frequency"], frugal["width"]) == (2.2e9, "6-wide")
    assert frugal["energy_per_program"] < 0.5 * fastest["energy_per_program"]
    assert frugal["time_per_program"] < 1.2 * fastest["time_per_program"]
    smallest = chips.loc[chips["chip_area"].idxmin()]
    assert (smallest["cores"], smallest["width"]) == (4, "2-wide")


def test_marks_of_the_chips(chips):
    """2-wide cores have a queue that is not charged; some level 3 holds less than the caches above it."""
    marked = chips["extrapolated"].str.contains("queue_power_not_modelled")
    assert (marked == (chips["width"] == "2-wide")).all()
    share = chips["l3_size"] / chips["cores"] < 32768 + chips["l2_size"]
    assert (chips["extrapolated"].str.contains("l3_share_over_private") == share).all()
    assert not chips["extrapolated"].str.contains("window_power_not_modelled").any()


def test_which_caches_are_worth_it(caches):
    """Level 3 buys time with area and energy; without it level 2 takes all the tables have; both levels at least."""
    assert set(caches["alternative"]) == {"three-levels", "no-level-3"}
    fastest = caches.loc[caches["time_per_program"].idxmin()]
    assert (fastest["alternative"], fastest["l2_size"], fastest["l3_size"]) == ("three-levels", 2**21, 2**26)
    frugal = caches.loc[caches["energy_per_program"].idxmin()]
    assert (frugal["alternative"], frugal["l2_size"], frugal["frequency"]) == ("no-level-3", 2**21, 2.2e9)
    assert frugal["chip_area"] < 0.6 * fastest["chip_area"]
    three = caches[caches["alternative"] == "three-levels"]
    assert (three["l3_size"] / three["cores"]).min() > 2 * 2**20
    assert (three["l2_size"] >= 512 * 1024).all()
    assert (caches["extrapolated"] == "").all()
    latency = caches.groupby("l2_size")["l2_latency_cycles"].min()
    assert (np.diff(latency) > 0).all()


def test_time_is_that_of_the_processor_model(chips):
    """The copies of the program, each as long as any other."""
    instructions = read_profile("graph500-seq-csr").only.instructions
    row = chips.iloc[0]
    seconds = row["cycles_per_instruction"] / row["frequency"] * instructions
    assert row["run_time"] == pytest.approx(seconds, rel=0.02)  # vector instructions are split
    assert row["time_per_program"] == row["run_time"] / row["cores"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("l1_latency_cycles = 4", 'l1_latency_cycles = 4\nl3_latency = "13 ns"'), "two providers of 'l3_latency'"),
        (("l1_latency_cycles = 4", "l1_latency_cycles = 4\nl2_latency_cycles = 12"), "two providers of 'l2_latency_c"),
        (("issue_queue = 54\n", ""), "missing quantity 'issue_queue'"),
        (('temperature = "360 K"', 'temperature = "260 K"'), "'temperature' is 260 K; allowed: >= 300 K"),
        (('technology = "22 nm"', 'technology = "28 nm"'), "technology in nm = 28"),
    ],
)
def test_what_is_for_nothing_is_refused(dse, tmp_path, change, told):
    edited(tmp_path, "processor-graph500", change)
    assert told in wrong(dse, "run", "edited.toml")


def test_a_clock_sweep_at_one_voltage_is_refused(dse, tmp_path):
    change = ('nominal_frequency = "2.6 GHz"', 'supply_voltage = "0.8 V"')
    supply = ("[tables.profile]", '[use]\nsupply = "operating-points"\n\n[tables.profile]')
    edited(tmp_path, "cache-hierarchy", change, supply)
    found = wrong(dse, "run", "edited.toml")
    assert "supply_voltage: the frequency varies at the one voltage of 0.8 V: slow clocks would waste energy" in found
    assert "allowed: a part axis whose rows bring frequency and supply_voltage, or supply = 'dvfs'" in found


def test_a_queue_sweep_is_refused(dse, tmp_path):
    edited(
        tmp_path,
        "cache-hierarchy",
        ("issue_queue = 54\n", ""),
        ("[space.axes]\n", "[space.axes]\nissue_queue = { values = [32, 54, 96] }\n"),
    )
    assert "the issue queue varies" in wrong(dse, "run", "edited.toml")


def test_a_sweep_of_the_reorder_buffer_is_marked(dse, tmp_path):
    edited(
        tmp_path,
        "cache-hierarchy",
        ("reorder_buffer = 128\n", ""),
        ("[space.axes]\n", "[space.axes]\nreorder_buffer = { values = [128, 192] }\n"),
    )
    told = dse.good("run", "edited.toml", "--json").json
    marked = {row["reorder_buffer"]: row["extrapolated"] for row in told["frontier"]}
    assert "window_power_not_modelled" in marked[192]
    assert marked.get(128, "") == ""
    assert "window_power_not_modelled" in dse.good("explain", "--full", "runs/cache-hierarchy", "--design", "0").out


def test_every_quantity_says_where_it_is_from(dse):
    rows = json.loads(dse.good("check", "processor-graph500", "--graph", "--json").out)["quantities"]
    assert len(rows) > 200
    for one in rows:
        assert one["source"], one["name"]
        assert one["unit"], one["name"]
