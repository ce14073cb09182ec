"""A user's session: every command, for people and as JSON."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dse import Run, __version__
from dse.authoring.library.claims import Claim
from dse.cli.main import _app
from dse.models.hybrid.claims import published

pytestmark = pytest.mark.slow

STATUSES = {"pass", "fail", "fitted", "deviation", "miss", "not checkable"}
COMMANDS = {
    "init", "check", "studies", "evaluate", "run", "show", "report", "verify", "explain", "pick", "models", "validate",
}  # fmt: skip


def shell(folder, *arguments):
    """Run the installed command in a process of its own."""
    program = Path(sys.executable).with_name("dse")
    command = [str(program)] if program.exists() else [sys.executable, "-m", "dse"]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
        timeout=120,
    )


@pytest.fixture
def session(dse):
    """A folder with a study, as `init` writes it, and its run."""
    dse.good("init", "my-study.toml")
    dse.good("run", "my-study.toml")
    return dse


def test_a_first_session_in_the_shell(tmp_path):
    """The commands of a newcomer, each in its own process; a file models.py in the folder is in nobody's way."""
    (tmp_path / "models.py").write_text("raise RuntimeError('not this one')\n")
    assert shell(tmp_path, "--version").stdout == f"dse {__version__}\n"
    wrote = shell(tmp_path, "init", "my-study.toml")
    assert wrote.stdout == (
        "wrote my-study.toml\n"
        "editors know its keys and units by .dse/study.schema.json\n"
        "next: dse check my-study.toml  ·  dse run my-study.toml\n"
    )
    ran = shell(tmp_path, "run", "my-study.toml", "--report")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "exact: the frontier of the whole space" in ran.stdout
    assert "SYNTHETIC data, not measurements: hybrid/baselines.csv" in ran.stdout
    page = (tmp_path / "runs/my-study/report.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    failed = shell(tmp_path, "run", "my-studi.toml", "--json")
    assert failed.returncode == 2
    assert failed.stderr == "error: no such study file 'my-studi.toml'; did you mean 'my-study.toml'?\n"
    module = subprocess.run(
        [sys.executable, "-m", "dse", "show", "runs/my-study", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert module.stdout.startswith(b"{")


def test_every_command_has_help_with_an_example(dse):
    dse.good("--help")
    names = {command.name or command.callback.__name__ for command in _app().registered_commands}
    assert names >= COMMANDS
    for name in sorted(names):
        told = dse.good(name, "--help").out
        assert f"dse {name}" in told.partition("Example")[2], name
        assert "--json" in told, name
        assert dse.good(name, "-h").out == told


def test_studies(dse):
    listed = dse.good("studies", "--json")
    assert listed.err == ""
    told = listed.json
    assert {s["name"] for s in told} >= {"ska-correlator", "ska-station", "hybrid-xeon-sp", "hybrid-arm-cp"}
    for study in told:
        assert set(study) == {"name", "question", "source", "designs", "synthetic", "file"}
        assert study["question"].endswith("?")
        assert study["source"]
    assert {s["name"]: s["designs"] for s in told}["ska-correlator"] == 960
    text = dse.good("studies").out
    assert all(s["name"] in text for s in told)


def test_check(session):
    told = session.good("check", "my-study.toml", "--json").json
    assert told["name"] == "my-study"
    assert told["designs"] == told["space"]["designs"] == 216
    assert told["objectives"] == [
        {"quantity": "run_time", "sense": "min", "unit": "s"},
        {"quantity": "energy", "sense": "min", "unit": "J"},
    ]
    assert {"slot": "switch_channels", "component": "port", "chosen": True} in told["components"]
    assert {a["name"] for a in told["assumptions"]} == {"memory_bandwidth_scale"}
    assert all(a["unit"] and a["source"] and isinstance(a["value"], float) for a in told["assumptions"])
    for quantity in told["quantities"]:
        assert set(quantity) == {"name", "unit", "from", "needs", "source", "doc"}
        assert quantity["unit"]
        assert quantity["source"]
    assert told["synthetic"]
    text = session.good("check", "my-study.toml", "--graph").out
    assert "216 designs" in text
    assert "subject to run_time <= 200 s" in text
    dot = session.good("check", "my-study.toml", "--dot").out
    assert dot.startswith("digraph system {")
    assert dot.rstrip().endswith("}")


def test_run_and_show(session):
    told = session.good("run", "my-study.toml", "--json").json
    keys = {"name", "designs", "feasible", "evaluated", "exact", "objectives", "frontier", "units", "certificate"}
    assert set(told) >= keys | {"assumptions", "components", "synthetic", "timings", "folder", "report"}
    assert told["folder"] == "runs/my-study"
    assert told["units"]["run_time"] == "s"
    assert told["units"]["frequency"] == "Hz"
    assert {row["frequency"] for row in told["frontier"]} <= {1.2e9, 1.5e9, 1.8e9}
    assert all(row["run_time"] <= 200 and row["nodes"] * row["cores"] <= 1024 for row in told["frontier"])
    shown = session.good("show", "runs/my-study", "--json").json
    assert shown["frontier"] == told["frontier"]
    assert shown["certificate"] == told["certificate"]
    assert shown["folder"] == "runs/my-study"
    text = session.good("show", "runs/my-study").out
    assert f"{told['feasible']} of 216 designs are feasible" in text
    every = session.good("show", "runs/my-study", "--all").out
    assert len(every.splitlines()) >= len(told["frontier"])


def test_report(session, tmp_path):
    told = session.good("report", "runs/my-study", "--json").json
    size = Path(told["report"]).stat().st_size
    assert told == {"report": "runs/my-study/report.html", "bytes": size, "changes": []}
    session.good("report", "runs/my-study", "--out", "page.html")
    assert (tmp_path / "page.html").is_file()


def test_verify(session):
    told = session.good("verify", "runs/my-study", "--json").json
    assert told["passed"] is True
    assert (told["random"], told["whole_space"]) == (216, True)
    assert told["values_differ"] == told["infeasible"] == told["beaten_by"] == []
    some = session.good("verify", "runs/my-study", "--json", "--designs", "50", "--seed", "7").json
    assert (some["passed"], some["random"], some["whole_space"]) == (True, 50, False)
    assert "passed: none beats it" in session.good("verify", "runs/my-study").out


def test_explain(session):
    told = session.good("explain", "runs/my-study", "--design", "1", "--json").json
    row = Run.load("runs/my-study").frontier.iloc[1]
    assert told["design"] == row["design"]
    assert told["on_frontier"] is True
    assert {o["quantity"]: o["value"] for o in told["objectives"]} == {
        "run_time": row["run_time"],
        "energy": row["energy"],
    }
    assert all(set(n) >= {"name", "unit", "from", "needs", "source", "value"} for n in told["numbers"])
    same = session.good("explain", "runs/my-study", "--number", str(row["design"]), "--json").json
    assert same == told


def test_pick(session):
    frontier = Run.load("runs/my-study").frontier
    told = session.good("pick", "runs/my-study", "--min", "energy", "--where", "run_time <= 100 s", "--json").json
    assert told["found"] is True
    assert told["searched_again"] is False
    assert told["designs"][0]["energy"] == frontier.loc[frontier["run_time"] <= 100, "energy"].min()
    assert told["units"]["energy"] == "J"
    assert told["synthetic"]
    again = session.good("pick", "runs/my-study", "--max", "useful_computation_ratio", "--json").json
    assert again["searched_again"] is True
    nothing = session("pick", "runs/my-study", "--min", "energy", "--where", "run_time <= 1 us")
    assert nothing.code == 1
    nothing = session("pick", "runs/my-study", "--min", "energy", "--where", "run_time <= 1 us", "--json")
    assert (nothing.code, nothing.json["found"], nothing.json["designs"]) == (1, False, [])


def test_evaluate(session):
    values = ["--set", "nodes=3", "--set", "cores=5", "--set", "frequency=1.3 GHz", "--set", "service_scv=0.5"]
    told = session.good("evaluate", "my-study.toml", *values, "--json").json
    assert set(told) >= {"study", "values", "units", "constraints", "synthetic"}
    assert told["values"]["frequency"] == 1.3e9
    assert told["values"]["service_scv"] == 0.5
    assert set(told["values"]) == set(told["units"])
    assert told["constraints"] == {
        "run_time <= 200 s": told["values"]["run_time"] <= 200,
        "nodes * cores <= 1024": True,
    }


def test_models(dse):
    told = dse.good("models", "--json").json
    assert {m["name"] for m in told} >= {"hybrid", "network", "ska.correlator", "ska.station"}
    for model in told:
        described = dse.good("models", model["name"], "--json").json
        kinds = {
            "quantities",
            "parameters",
            "assumptions",
            "requirements",
            "tables",
            "slots",
            "enumerations",
            "pictures",
        }
        assert set(described) == {"name", "doc", *kinds}
        assert all(q["unit"] and q["source"] and q["doc"] for q in described["quantities"])
        assert all(a["unit"] and a["source"] for a in described["assumptions"])
        assert all(e["doc"] and e["source"] for e in described["enumerations"])
        assert all(
            p["doc"] and p["title"] and set(p["providers"]) <= _providers(described) for p in described["pictures"]
        )
        assert dse.good("models", model["name"]).out
    assert "hybrid" in dse.good("models").out


def _providers(described):
    return {q["provider"] for q in described["quantities"]}


def test_models_list_enumerations_and_pictures(dse):
    told = dse.good("models", "network", "--json").json
    named = {e["name"]: e["doc"] for e in told["enumerations"]}
    assert len(named) == 9
    assert named["network.torus"].startswith("Every torus")
    pictures = {p["name"]: (p["slot"], p["providers"]) for p in told["pictures"]}
    assert pictures["draw_torus"] == ("topology", ["torus", "torus-as-printed"])
    text = " ".join(dse.good("models", "network").out.split())
    assert "network.fat_tree_3_level" in text
    assert "draw_slim_fly" in text
    (own,) = dse.good("models", "machines", "--json").json["enumerations"]
    assert own["name"] == "real_machines"
    assert dse.good("models", "hybrid", "--json").json["pictures"] == []


def test_validate(claims_once, dse):
    told = dse.good("validate", "--json").json
    assert told["passed"] is True
    assert set(told["counts"]) == STATUSES
    assert sum(told["counts"].values()) == len(told["claims"])
    for claim in told["claims"]:
        assert claim["status"] in STATUSES
        assert all([claim["claim"], claim["source"], claim["unit"]])
        if claim["status"] in ("deviation", "miss", "not checkable"):
            assert claim["note"], claim["claim"]
    assert {c["model"].split(".")[0] for c in told["claims"]} >= {"hybrid", "network", "ska"}
    one = dse.good("validate", "hybrid", "--json").json
    assert {c["model"].split(".")[0] for c in one["claims"]} == {"hybrid"}
    for family in ("hybrid", "network", "ska"):
        told = dse.good("validate", family)
        lines = told.out.splitlines()
        assert all(word in lines[0] for word in ("figure", "stated", "computed", "error", "status", "whose"))
        assert all(len(line) <= 120 for line in lines if line.endswith(("pass", "fitted")))
        assert sum(line.rstrip().endswith("pass") for line in lines) >= 10


def test_what_a_family_also_shows_counts_once_in_the_whole(claims_once, dse):
    """The power of memory and branch prediction stand with the processor, and are the claims of their families."""
    whole, shown = (dse.good("validate", *names, "--json").json for names in ((), ("processor",)))
    assert whole["also_shown"] == {}
    assert set(shown["also_shown"]) == {"branches", "power"}
    assert sum(shown["counts"].values()) == len(shown["claims"])
    for claim in shown["claims"]:
        assert whole["claims"].count(claim) == 1, claim["claim"]
    own = [claim for claim in shown["claims"] if claim["model"] == "processor"]
    assert len(own) + sum(shown["also_shown"].values()) == len(shown["claims"])
    assert own == [claim for claim in whole["claims"] if claim["model"] == "processor"]
    lines = dse.good("validate", "processor").out.splitlines()
    assert lines[0].split()[:3] == ["model", "figure", "stated"]
    assert any(line.startswith("power ") and "MeSAP, idle on DDR4-2400" in line for line in lines)
    assert any(line.startswith("branches ") and "share predicted of four histories" in line for line in lines)
    counted = shown["also_shown"]
    assert lines[-1].startswith(f"also shown here: {counted['branches']} of branches, {counted['power']} of power;")


def test_a_claim_that_fails_makes_the_answer_no(dse, monkeypatch):
    claims = [
        Claim("hybrid", "good", "me", 1.0, 1.05, relative_tolerance=0.1),
        Claim("hybrid", "bad", "me", 2.0, 3.0, unit="W", note="why"),
        Claim("hybrid", "bad but fitted", "me", 2.0, 3.0, kind="fitted"),
    ]
    monkeypatch.setattr(published, "claims", lambda: claims)
    result = dse("validate", "hybrid", "--json")
    assert (result.code, result.json["passed"], result.json["counts"]["fail"]) == (1, False, 2)
    assert [c["status"] for c in result.json["claims"]] == ["pass", "fail", "fail"]
    assert result.json["claims"][1]["error"] == 0.5
    text = dse("validate", "hybrid")
    assert text.code == 1
    assert "1 pass, 2 fail" in text.out


def test_json_is_never_mixed_with_words(session):
    """What --json prints is one document, also where it is printed in colour and with progress."""
    for arguments in (
        ["check", "my-study.toml"],
        ["run", "my-study.toml"],
        ["show", "runs/my-study"],
        ["report", "runs/my-study"],
        ["verify", "runs/my-study"],
        ["explain", "runs/my-study"],
        ["pick", "runs/my-study", "--min", "energy"],
        ["models"],
        ["models", "hybrid"],
        ["validate", "ska"],
    ):
        result = session.good(*arguments, "--json")
        assert result.json
        assert result.err == ""


def test_numbers_that_are_not_finite_are_null(dse, toy):
    """JSON has no NaN: an infeasible design may have one where nothing depends on it."""
    model = (toy / "model.py").read_text()
    model += (
        '\n\n@quantity(unit="1", source="me")\ndef root(nodes):\n    """A root."""\n    return np.sqrt(16 - nodes)\n'
    )
    (toy / "model.py").write_text(model)
    text = (toy / "toy.toml").read_text().replace('also = ["network_time"]', 'also = ["root"]')
    (toy / "toy.toml").write_text(text)
    with np.errstate(all="ignore"):
        told = dse.good("evaluate", "toy.toml", "--set", "nodes=64", "--set", "frequency=1 GHz", "--json").json
        assert told["values"]["root"] is None
        rows = dse.good("run", "toy.toml", "--json").json["frontier"]
        assert {row["root"] is None for row in rows if row["nodes"] > 16} == {True}
        last = len(rows) - 1
        assert "root" in {
            n["name"] for n in dse.good("explain", "runs/toy", "--design", str(last), "--json").json["numbers"]
        }
