"""`dse profile` as its user runs it."""

import json
import os
import subprocess
import sys

import pytest
from toy import command

pytestmark = pytest.mark.slow

MIX = {
    "instructions_analyzed": 100,
    "load_instructions": 30,
    "store_instructions": 10,
    "int_arith_add_instructions": 40,
    "control_instructions": 20,
}
PISA = {
    "application": "tiny",
    "threads": [
        {
            "threadId": 0,
            "processId": 0,
            "instructionMix": MIX,
            "ilp": [{"windowSize": 54, "statistics": {"span": 50, "arithmetic_mean": 2.0}}],
            "dataReuseDistribution": [{"cacheLineSize": 64, "statistics": {"data": [[0, 20], [1, 10]]}}],
        }
    ],
}


@pytest.fixture
def run(tmp_path):
    return lambda *arguments: command("profile", *map(str, arguments), folder=tmp_path)


def test_a_process_of_its_own_prints_the_same(tmp_path):
    whole = [sys.executable, "-m", "dse", "profile", "show", "graph500-seq-csr"]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        whole,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == command(*whole[3:], folder=tmp_path, width=100)[1:]


def test_show_prints_tables(run):
    done = run("show", "graph500-seq-csr")
    assert (done.code, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["load", "420", "879", "559", "11.23", "%", "0.2115", "%"] in lines
    assert ["54", "out", "of", "order", "9.708", "1.623", "9.557", "5.754", "1.019"] in lines
    assert "IBM" in done.out
    assert "SYNTHETIC" not in done.out


def test_show_gives_json_and_a_page(run, tmp_path):
    done = run("show", "graph500-seq-list", "--json", "--report", "page.html")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert told["report"] == "page.html"
    assert told["classes"][0]["instructions"] == 4214366530
    assert told["classes"][0]["ilp"][0]["own"]["mem"] == pytest.approx(2.0439, abs=1e-4)
    assert told["synthetic"] is False
    assert len(told["sha256"]) == 64
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count('class="plotly-graph-div"') == 5


def test_synthetic_profiles_say_so(run):
    assert "SYNTHETIC data, not measurements" in run("show", "synthetic-dense").out


def test_import_and_show(run, tmp_path):
    (tmp_path / "main.pisa").write_text(json.dumps(PISA))
    done = run("import", "main.pisa", "tiny.json", "--source", "a test")
    assert (done.code, done.err) == (0, "")
    assert "warning: no branch entropy: no misses of branches can be modelled" in done.out
    assert "wrote tiny.json: tiny, 1 thread" in done.out
    shown = json.loads(run("show", "tiny.json", "--json").out)
    assert (shown["source"], shown["classes"][0]["instructions"]) == ("a test", 100)
    assert run("show", "tiny.json").code == 0
    again = run("import", "main.pisa", "tiny.json", "--json")
    assert again.code == 2
    assert again.err == "error: tiny.json: the file exists already; it is not overwritten; allowed: another name\n"
    assert json.loads(again.out)["file"] == "tiny.json"
    told = json.loads(run("import", "main.pisa", "other.json", "--json").out)
    assert told["classes"] == [{"name": "process 0 thread 0", "instructions": 100}]


def test_faults_are_one_sentence(run, tmp_path):
    document = json.loads(json.dumps(PISA))
    document["threads"][0]["instructionMix"]["load_instructions"] = 31
    (tmp_path / "bad.pisa").write_text(json.dumps(document))
    done = run("import", "bad.pisa", "bad.json")
    told = "threads[0].instructionMix: the classes add up to 101; allowed: 100, as instructions_analyzed says"
    assert (done.code, done.out, done.err) == (2, "", f"error: bad.pisa: {told}\n")
    assert not (tmp_path / "bad.json").exists()
    (tmp_path / "bad.json").write_text('{"schema": "dse-profile/1", "name": "x", "clases": []}')
    done = run("show", "bad.json")
    assert done.code == 2
    assert done.err.startswith("error: bad.json: clases: unknown key 'clases' (value [])")
    assert done.err.endswith("did you mean 'classes'?\n")
    assert run("show", "none.json").err.startswith("error: no such file 'none.json'")


def test_help(run):
    assert "import" in run("--help").out
    assert run("import", "--help").code == 0
    assert run("frobnicate").code == 2
