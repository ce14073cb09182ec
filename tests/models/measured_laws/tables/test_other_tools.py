"""Profiles of other tools: Cube containers, stored experiments of Extra-P, call trees of TAU and Caliper."""

import json
import shutil
from pathlib import Path

import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.tables.reading import read_measurements

from .cube_files import container

RECORDED = Path(__file__).parent / "recorded"
TIMES = {0: (1.0, 2.0), 1: (10.0, 20.0), 2: (3.0, 4.0)}
METRICS = {
    "time": ("EXCLUSIVE", "DOUBLE", "sec", TIMES),
    "bytes_sent": ("EXCLUSIVE", "UINT64", "bytes", {2: (64, 128)}),
}
TAU = """3 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>
"main" 1 2 100 1500 0 GROUP="TAU_DEFAULT"
"main => solve()" 4 1 1400 1400 0 GROUP="TAU_CALLPATH"
"solve()" 4 1 1400 1400 0 GROUP="TAU_DEFAULT"
0 aggregates
"""
CALIPER = {
    "data": [[0, 0, 1.5, 1], [1, 0, 2.5, 3], [1, 1, 4.0, 3]],
    "columns": ["path", "mpi.rank", "sum#time.duration.ns", "count"],
    "column_metadata": [{"is_value": False}, {"is_value": True}, {"is_value": True}, {"is_value": True}],
    "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}],
}


def values(table, metric, region, *, ranks=True):
    rows = table[(table["metric"] == metric) & (table["region"] == region) & (table["rank"].notna() == ranks)]
    return rows["value"].tolist()


@pytest.fixture
def needs_cube():
    pytest.importorskip("pycubexr", reason="the package pycubexr is not installed (extra formats)")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.usefixtures("needs_cube")
def test_a_cube_container_gives_each_call_path_of_each_process(tmp_path, packed):
    read = read_measurements(container(tmp_path / "profile.cubex", METRICS, packed=packed))
    table = read.table
    assert read.parameters == ("processes",)
    assert set(table["processes"]) == {2.0}
    assert values(table, "time", "main->solve") == [10.0, 20.0]
    assert values(table, "time", "main->solve->MPI_Wait") == [3.0, 4.0]
    assert values(table, "time", "main->solve->MPI_Wait", ranks=False) == [3.5]
    assert values(table, "bytes_sent", "main->solve->MPI_Wait") == [64.0, 128.0]
    assert set(table[table["metric"] == "time"]["unit"]) == {"s"}


@pytest.mark.usefixtures("needs_cube")
def test_threads_of_a_process_are_summed_and_inclusive_metrics_give_their_own_part(tmp_path):
    inclusive = {
        "time": ("INCLUSIVE", "DOUBLE", "sec", {0: (14.0, 26.0, 7.0), 1: (13.0, 24.0, 6.0), 2: (3.0, 4.0, 1.0)})
    }
    table = read_measurements(container(tmp_path / "a.cubex", inclusive, threads=(2, 1))).table
    assert values(table, "time", "main") == [1.0 + 2.0, 1.0]
    assert values(table, "time", "main->solve") == [10.0 + 20.0, 5.0]


@pytest.mark.usefixtures("needs_cube")
def test_waits_that_are_zero_on_every_process_have_no_mean(tmp_path):
    """As in every profile of Scalasca: only call paths with receives wait for senders."""
    waits = {"time": METRICS["time"], "mpi_latesender": ("EXCLUSIVE", "DOUBLE", "sec", {2: (0.5, 0.0)})}
    table = read_measurements(container(tmp_path / "a.cubex", waits)).table
    assert values(table, "mpi_latesender", "main->solve->MPI_Wait") == [0.5, 0.0]
    assert values(table, "mpi_latesender", "main->solve->MPI_Wait", ranks=False) == [0.25]
    assert values(table, "mpi_latesender", "main") == [0.0, 0.0]
    assert values(table, "mpi_latesender", "main", ranks=False) == []


@pytest.mark.usefixtures("needs_cube")
def test_the_ten_heaviest_call_paths_are_kept_and_the_rest_is_counted(tmp_path):
    times = TIMES | {3 + number: (0.01 * number, 0.0) for number in range(12)}
    read = read_measurements(container(tmp_path / "a.cubex", {"time": ("EXCLUSIVE", "DOUBLE", "sec", times)}, more=12))
    assert any("lighter call paths were left out" in text for text in read.warnings)
    assert len(set(read.table["region"])) <= 10


@pytest.mark.usefixtures("needs_cube")
def test_a_folder_of_runs_of_score_p_fits_a_law_for_a_call_path(tmp_path, capsys):
    """time of solve is 3 p on every process: the law must find the slope 3 that the files were written with."""
    for processes in (2, 4, 8, 16, 32):
        run = tmp_path / "runs" / f"app.p{processes}.r1"
        run.mkdir(parents=True)
        held = {0: (0.001 * processes,) * 2, 1: (3.0 * processes,) * 2, 2: (0.5,) * 2}
        container(run / "profile.cubex", {"time": ("EXCLUSIVE", "DOUBLE", "sec", held)})
        (run / "scorep.cfg").write_text("SCOREP_ENABLE_PROFILING=true\n", encoding="utf-8")
    read = read_measurements(tmp_path / "runs")
    assert read.parameters == ("p",)
    with pytest.raises(SystemExit) as ended:
        main(["fit", str(tmp_path / "runs"), "--metric", "time", "--region", "main->solve", "--json"])
    assert ended.value.code == 0
    law = json.loads(capsys.readouterr().out)["law"]
    assert "3" in law
    assert law.endswith("p")


@pytest.mark.usefixtures("needs_cube")
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_cut_container_is_refused(tmp_path, share):
    path = container(tmp_path / "a.cubex", METRICS)
    data = path.read_bytes().rstrip(b"\0")
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match=r"Cube container|no metric"):
        read_measurements(path)


@pytest.mark.usefixtures("needs_cube")
def test_a_container_without_time_is_refused(tmp_path):
    path = container(tmp_path / "a.cubex", {"visits": ("EXCLUSIVE", "UINT64", "occ", {0: (1, 1)})})
    with pytest.raises(InputError, match="no metric 'time'"):
        read_measurements(path)


def test_a_stored_experiment_keeps_its_repetitions():
    read = read_measurements(RECORDED / "two-parameters.extra-p")
    table = read.table
    assert read.parameters == ("p", "n")
    at = table[(table["p"] == 4.0) & (table["n"] == 20.0) & (table["region"] == "main->exchange")]
    assert at[at["metric"] == "time"]["value"].tolist() == pytest.approx([25.0, 25.001, 25.002])
    assert at[at["metric"] == "visits"]["value"].tolist() == [4.0]
    assert any("their means are taken" in text for text in read.warnings)
    assert len(table) == 2 * 25 * 4


def test_a_stored_experiment_under_another_name_is_known_by_its_content(tmp_path):
    shutil.copy(RECORDED / "two-parameters.extra-p", tmp_path / "measured")
    assert len(read_measurements(tmp_path / "measured").table) == 200


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_a_cut_experiment_is_refused(tmp_path, share):
    data = (RECORDED / "two-parameters.extra-p").read_bytes()
    path = tmp_path / "cut.extra-p"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match="is no experiment of Extra-P, or is cut"):
        read_measurements(path)


def test_call_paths_of_tau(tmp_path):
    for rank in (0, 1):
        run = tmp_path / "app.p2"
        run.mkdir(exist_ok=True)
        (run / f"profile.{rank}.0.0").write_text(TAU.replace("1400", str(1400 + rank)), encoding="utf-8")
    table = read_measurements(tmp_path).table
    assert values(table, "time", "main->solve()") == pytest.approx([1400e-6, 1401e-6])
    assert values(table, "time", "main") == pytest.approx([100e-6, 100e-6])
    assert values(table, "visits", "main->solve()") == [4.0, 4.0]
    assert set(table["region"]) == {"main", "main->solve()"}


def test_call_trees_of_caliper(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(CALIPER), encoding="utf-8")
    table = read_measurements(path).table
    assert values(table, "sum#time.duration.ns", "main->solve") == pytest.approx([2.5e-9, 4e-9])
    assert values(table, "count", "main->solve") == [3.0, 3.0]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (TAU.replace("3 templated", "9 templated"), "profile.0.0.0", "declares 9 functions and has 3: it was cut"),
        (TAU.replace(" 1 2 100 1500 0", " 1"), "profile.0.0.0", "line 3"),
        (json.dumps(CALIPER | {"data": [[7, 0, 1.0, 1]]}), "run.json", r"data\[0\]: node 7"),
        (json.dumps(CALIPER | {"data": [[0, 0]]}), "run.json", r"data\[0\]: 2 cells"),
        (json.dumps(CALIPER | {"nodes": [{"label": "a", "parent": 0}] * 2}), "run.json", "in no circle"),
        (json.dumps(CALIPER | {"columns": ["a", "b", "c", "d"]}), "run.json", "no column 'path'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, name, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_measurements(path)
