"""What holds a core back, in the terminal: one axis of instructions per cycle."""

from __future__ import annotations

import functools
import json
import math
import re

import pytest
from toy import command

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bottlenecks")]  # what they share is made once

CORE = """
[set]
frequency = "2.6 GHz"
cores = 14
threads = 1
issue_width = 8
integer_units = 4
float_units = 2
memory_units = 2
control_units = 2
vector_width = 256
front_end_stages = 7
reorder_buffer = 192
issue_queue = 54
l1_size = "32 KiB"
l1_latency_cycles = 4
l2_latency_cycles = 12
l3_latency = "13.85 ns"
dram_latency = "83.46 ns"
"""
INTERACTION = """dispatch_width = 4
miss_registers = 10
vector_units = 2
l1_bandwidth = "160 GiB/s"
l3_bandwidth = "40 GiB/s"
dram_bandwidth = "59.7 GiB/s"
"""
STUDY = """name = "core"
models = ["processor"]
use = {{ processor_model = "{model}" }}
objectives = [{{ minimize = "run_time" }}, {{ minimize = "l2_size" }}]

[tables.profile]
file = "profiles/graph500-seq-csr.json"
{core}
[space.axes]
l2_size = {{ values = ["256 KiB", "1 MiB"] }}
l3_size = {{ values = ["35 MiB"] }}
"""


@pytest.fixture(scope="module")
def cli(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")

    @functools.cache
    def run(*arguments, width=120):
        done = command(*arguments, folder=folder, width=width)
        assert (done.code, done.err) == (0, "")
        return done.out

    for model, extra in (("interaction", INTERACTION), ("independent", "")):
        text = STUDY.format(model=model, core=CORE + extra)
        (folder / f"{model}.toml").write_text(text.replace('"core"', f'"{model}"'), encoding="utf-8")
        run("run", f"{model}.toml")
    return run


def plot(text):
    """The lines of the plot: those of stems, the axis, the numbers."""
    lines = text.splitlines()
    (begin,) = [place for place, line in enumerate(lines) if line.startswith("bottlenecks in")]
    end = next(place for place in range(begin, len(lines)) if not lines[place].strip())
    assert lines[begin] == "bottlenecks in instructions per cycle, 1 / cycles_per_instruction (logarithmic)"
    *stems, axis, numbers = lines[begin + 1 : end]
    return stems, axis, numbers


def labels(stems):
    """Value, words and column of each stem."""
    found = []
    for line in stems:
        poles, value, words = re.fullmatch(r"([ ┃║┊│]+) ([\d.\u202f]+) (.*)", line).groups()
        found.append((float(value.replace("\u202f", "")), words, len(poles) - 1))
    return found


@pytest.mark.parametrize("width", [70, 120])
@pytest.mark.parametrize(("model", "count"), [("interaction", 18), ("independent", 7)])
def test_one_axis_with_every_bound(cli, model, count, width):
    text = cli("explain", "--full", f"runs/{model}", width=width)
    (told,) = json.loads(cli("explain", f"runs/{model}", "--json"))["rates"]
    stems, axis, numbers = plot(text)
    assert all(len(line) <= width for line in (*stems, axis))
    found = labels(stems)
    assert len(found) == count == len(told["bounds"]) + 1
    value, words, column = found[0]
    assert words == "achieved"
    assert axis[column] == "●"
    assert value == pytest.approx(told["achieved"], rel=1e-3)
    for (value, words, _), bound in zip(found[1:], told["bounds"], strict=True):
        assert value == pytest.approx(bound["value"], rel=1e-3)
        assert words.split(", ")[0] == bound["quantity"]
        assert ("binds" in words) == bound["binds"]
    # On one logarithmic axis: columns as far apart as the logarithms, to the half of a character.
    ticks = [(float(mark.group()), mark.start() + len(mark.group()) // 2) for mark in re.finditer(r"\S+", numbers)]
    (first, begin), (last, end) = ticks[0], ticks[-1]
    decade = (end - begin) / math.log10(last / first)
    for value, _, column in found:
        assert column == pytest.approx(begin + decade * math.log10(value / first), abs=1.5)
    assert "is the largest of" not in text


def test_what_binds(cli):
    (told,) = json.loads(cli("explain", "runs/interaction", "--json"))["rates"]
    assert (told["rate"], told["unit"], told["quantity"]) == ("instructions per cycle", "1", "cycles_per_instruction")
    assert told["binding"] == ["memory_parallelism_bound"]
    bounds = {bound["quantity"]: bound for bound in told["bounds"]}
    assert len(bounds) == 17
    assert bounds["stalled_cycles"]["contains"] == "full_window_cycles"
    assert bounds["issue_bound"]["value"] == 8
    assert bounds["dispatch_bound"]["value"] == 4
    text = cli("explain", "--full", "runs/interaction")
    assert re.search(r"║ [\d.]+ memory_parallelism_bound, binds full_window_cycles$", text, flags=re.MULTILINE)
    assert re.search(r"┊ [\d.]+ stalled_cycles, on top of full_window_cycles$", text, flags=re.MULTILINE)


def test_events_that_add_up_have_bounds_and_a_stack(cli):
    told = json.loads(cli("explain", "runs/independent", "--json"))
    (stack,) = told["breakdowns"]
    assert sum(part["value"] for part in stack["parts"]) == pytest.approx(stack["value"], rel=1e-12)
    (axis,) = told["rates"]
    assert axis["achieved"] == pytest.approx(1 / stack["value"], rel=1e-12)
    assert axis["binding"] == ["common_integer_unit_bound"]
    execution = next(part["value"] for part in stack["parts"] if part["quantity"] == "execution_cycles")
    assert axis["bounds"][0]["value"] == pytest.approx(1 / execution, rel=1e-12)


def test_units_that_nothing_uses_set_no_limit(cli, tmp_path):
    """A machine without vectors: the bound is named, is null in JSON, and stands on no axis."""
    core = CORE.replace("vector_width = 256", "vector_width = 0") + INTERACTION
    study = tmp_path / "scalar.toml"
    study.write_text(STUDY.format(model="interaction", core=core), encoding="utf-8")
    cli("run", str(study), "--out", str(tmp_path / "run"))
    text = cli("explain", "--full", str(tmp_path / "run"))
    stems, _, _ = plot(text)
    assert not any("vector_unit_bound" in line for line in stems)
    assert re.search(r"^no limit from: vector_unit_bound$", text, flags=re.MULTILINE)
    (told,) = json.loads(cli("explain", str(tmp_path / "run"), "--json"))["rates"]
    assert {bound["quantity"]: bound["value"] for bound in told["bounds"]}["vector_unit_bound"] is None


def test_other_models_have_their_maxima_as_before(cli):
    """Without a named rate, the parts of a maximum are bars in its own unit."""
    cli("run", "ska-correlator")
    text = cli("explain", "--full", "runs/ska-correlator")
    assert "run_time is the largest of" in text
    assert "bottlenecks in" not in text
    assert json.loads(cli("explain", "runs/ska-correlator", "--json"))["rates"] == []
