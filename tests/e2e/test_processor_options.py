"""Memories in use, sets of lines and two programs through the command line: each option from a study file."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STUDY = """
name = "options"
question = "What do the options of the processor model make of one chip?"
models = ["processor"]
also = ["cycles_per_instruction", "dram_traffic", "l3_hit_fraction"{also}]
use = {{ {use} }}

[[objectives]]
minimize = "{time}"
[[objectives]]
minimize = "l3_size"
[[objectives]]
minimize = "dram_bandwidth"

[tables.profile]
file = "profiles/graph500-seq-list.json"
{tables}

[set]
{given}
threads = 7
cores = 14
frequency = "2.6 GHz"
issue_width = 8
dispatch_width = 4
integer_units = 4
float_units = 2
memory_units = 2
control_units = 2
vector_units = 2
vector_width = 256
front_end_stages = 7
reorder_buffer = 192
issue_queue = 54
miss_registers = 10
l1_size = "32 KiB"
l1_latency_cycles = 4
l2_latency_cycles = 12
l3_latency = "13.85 ns"
dram_latency = "83.46 ns"
l1_bandwidth = "160 GiB/s"
l3_bandwidth = "40 GiB/s"

[space.axes]
l2_size = {{ values = ["256 KiB", "512 KiB"] }}
l3_size = {{ values = ["8 MiB", "16 MiB", "35 MiB"] }}
dram_bandwidth = {{ values = ["4 GB/s", "20 GB/s", "60 GB/s"] }}
"""
QUEUE = {"use": 'dram_queueing = "queueing"', "also": ', "dram_utilisation", "dram_latency_cycles"'}
SETS = {"use": 'cache_organisation = "set-associative"', "given": "l1_ways = 8\nl2_ways = 8\nl3_ways = 16"}
TWO = {
    "use": 'programs = "two"',
    "also": ', "run_time", "run_time_2", "l3_share", "l3_share_2"',
    "tables": '[tables.profile_2]\nfile = "profiles/graph500-seq-csr.json"',
    "given": "threads_2 = 7",
    "time": "mixture_run_time",
}


def study(*options):
    """Return the text of a study with these options."""
    parts = {"use": ", ".join(one["use"] for one in options), "time": "run_time", "tables": "", "also": "", "given": ""}
    for one in options:
        parts |= {"tables": one.get("tables", parts["tables"]), "time": one.get("time", parts["time"])}
        parts["also"] += one.get("also", "")
        parts["given"] += one.get("given", "") + "\n"
    return STUDY.format(**parts)


@pytest.fixture
def told(dse, tmp_path):
    """Run a study with options; return its frontier by level 3 and bandwidth."""

    def run(*options):
        Path(tmp_path / "options.toml").write_text(study(*options), encoding="utf-8")
        folder = f"runs/{len(list(tmp_path.glob('runs/*')))}"
        answer = dse.good("run", "options.toml", "--json", "--out", folder).json
        assert answer["exact"] is True
        assert answer["designs"] == answer["evaluated"] == 18
        return {(row["l2_size"], row["l3_size"], row["dram_bandwidth"]): row for row in answer["frontier"]}

    return run


@pytest.mark.parametrize(
    "options",
    [(QUEUE,), (SETS,), (TWO,), (QUEUE, SETS, TWO)],
    ids=["queueing", "set-associative", "two programs", "all three"],
)
def test_run_verify_and_report(dse, tmp_path, options):
    Path(tmp_path / "options.toml").write_text(study(*options), encoding="utf-8")
    assert dse.good("check", "options.toml", "--json").json["designs"] == 18
    dse.good("run", "options.toml")
    assert dse.good("verify", "runs/options", "--json").json["passed"] is True
    shown = dse.good("show", "runs/options").out
    assert "exact: the frontier of the whole space" in shown
    if len(options) > 1:
        return  # its page is that of the options one by one, and takes as long as they together
    dse.good("report", "runs/options")
    page = (tmp_path / "runs" / "options" / "report.html").read_text(encoding="utf-8")
    assert options[0]["use"].partition(" = ")[0] in page


def test_what_each_option_does_to_a_design(told):
    """Waiting and a neighbour cost time; sets change what hits."""
    design = (512 * 2**10, 35 * 2**20, 2e10)
    plain = told({"use": ""})[design]
    queued = told(QUEUE)[design]
    assert queued["run_time"] > plain["run_time"]
    assert queued["dram_latency_cycles"] > 83.46e-9 * 2.6e9
    assert queued["dram_traffic"] / 2e10 == pytest.approx(queued["dram_utilisation"], rel=1e-9)
    sets = told(SETS)[design]
    assert sets["l3_hit_fraction"] != plain["l3_hit_fraction"]
    assert sets["l3_hit_fraction"] == pytest.approx(plain["l3_hit_fraction"], abs=0.05)
    two = told(TWO)[design]
    assert two["mixture_run_time"] == max(two["run_time"], two["run_time_2"])
    assert two["run_time"] > plain["run_time"]
    assert 7 * two["l3_share"] + 7 * two["l3_share_2"] == pytest.approx(35 * 2**20)


def test_explain_tells_the_memory_in_use(dse, tmp_path):
    Path(tmp_path / "options.toml").write_text(study(QUEUE), encoding="utf-8")
    dse.good("run", "options.toml")
    shown = dse.good("explain", "--full", "runs/options", "--design", "0").out
    assert "dram_utilisation" in shown
    assert "processor.dram_queueing" in shown


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ((SETS,), ("l3_ways = 16", ""), "missing quantity 'l3_ways'"),
        ((TWO,), ("threads_2 = 7", ""), "missing quantity 'threads_2'"),
        ((TWO,), ("graph500-seq-csr", "synthetic-dense"), "'synthetic-dense' names no misprediction rate; allowed:"),
        ((QUEUE,), ('"queueing"', '"queing"'), "no component 'queing' for the slot 'dram_queueing'"),
        (
            (QUEUE,),
            ('= "queueing"', '= "queueing", processor_model = "independent"'),
            "does not give 'events_interact'",
        ),
        ((TWO,), ('minimize = "l3_size"', 'minimize = "dram_load"'), "missing 'dram_load': model `node` gives it"),
    ],
)
def test_refusals(dse, tmp_path, options, change, message):
    text = study(*options)
    assert change[0] in text
    Path(tmp_path / "options.toml").write_text(text.replace(*change, 1), encoding="utf-8")
    result = dse("run", "options.toml")
    assert result.code == 2, result
    said = " ".join(result.err.split())
    assert message in said
    assert "Traceback" not in said
