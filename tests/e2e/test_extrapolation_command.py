"""`dse profile extrapolate` as its user runs it, on SYNTHETIC runs written here."""

import json

import pytest
from toy import command

pytestmark = pytest.mark.slow

RANKS = (2, 4, 8, 16, 32, 64)


def run_document(processes, **changes):
    """A run of a made-up program: instructions fall with the processes, messages grow with them."""
    mix = dict.fromkeys(("load", "store", "int", "control"), 2**22 // processes)
    mix |= dict.fromkeys(
        ("int_arith", "int_mul", "int_div", "addr", "fp", "fp_mul", "fp_div", "vector_move", "other"), 0
    )
    worker = {
        "name": "worker",
        "members": processes,
        "instructions": 2**24 // processes,
        "mix": mix,
        "ilp": [{"window": 54, "span": 2**22 // processes}],
        "comm": {"p2p": {"messages": 10 * processes, "bytes": 4096 * processes}},
    }
    return {
        "schema": "dse-profile/1",
        "name": f"run {processes}",
        "synthetic": True,
        "application": {"name": "made up", "parameters": {"size": 64}},
        "run": {"processes": processes},
        "classes": [worker],
        **changes,
    }


@pytest.fixture
def files(tmp_path):
    names = []
    for processes in RANKS:
        names.append(f"run-{processes}.json")
        (tmp_path / names[-1]).write_text(json.dumps(run_document(processes)))
    return names


@pytest.fixture
def run(tmp_path):
    return lambda *arguments: command("profile", *map(str, arguments), folder=tmp_path)


def test_laws_are_shown_and_the_profile_is_written(run, files, tmp_path):
    done = run("extrapolate", *files, "--target", "processes=1024", "--out", "far.json")
    assert (done.code, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["processes", "2", "to", "64", "1024", "16"] in lines
    assert ["comm.p2p.messages", "10·processes", "10", "240", "10", "240", "to", "10", "240"] in lines
    assert "warning: processes = 1024 is 16 times the largest run (64)" in done.out
    assert "SYNTHETIC data, not measurements" in done.out
    assert "wrote far.json: made up, processes 1024 (extrapolated)" in done.out
    written = json.loads((tmp_path / "far.json").read_text())
    assert written["classes"][0]["instructions"] == 2**14
    assert written["classes"][0]["comm"]["p2p"] == {"messages": 10240, "bytes": 4096 * 1024}
    assert written["extrapolation"]["parameters"][0]["distance"] == 16
    shown = run("show", "far.json")
    assert shown.code == 0
    assert "extrapolated from 6 profiles, not measured: processes = 1024 (16 times the runs)" in shown.out


def test_json(run, files):
    done = run("extrapolate", *files, "--target", "processes=128", "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert list(told) == ["file", "name", "synthetic", "parameters", "classes", "fits", "warnings"]
    assert told["file"] is None
    assert told["parameters"] == [
        {"name": "processes", "smallest": 2, "largest": 64, "target": 128, "distance": 2, "log2": False}
    ]
    law = {one["metric"]: one for one in told["fits"]}["comm.p2p.bytes"]
    assert (law["law"], law["unit"], law["value"]) == ("4096·processes", "B", pytest.approx(4096 * 128))
    (term,) = law["terms"]
    assert term["factors"] == [{"parameter": "processes", "exponent": "1", "logarithms": 0}]
    assert told["classes"][0]["members"] == 128


def test_help_has_examples(run):
    done = run("extrapolate", "--help")
    assert done.code == 0
    assert "dse profile extrapolate" in " ".join(done.out.split()).partition("Examples:")[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--target", "proceses=128"], "'proceses' is no parameter of these profiles"),
        (["--target", "processes"], "--target: 'processes'; allowed: NAME=VALUE"),
        (["--target", "processes=many"], "--target: 'processes=many'; allowed: NAME=VALUE"),
        (["--target", "processes=nan"], "processes = nan; allowed: a finite number"),
        (["--target", "processes=128", "--target", "processes=64"], "processes is given twice"),
        (["--target", "processes=128", "--target", "size=128"], "size is 64 in every profile, so nothing says how"),
        (["--target", "processes=128", "--log2", "sice"], "log2: 'sice' is no parameter"),
        (["--target", "processes=128", "--refuse-beyond", "1.5"], "allowed: a distance of at most 1.5"),
        (["--target", "processes=128", "--cluster", "-1"], "threshold = -1"),
        (["--target", "processes=128", "--out", "run-2.json"], "the file exists already"),
        (["--target", "processes=128", "--out", "far.txt"], "does not end in .json"),
        (["--target", "processes=128", "missing.json"], "no such file 'missing.json'"),
        (["--target", "processes=128", "run-2.json"], "is the same as run-2.json; allowed: each run once"),
        ([], "Missing option '--target'"),
    ],
    ids=range(14),
)
def test_errors_have_exit_code_2(run, files, tmp_path, arguments, told):
    done = run("extrapolate", *files, *arguments)
    assert done.code == 2
    assert told in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert not (tmp_path / "far.txt").exists()


def test_too_few_and_incomplete_files(run, files, tmp_path):
    done = run("extrapolate", *files[:4], "--target", "processes=128")
    assert done.code == 2
    assert "4 runs with different parameters for a law of 1 parameter; allowed: at least 5" in " ".join(
        done.err.split()
    )
    (tmp_path / "run-8.json").write_text(json.dumps(run_document(8, run={"threads": 1})))
    done = run("extrapolate", *files, "--target", "processes=128")
    assert done.code == 2
    assert "run-8.json: run.processes: is missing" in " ".join(done.err.split())
