"""A profile of a part of a program says so, and no law is of several parts."""

import json
from pathlib import Path

import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.workload.profile.reading import read_profile
from dse.models.workload.record.raw_records import RawRecord
from dse.models.workload.record.recorded import recorded_profile, refuse_region
from dse.models.workload.record.recording import settings

PARTS = "load store int_arith int_mul int_div int addr fp fp_mul fp_div control vector_move other"
MIX = dict.fromkeys(PARTS.split(), 0)


def record(region, instructions=10):
    return RawRecord.model_validate(
        {
            "format": "dse-raw/1",
            "program": "cg",
            "host": "h",
            "pid": 1,
            "start_ns": 1,
            "region": region,
            "threads": [
                {
                    "thread": 0,
                    "instructions": instructions,
                    "mix": {**MIX, "other": instructions},
                    "ilp": [],
                    "reuse": [],
                }
            ],
            "complete": True,
        }
    )


@pytest.mark.parametrize(
    ("region", "said"),
    [
        (None, None),
        ({"begun": 3, "function": "solve"}, "in solve"),
        ({"begun": 3}, "between MPI_Pcontrol(1) and (0)"),
    ],
)
def test_the_profile_says_of_which_part_it_is(region, said, tmp_path, capsys):
    document = recorded_profile([record(region)])
    assert document["run"].get("region") == said
    assert ("which each process begins 3 times" in document["notes"]) == (said is not None)
    file = tmp_path / "cg.json"
    file.write_text(json.dumps(document))
    assert read_profile(file).run.region == (said or "")
    with pytest.raises(SystemExit):
        main(["profile", "show", str(file)])
    assert (f"of a region, not of the whole program: {said}" in capsys.readouterr().out) == (said is not None)


def test_records_of_two_parts_are_no_profile():
    with pytest.raises(InputError, match="others of another, or of the whole run"):
        recorded_profile([record({"begun": 1, "function": "solve"}), record(None)])


def test_a_function_that_no_process_called():
    known = {"begun": 0, "function": "solv", "functions": ["main", "solve"]}
    with pytest.raises(InputError, match=r"has no function 'solv' that was built with dse-cc.*did you mean 'solve'"):
        refuse_region([record(known, 0)])
    with pytest.raises(InputError, match="the program did not call 'solve'"):
        recorded_profile([record({"begun": 0, "function": "solve"}, 0)])
    refuse_region([record(known, 0), record({"begun": 1, "function": "solv"})])


def test_no_law_is_of_two_parts(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, region in (("a", {"begun": 1, "function": "solve"}), ("b", None)):
        Path(f"{name}.json").write_text(json.dumps(recorded_profile([record(region)], name=name)))
    with pytest.raises(SystemExit) as ended:
        main(["profile", "fit", "a.json", "b.json", "-o", "x.json"])
    assert ended.value.code == 2
    assert "b.json: run.region: is of the whole program, and a.json is in solve" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "a b", "solve;", "x" * 300])
def test_what_is_no_name_of_a_function(name):
    with pytest.raises(InputError, match="--from"):
        settings(from_function=name)
    assert settings(from_function="_ZN2cg5solveEv")["DSE_PROFILE_FROM"] == "_ZN2cg5solveEv"
