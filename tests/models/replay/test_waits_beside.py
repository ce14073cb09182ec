"""Waiting times beside those of Scalasca: hand calculations, as an archive and a profile of the same run."""

import json

import numpy as np
import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.replay import read_trace, write_trace
from dse.models.replay.analysis.waits_beside import waits_beside

from ..measured_laws.tables.cube_files import container
from .runs import US, as_trace
from .test_formats import written

# Late sender: the receive is entered at 20 us and its send at 100. Barrier: rank 0 enters at 101 us, rank 1 at 113.
MEASURED = """rank,kind,seconds,peer,bytes,tag,request,op,enter,exit
0,compute,100e-6,,,,,,0,100e-6
0,send,,1,1000,0,,,100e-6,100.5e-6
0,compute,0.5e-6,,,,,,100.5e-6,101e-6
0,collective,,,0,,,barrier,101e-6,114e-6
1,compute,20e-6,,,,,,0,20e-6
1,recv,,0,,0,,,20e-6,103e-6
1,compute,10e-6,,,,,,103e-6,113e-6
1,collective,,,0,,,barrier,113e-6,114e-6
"""
NETWORK = ["--latency", "2 us", "--overhead", "0.5 us", "--bandwidth", "10 GB/s"]
TIMES = ("EXCLUSIVE", "DOUBLE", "sec", {0: (1.0, 1.0)})


def waits(name, **of_path):
    """A metric of a profile, by call path."""
    return {name: ("EXCLUSIVE", "DOUBLE", "sec", {int(path[1:]): values for path, values in of_path.items()})}


@pytest.mark.parametrize("ending", ["csv", "otf2"])
def test_both_stand_side_by_side(tmp_path, capsys, ending):
    """80 us of rank 1 in two call paths of the profile, 12 us of rank 0 at the barrier, where the profile says 11."""
    pytest.importorskip("pycubexr", reason="the package pycubexr is not installed (extra formats)")
    path = written(tmp_path, MEASURED, "run.csv")
    if ending == "otf2":
        pytest.importorskip("otf2", reason="the package otf2 is not installed (extra formats)")
        path = write_trace(read_trace(path), tmp_path / "archive.otf2")
    late = waits("mpi_latesender", p1=(0.0, 30 * US), p2=(0.0, 50 * US))
    profile = container(tmp_path / "run.cubex", {"time": TIMES} | late | waits("mpi_barrier_wait", p2=(11 * US, 0.0)))
    with pytest.raises(SystemExit) as ended:
        main(["trace", "show", str(path), *NETWORK, "--cube", str(profile), "--json"])
    assert ended.value.code == 0
    answer = {entry["kind"]: entry for entry in json.loads(capsys.readouterr().out)["waits_beside"]}
    np.testing.assert_allclose(answer["late sender"]["here"], [0.0, 80 * US], atol=1e-12)
    np.testing.assert_allclose(answer["late sender"]["profile"], [0.0, 80 * US], atol=1e-12)
    np.testing.assert_allclose(answer["barrier, n to n"]["here"], [12 * US, 0.0], atol=1e-12)
    np.testing.assert_allclose(answer["barrier, n to n"]["profile"], [11 * US, 0.0], atol=1e-12)
    assert answer["late receiver"]["profile"] is None
    with pytest.raises(SystemExit):
        main(["trace", "show", str(path), *NETWORK, "--cube", str(profile)])
    shown = capsys.readouterr().out
    assert "80 µs" in shown
    assert "no metric" in shown


def test_rooted_operations_stand_apart(tmp_path):
    trace = read_trace(
        written(tmp_path, MEASURED.replace("barrier", "bcast").replace(",,,0,,,bcast", ",,,8,,,bcast"), "b.csv")
    )
    beside = {entry.name: entry for entry in waits_beside(trace, {"mpi_latebroadcast": np.array([1.0, 2.0])}, 8192.0)}
    np.testing.assert_allclose(beside["to and from a root, scan"].here, [12 * US, 0.0], atol=1e-12)
    assert beside["barrier, n to n"].here.tolist() == [0.0, 0.0]
    assert beside["to and from a root, scan"].profile.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ({"mpi_latesender": np.zeros(3)}, "mpi_latesender of 3 processes; allowed: those of 2 ranks"),
        ({}, "the profile has no waiting times"),
    ],
)
def test_a_profile_of_another_run_is_refused(tmp_path, profile, message):
    with pytest.raises(InputError, match=message):
        waits_beside(read_trace(written(tmp_path, MEASURED, "a.csv")), profile, 8192.0)


def test_a_trace_without_times_is_refused():
    trace = as_trace([[("compute", 1e-6)], [("compute", 1e-6)]])
    with pytest.raises(InputError, match="has no measured times"):
        waits_beside(trace, {"mpi_latesender": np.zeros(2)}, 8192.0)
