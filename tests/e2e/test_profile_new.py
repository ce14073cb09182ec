"""`dse profile new`: a profile to start from, or what counters of a run determine of one."""

import json
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from dse.models.workload.cli.template import profile_template
from dse.models.workload.profile.reading import read_profile

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


def test_the_example_runs_in_the_study_that_is_made_for_profiles(tmp_path, monkeypatch, dse):
    """And where its windows are too few, `dse check` fails as `dse run` does."""
    monkeypatch.chdir(tmp_path)
    template = (files("dse") / "cli/templates/workload-profile.toml").read_text()
    assert template == "#:schema .dse/profile.schema.json\n" + profile_template("@NAME@").text
    assert dse("init", "study.toml", "--template", "workload").code == 0
    Path("study-profile.toml").unlink()
    assert dse("profile", "new", "study-profile.toml").code == 0
    checked = dse("check", "study.toml")
    assert (checked.code, "nothing is missing" in checked.out) == (0, True)
    assert dse("run", "study.toml").code == 0
    whole = Path("study-profile.toml").read_text()
    one, _, rest = whole.partition("[[classes.ilp]]\nwindow = 192\n")
    Path("study-profile.toml").write_text(one + rest[rest.index("[[classes.ilp]]") :])
    failed = dse("check", "study.toml")
    assert (failed.code, failed.out) == (2, "")
    assert "the issue queue varies, and 'thread' has parallelism for one window (64)" in failed.err
    assert dse("check", "study.toml", "--json").code == 2


def test_what_counters_do_not_determine_is_asked_for_by_name_and_never_made_up(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "perf.csv").write_text(PERF)
    result = dse("profile", "new", "mine.toml", "--counters", "perf.csv", "--source", "my program")
    assert "determined by perf stat: instructions, load, control\n" in result.out
    assert "still to be given, by name: mix.store, mix.addr, mix.int, mix.fp, mix.vector_move, mix.other" in result.out
    document = tomllib.loads(Path("mine.toml").read_text())
    assert document["classes"][0]["mix"] == {"load": 200_000, "control": 150_000}
    assert (
        document["source"]
        == "my program; counted with perf stat: instructions, load, control; the rest was not counted"
    )
    assert document["synthetic"] is True, "what is filled in by hand must not pass as measured"
    assert "synthetic = true          # true as long as a figure below is not measured" in Path("mine.toml").read_text()
    assert "not taken over: cache-misses (of the machine, no part of a profile)\n" in result.out
    assert "not understood" not in result.out
    assert "# Together store + addr + int + fp + vector_move + other are 650000." in Path("mine.toml").read_text()
    assert "classes[0].mix.store: is missing" in dse("profile", "show", "mine.toml").err
    told = json.loads(dse("profile", "new", "b.toml", "--counters", "perf.csv", "--json").out)
    assert told["determined"] == {"instructions": 1_000_000, "load": 200_000, "control": 150_000}
    assert told["missing"][-1] == "footprint_bytes"
    assert dse("profile", "new", "c.toml", "--counters", "none.csv").err == "error: none.csv: no such file\n"


def test_counts_of_all_threads_together_are_shared_out_where_the_user_says_among_how_many(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    counted = PERF + "1.0,msec,task-clock:u,500,100.00,15.9,CPUs utilized\n5,,made_up.event,500,100.00,,\n"
    (tmp_path / "perf.csv").write_text(counted)
    refused = dse("profile", "new", "mine.toml", "--counters", "perf.csv")
    assert (refused.code, Path("mine.toml").exists()) == (2, False)
    assert refused.err.startswith(
        "error: perf.csv: the program kept 15.9 processors busy, and its counts are those of all "
    )
    made = dse("profile", "new", "mine.toml", "--counters", "perf.csv", "--threads", "16")
    assert "warning: counted of 16 threads together: each has an equal share\n" in made.out
    assert "not understood: made_up.event\n" in made.out
    text = Path("mine.toml").read_text()
    (item,) = tomllib.loads(text)["classes"]
    assert (item["members"], item["instructions"], item["mix"]["load"]) == (16, 62_500, 12_500)
    assert "# perf stat counted 16 threads together: here stands the equal share of one.\n" in text
    told = json.loads(dse("profile", "new", "b.toml", "--counters", "perf.csv", "--threads", "16", "--json").out)
    assert (told["members"], told["unknown"]) == (16, ["made_up.event"])
    alone = dse("profile", "new", "c.toml", "--threads", "2").err
    assert alone.startswith("error: --threads: stands alone; allowed: it beside --counters FILE")
    pointed = dse("profile", "import", "perf.csv", "out.json").err
    assert pointed.startswith("error: perf.csv: is no file of PISA; allowed: ")
    assert "dse profile new NEW.toml --counters perf.csv" in pointed
