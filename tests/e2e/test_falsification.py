"""Machines of a user's file beside a small study of exaflop machines: what is withdrawn, where that is said."""

from __future__ import annotations

import csv
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from dse import Study
from dse.errors import InputError

STUDY = """
name = "small"
question = "Which nodes make an exaflop?"
models = ["applications", "machines", "network", "node_class", "system.planes"]
constraints = ["machine_power <= 40 MW", "linpack_flop_rate >= 1 Eflop/s", "radix <= switch_ports"]
also = ["linpack_flop_rate", "nodes"]
objectives = [{ minimize = "dense_time" }, { minimize = "machine_power" }]

[use]
topology = "fat-tree-2-level"
switch_power = "per-port"
link_power = "always-on"
nic_power = "cards"

[quantities]
node_link_bandwidth = "port_bandwidth"
switch_link_bandwidth = "port_bandwidth"

[set]
dense_operations = 1e22

[space.axes]
fabric = { part = "network/fabrics.csv", where = { switch_ports = 256 } }
nics_per_node = { values = [4] }

[space.axes.shape]
enumerate = "network.fat-tree-2-level"
given = { nodes = { values = [6144, 8192, 12288, 16384] }, radix = 256, taper = [1] }

[space.choices.node.accelerated]
use.node_class = "accelerated"

[space.choices.node.accelerated.axes.board]
part = "machines/boards.csv"
join = { device = "machines/devices.csv" }
where = { sold = "yes", device = ["MI300A", "MI250X"] }

[space.choices.node.many-core]
use.node_class = "many-core"
set = { vector_bits = 2048, vector_pipes = 2, private_cache = "1 MiB", shared_cache = "2 MiB", sockets = 2 }
axes.wafer = { part = "power/wafers.csv", where = { technology = ["5 nm"] } }
axes.cores_per_socket = { values = [128, 192] }
axes.core_frequency = { values = ["1.5 GHz", "2 GHz", "2.5 GHz"] }
axes.memory = { part = "processor/dram-types.csv", where = { dram_kind = ["HBM3"] } }
axes.dram_units = { values = [4] }

[references.machines]
use = { node_class = "real-machine", topology = "real-machine", interconnect = "real-machine" }
axes = { machine = { enumerate = "real_machines", given = { measured = true, names = ["Frontier"] } } }
measured.linpack_flop_rate = "machine_linpack_flop_rate"
measured.machine_power = "machine_linpack_power"
like = ["node_peak_flop_rate", "node_memory_bandwidth", "node_injection_bandwidth", "nodes"]
law_error = "machine_law_error"
system_error = "machine_operating_error"
doubted = "machine_power_doubted"
left_out.power = { ratio = "machine_left_out_power", errors = "machine_left_out_power_errors" }
classes.accelerators = { quantity = "accelerated", least = 1, of = { node = ["accelerated"] } }
classes."many cores" = { quantity = "accelerated", most = 0, of = { node = ["many-core"] } }
"""
TABLES = Path(str(files("dse.spaces"))) / "machines"


def rows(name):
    """The rows of a table of the project by name, and its headings."""
    lines = [line for line in (TABLES / name).read_text().splitlines() if not line.startswith("#")]
    table = list(csv.DictReader(lines))
    return {row["name"]: row for row in table}, list(table[0])


MACHINES, HEADINGS = rows("systems.csv")
LATER, _ = rows("machines-2026.csv")
CORES = {"cpu_model": "Made up 1", "fit": "", "notes": "made up"}
# In rate and power about twice as good as the best designs of the study (1.08 Eflop/s at 17.8 MW), and half as good.
TWICE = MACHINES["LineShine"] | CORES | {"name": "Twice", "rmax_pflops": "2100", "power_kw": "15000"}
HALF = MACHINES["LineShine"] | CORES | {"name": "Half", "rmax_pflops": "1080", "power_kw": "38000"}
TWICE_ACCELERATED = MACHINES["Frontier"] | {"name": "Fast", "rmax_pflops": "1700", "power_kw": "12500"}


def write(*machines, file="mine.csv"):
    with open(file, "w", newline="") as handle:
        table = csv.DictWriter(handle, HEADINGS)
        table.writeheader()
        table.writerows(machines)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The study, searched once."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(STUDY)
    Study.load(folder / "small.toml").run(folder / "runs" / "small")
    return folder


@pytest.fixture
def here(kept, tmp_path, dse):
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path


def verdicts(document):
    return {system["name"]: system["word"] for system in document["falsification"]["systems"]}


def test_a_machine_twice_as_good_withdraws_the_headline(here, dse):
    """Everywhere: on screen before all else, in JSON, on the page, in the notebook; `dse trust` alone ends with 3."""
    write(TWICE)
    result = dse("run", "small.toml", "--measured", "mine.csv", "--report", "--json")
    assert result.code == 0
    document = result.json
    assert verdicts(document) == {"Frontier": "agrees", "Twice": "contradicts"}
    assert document["falsification"]["withdrawn"] == ["many cores"]
    frontier, twice = (system["left_out"]["power"] for system in document["falsification"]["systems"])
    assert (frontier["ratio"], abs(twice["standard_errors"]) > 2.0) == (pytest.approx(1.015, abs=2e-3), True)
    (withdrawn,) = document["answer"]["withdrawn"]
    assert withdrawn["about"] == "withdrawn"
    assert withdrawn["text"].startswith("The laws say that designs of many cores are ")
    assert withdrawn["text"].endswith("the law of many cores is refuted, no statement on the class")
    assert "Twice as measured is " in withdrawn["text"]
    shown = dse.good("show", "runs/small")  # kept with the run: the file is not named again
    first = shown.out.split("answer: ")[1].splitlines()[1].strip()
    assert first == f"withdrawn: {withdrawn['text']}"
    assert verdicts(dse.good("show", "runs/small", "--json").json) == verdicts(document)
    page = Path("runs/small/report.html").read_text()
    body = page[page.index("<h1>") :]
    assert body.index("law of many cores is refuted") < body.index('class="note"')
    assert "Measured systems beside it" in body
    notebook = Study.load("small.toml").run("runs/small")._repr_html_()
    assert notebook.index("law of many cores is refuted") < notebook.index("<li><b>the knee")
    trusted = dse("trust", "runs/small", "--draws", "40", "--cells", "1")
    assert trusted.code == 3
    assert trusted.out.startswith(f"withdrawn: {withdrawn['text']}")
    assert "the node: no statement: Twice refutes the law of many cores" in trusted.out
    assert "sure: accelerated" not in trusted.out
    assert dse.good("pick", "runs/small", "--min", "dense_time").out.startswith(f"withdrawn: {withdrawn['text']}")
    assert dse.good("why", "runs/small", "node = many-core").out.startswith(f"withdrawn: {withdrawn['text']}")


def test_a_machine_half_as_good_changes_nothing(here, dse):
    write(HALF)
    before = dse.good("run", "small.toml", "--no-trust", "--json").json
    document = dse.good("run", "small.toml", "--no-trust", "--measured", "mine.csv", "--json").json
    assert verdicts(document) == {"Frontier": "agrees", "Half": "agrees"}
    assert document["answer"] == before["answer"]
    assert document["answer"]["withdrawn"] == []
    assert dse("trust", "runs/small", "--draws", "40", "--cells", "1").code == 0


def test_a_machine_of_a_class_that_is_there_weakens_and_refutes_nothing(here, dse):
    write(TWICE_ACCELERATED)
    document = dse.good("run", "small.toml", "--no-trust", "--measured", "mine.csv", "--json").json
    assert verdicts(document)["Fast"] == "weakens"
    (probably,) = document["answer"]["withdrawn"]
    assert probably["about"] == "probably"
    assert "probably, no more: Fast as measured" in probably["text"]
    trusted = dse("trust", "runs/small", "--draws", "40", "--cells", "1")
    assert trusted.code == 0
    assert "probably, no more: Fast" in trusted.out


def test_a_machine_of_doubtful_power_is_named_and_not_believed(here, dse):
    """Carpenter, and a machine that would refute the answer if its notes did not doubt its power."""
    write(LATER["Carpenter"], TWICE | {"name": "Rumour", "notes": "the power is doubted"})
    result = dse.good("run", "small.toml", "--no-trust", "--measured", "mine.csv")
    assert "Carpenter: its measured figures are doubted, so it is named and not believed" in result.out
    document = dse.good("show", "runs/small", "--json").json
    assert verdicts(document) == {"Frontier": "agrees", "Carpenter": "says nothing", "Rumour": "says nothing"}
    assert document["answer"]["withdrawn"] == []


def test_a_machine_without_a_measured_power_says_nothing(here, dse):
    """Its rate alone would be twice the frontier's; one without any figure is named with it."""
    figures = dict.fromkeys(("rmax_pflops", "power_kw", "hpcg_pflops"), "")
    write(TWICE | {"power_kw": ""}, HALF | figures)
    document = dse.good("run", "small.toml", "--no-trust", "--measured", "mine.csv", "--json").json
    assert verdicts(document) == {"Frontier": "agrees", "Twice": "says nothing", "Half": "says nothing"}
    limits = {system["name"]: system["limit"] for system in document["falsification"]["systems"]}
    assert limits["Twice"] == "machine_power <= 40 MW, of which nothing was measured"


def test_what_would_change_a_verdict_is_so(here):
    """A machine that is better by what is said, and a little more, has the verdict that is said."""
    run = Study.load("small.toml").run("runs/small")

    def judged(machine):
        write(machine)
        return next(system for system in run.falsify("mine.csv").systems if system.name == "Half")

    half = judged(HALF)
    assert half.word == "agrees"
    better = half.next.times_better
    for times, word in ((0.999 * better, "agrees"), (1.001 * better, half.next.word)):
        changed = judged(HALF | {"rmax_pflops": f"{1080 * times}", "power_kw": f"{38000 / times}"})
        assert changed.excess == pytest.approx(half.excess * times)
        assert changed.word == word


def test_a_law_that_is_in_no_draw_is_taken_as_exact(here, dse):
    text = STUDY.replace("[references.machines]", "[trust]\nmachines = false\n\n[references.machines]", 1)
    Path("small.toml").write_text(text)
    document = dse.good("run", "small.toml", "--json").json
    said = [sentence["text"] for sentence in document["answer"]["weakened_by"] if sentence["about"] == "no error"]
    assert said == [f"the law of {name} was taken as exact" for name in ("accelerators", "many cores")]
    assert all(judged["taken_as_exact"] for judged in document["falsification"]["classes"])
    assert dse("trust", "runs/small").code == 2  # nothing is uncertain
    write(TWICE)
    refuted = dse("trust", "runs/small", "--measured", "mine.csv")
    assert refuted.code == 3
    assert "withdrawn: The laws say that designs of many cores are" in refuted.out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "nobody.csv: --measured: no such file"),
        ("name,year\nA,2020\n", "mine.csv"),
    ],
)
def test_files_that_are_wrong_are_told_before_the_search(here, dse, table, message):
    file = "nobody.csv" if table is None else "mine.csv"
    if table is not None:
        Path(file).write_text(table)
    shutil.rmtree("runs")
    result = dse("run", "small.toml", "--measured", file)
    assert result.code == 2
    assert message in result.err
    assert not Path("runs").exists()


def test_a_study_without_classes_takes_no_measured_machines(here):
    text = "\n".join(line for line in STUDY.splitlines() if not line.startswith("classes."))
    Path("plain.toml").write_text(text.replace('name = "small"', 'name = "plain"'))
    with pytest.raises(InputError, match="does not say of what classes its references are"):
        Study.load("plain.toml").run().falsify("mine.csv")


def test_a_search_without_a_bound_is_refuted_by_nothing(here, dse):
    write(TWICE)
    result = dse.good(
        "run",
        "small.toml",
        "--method",
        "evolve",
        "--evaluations",
        "50",
        "--out",
        "runs/bred",
        "--no-trust",
        "--measured",
        "mine.csv",
    )
    assert "measured systems are held against a whole frontier only" in result.err
    assert "Twice" not in result.out


def test_what_the_study_says_of_a_law_stands_instead_of_its_declared_error(here):
    """30 % either way is a standard deviation of 30 % over the root of 3; that of machines, 14 %, stays beside it."""
    own = '[uncertain]\nsocket_power = { within = "30 %" }\n\n[references.machines]'
    Path("small.toml").write_text(STUDY.replace("[references.machines]", own, 1))
    write(HALF)
    account = Study.load("small.toml").run("runs/said").falsify("mine.csv")
    (half,) = [system for system in account.systems if system.name == "Half"]
    assert half.law_error == pytest.approx((0.3**2 / 3 + 0.14**2) ** 0.5, rel=1e-9)


def test_a_run_in_memory_has_its_verdicts(here):
    """As one in a folder has: in Python nothing is to be asked for."""
    write(TWICE)
    run = Study.load("small.toml").run(trust=False)
    assert "Frontier as measured is beaten by designs of the frontier" in run._repr_html_()
    assert run.falsify("mine.csv").withdrawn == ["many cores"]
    assert run._repr_html_().index("law of many cores is refuted") < run._repr_html_().index(
        "Measured systems beside it"
    )
