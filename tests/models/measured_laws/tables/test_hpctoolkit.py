"""Databases of HPCToolkit: the same program in the older and in the newer kind, and what is wrong with either."""

import json
import struct

import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.measured_laws.tables.reading import read_measurements

from .hpctoolkit_files import database, experiment

RUN = {(0, 0): (1.0, 10.0, 5.0, 2.0), (1, 0): (2.0, 20.0, 0.0, 4.0)}
"""Of rank and thread: own time of main, of the loop of solve, of the rest of solve, and of MPI_Wait."""
REGIONS = {"main", "main->solve", "main->solve->MPI_Wait"}


def values(table, metric, region, *, ranks=True):
    rows = table[(table["metric"] == metric) & (table["region"] == region) & (table["rank"].notna() == ranks)]
    return rows["value"].tolist()


def scaled(run, factor):
    return {thread: tuple(value * factor for value in own) for thread, own in run.items()}


@pytest.mark.parametrize("kind", ["older", "newer"])
def test_both_kinds_give_each_call_path_its_own_time(tmp_path, kind):
    """A loop counts to its procedure, a callee does not; the mean over the ranks stands beside them."""
    write = experiment if kind == "older" else database
    read = read_measurements(write(tmp_path / "db", scaled(RUN, 1e6 if kind == "older" else 1.0)))
    table = read.table
    assert read.parameters == ("processes",)
    assert set(table["processes"]) == {2.0}
    assert set(table["region"]) == REGIONS
    assert values(table, "CPUTIME", "main") == pytest.approx([1.0, 2.0])
    assert values(table, "CPUTIME", "main->solve") == pytest.approx([15.0, 20.0])
    assert values(table, "CPUTIME", "main->solve->MPI_Wait") == pytest.approx([2.0, 4.0])
    assert values(table, "CPUTIME", "main->solve", ranks=False) == pytest.approx([17.5])
    if kind == "newer":
        assert values(table, "cycles", "main->solve") == pytest.approx([15e9, 20e9])


@pytest.mark.parametrize("kind", ["older", "newer"])
def test_threads_of_a_rank_are_added(tmp_path, kind):
    write = experiment if kind == "older" else database
    read = read_measurements(write(tmp_path / "db", {(0, 0): (1.0, 1.0, 1.0, 1.0), (0, 1): (0.0, 4.0, 0.0, 0.0)}))
    scale = 1e-6 if kind == "older" else 1.0
    assert values(read.table, "CPUTIME", "main->solve") == pytest.approx([6.0 * scale])
    assert any("1 further threads" in text for text in read.warnings)


def test_values_inside_an_experiment_are_sums_over_the_run(tmp_path):
    read = read_measurements(experiment(tmp_path / "db", inside=(1e6, 2e6, 3e6, 0.0)))
    assert values(read.table, "CPUTIME:Sum", "main->solve", ranks=False) == pytest.approx([5.0])
    assert values(read.table, "CPUTIME:Sum", "main", ranks=False) == pytest.approx([1.0])
    assert set(read.table["metric"]) == {"CPUTIME:Sum"}
    assert any("no sums were left out: Max" in text for text in read.warnings)


EXPECTED = """measurements = "runs"
parameter = "p"
[functions."solve"]
region = "main->solve"
metric = "CPUTIME"
growth = "p"
"""


@pytest.fixture(scope="module", params=["older", "newer"])
def runs(tmp_path_factory, request):
    """Runs on 2 to 32 ranks, two of which were sampled: solve takes 3 p s of itself on each, main 1 s."""
    folder = tmp_path_factory.mktemp(request.param)
    for processes in (2, 4, 8, 16, 32):
        run = {(rank, 0): (1.0, 2.0 * processes, 1.0 * processes, 0.5) for rank in range(2)}
        write = experiment if request.param == "older" else database
        write(folder / "runs" / f"app.p{processes}", scaled(run, 1e6 if request.param == "older" else 1.0))
    (folder / "expected.toml").write_text(EXPECTED, encoding="utf-8")
    return folder


def answered(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--json"])
    assert ended.value.code == 0
    return json.loads(capsys.readouterr().out)


def test_a_folder_of_databases_gives_the_law_of_a_call_path(runs, capsys):
    law = answered(capsys, "fit", str(runs / "runs"), "--metric", "CPUTIME", "--region", "main->solve")["law"]
    assert "3" in law
    assert law.endswith("p")


def test_a_folder_of_databases_is_judged_by_expectations(runs, capsys):
    answer = answered(capsys, "expect", str(runs / "expected.toml"))
    assert [(entry["function"], entry["growth"], entry["failed"]) for entry in answer["functions"]] == [
        ("solve", "p", False)
    ]


def broken_experiment(folder, change):
    path = experiment(folder, scaled(RUN, 1e6)) / "experiment.xml"
    change(path)
    return folder


def edited(old, new):
    return lambda path: path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def metric_file(old, new):
    def change(path):
        file = sorted(path.parent.glob("*.metric-db"))[0]
        file.write_bytes(file.read_bytes().replace(old, new, 1))

    return change


def cut_metric_file(path):
    file = sorted(path.parent.glob("*.metric-db"))[1]
    file.write_bytes(file.read_bytes()[:-8])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-60]), "is no XML, or was cut"),
        (edited('version="2.2"', 'version="4.0"'), "version '4.0' of an experiment; allowed: 2.0, 2.1, 2.2"),
        (edited("SecCallPathProfile", "SecFlatProfile"), "is a flat profile"),
        (edited("<!ELEMENT HPC", '<!ENTITY a "aaaa"><!ELEMENT HPC'), "declares an entity 'a'"),
        (edited('<S i="12"', '<S i="13"'), "has no node 13; allowed: 1 to 12"),
        (edited('<S i="12"', '<S i="zwölf"'), "allowed: a whole number >= 0"),
        (edited('db-id="1"', 'db-id="7"'), "has no metric 7"),
        (cut_metric_file, "declares 12 nodes of 2 metrics and has 216 bytes: it was cut"),
        (metric_file(struct.pack(">ii", 12, 2), struct.pack(">ii", 2**31 - 1, 2**31 - 1)), "it was cut"),
        (metric_file(b"00.10b", b"00.10l"), "is no metric-db file"),
        (metric_file(struct.pack(">2d", 5e6, 5e6), struct.pack(">2d", 5e6, float("nan"))), "not finite"),
        (lambda path: sorted(path.parent.glob("*.metric-db"))[0].unlink(), "rank 0 has no metric-db file"),
    ],
)
def test_what_is_wrong_with_an_experiment_is_named(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read_measurements(broken_experiment(tmp_path / "db", change))


def patched(name, place, layout, value):
    def change(folder):
        path = folder / name
        data = bytearray(path.read_bytes())
        struct.pack_into(layout, data, place, value)
        path.write_bytes(bytes(data))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "profile.db").unlink(), "has no profile.db beside it"),
        (patched("meta.db", 14, "<B", 3), "version 3 of a database; allowed: version 4"),
        (patched("profile.db", 14, "<B", 5), "version 5 of a database"),
        (patched("meta.db", 0x48, "<Q", 2**63), "points to byte"),
        (patched("meta.db", 0x38, "<Q", 2**40), "points to byte"),
        (patched("profile.db", 0x10, "<Q", 2**62), "a section ends at byte"),
        (patched("profile.db", 0x28, "<Q", 2**62), "a section ends at byte"),
        (patched("meta.db", 10, "<4s", b"ctxt"), "is cct.db of a database; allowed: meta.db, or the folder"),
    ],
)
def test_what_is_wrong_with_a_database_is_named(tmp_path, change, message):
    folder = database(tmp_path / "db", RUN)
    change(folder)
    with pytest.raises(InputError, match=message):
        read_measurements(folder)


@pytest.mark.parametrize("name", ["meta.db", "profile.db"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.99])
def test_a_cut_database_is_refused(tmp_path, name, share):
    path = database(tmp_path / "db", RUN) / name
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match=r"cut|no file of a database|in no format"):
        read_measurements(path.parent)


def test_a_tree_in_a_circle_and_a_database_of_other_values_are_refused(tmp_path):
    with pytest.raises(InputError, match="context 4 stands twice"):
        read_measurements(database(tmp_path / "circle", RUN, twice=True))
    with pytest.raises(InputError, match="has no values of call paths"):
        read_measurements(database(tmp_path / "sums", RUN, scope=3))


def test_every_broken_byte_is_read_or_refused(tmp_path):
    """Bytes of meta.db, one after the other, made 255: no other error than a refusal."""
    folder = database(tmp_path / "db", RUN)
    whole = (folder / "meta.db").read_bytes()
    refused = 0
    for place in range(0x10, len(whole) - 8, 24):
        data = bytearray(whole)
        data[place + 5] = 255
        (folder / "meta.db").write_bytes(bytes(data))
        try:
            read_measurements(folder)
        except InputError:
            refused += 1
    assert refused > 10


def test_a_file_of_a_database_alone_says_what_to_give(tmp_path):
    folder = database(tmp_path / "db", RUN)
    with pytest.raises(InputError, match=r"is profile\.db of a database; allowed: meta\.db, or the folder"):
        read_measurements(folder / "profile.db")


def test_another_file_is_no_database(tmp_path):
    (tmp_path / "a.csv").write_text("p,time_s\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no database of HPCToolkit; allowed: its folder"):
        read_measurements(tmp_path / "a.csv", "hpctoolkit")
