"""`dse profile new`: a profile to start from, or what counters of a run determine of one."""

import json
import tomllib
from pathlib import Path

import pytest

from dse.models.workload.reading import read_profile

PERF = """# started on Mon
1000000,,instructions:u,500,100.00,,
200000,,mem_inst_retired.all_loads:u,500,80.00,,
150000,,branches:u,500,100.00,,
<not supported>,,cycles,0,100.00,,
77,,cache-misses,500,100.00,,
"""


def test_a_new_profile_is_an_example_that_can_be_read_and_says_it_is_made_up(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    assert dse("profile", "new", "mine.toml").out == "wrote mine.toml\nnext: dse profile show mine.toml\n"
    profile = read_profile("mine.toml")
    assert (profile.synthetic, profile.only.instructions) == (True, 10**9)
    assert profile.only.ilp(64) == pytest.approx(6.0, rel=1e-6)
    assert dse("profile", "show", "mine.toml").code == 0
    again = dse("profile", "new", "mine.toml")
    assert (again.code, again.err) == (
        2,
        "error: mine.toml: the file exists already; it is not overwritten; allowed: another name\n",
    )
    assert dse("profile", "new", "mine.json").code == 2


def test_what_counters_do_not_determine_is_asked_for_by_name_and_never_made_up(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "perf.csv").write_text(PERF)
    result = dse("profile", "new", "mine.toml", "--counters", "perf.csv", "--source", "my program")
    assert "determined by perf stat: instructions, load, control\n" in result.out
    assert "still to be given, by name: mix.store, mix.addr, mix.int, mix.fp, mix.vector_move, mix.other" in result.out
    document = tomllib.loads(Path("mine.toml").read_text())
    assert document["classes"][0]["mix"] == {"load": 200_000, "control": 150_000}
    assert (document["synthetic"], document["source"]) == (False, "my program")
    assert "# Together store + addr + int + fp + vector_move + other are 650000." in Path("mine.toml").read_text()
    assert "classes[0].mix.store: is missing" in dse("profile", "show", "mine.toml").err
    told = json.loads(dse("profile", "new", "b.toml", "--counters", "perf.csv", "--json").out)
    assert told["determined"] == {"instructions": 1_000_000, "load": 200_000, "control": 150_000}
    assert told["missing"][-1] == "footprint_bytes"
    assert dse("profile", "new", "c.toml", "--counters", "none.csv").err == "error: none.csv: no such file\n"
