"""What others made runs no code, moves no cursor, and is shown as far as it is stored."""

import importlib.util
import json
import py_compile

import pandas as pd
import pytest
from example_counts import sampled_product
from toy import MODEL, STUDY, edited, forged, resealed

from dse.run.disk.folder import digest

COMMANDS = {
    "show": (["show", "run"], 0),
    "show --json": (["show", "run", "--json"], 0),
    "report": (["report", "run"], 0),
    "compare": (["compare", "run"], 0),
    "compare a row": (["compare", "run:0", "run:1"], 0),
    "pick": (["pick", "run", "--min", "time"], 0),
    "pick --knee": (["pick", "run", "--knee"], 0),
    "pick that searches again": (["pick", "run", "--min", "network_time"], 2),
    "pick of other quantities": (["pick", "run", "--min", "time", "--where", "compute_time <= 1 s"], 2),
    "pick --knee that searches again": (["pick", "run", "--knee", "--where", "nodes <= 4"], 2),
    "explain": (["explain", "run"], 2),
    "explain --number": (["explain", "run", "--number", "1"], 2),
    "verify": (["verify", "run"], 2),
    "a candidate file": (["compare", "run:0", "c.toml"], 2),
    "a candidate file with a study": (["compare", "run:0", "own.toml"], 2),
    "a candidate file alone": (["compare", "own.toml"], 2),
}
EVERY = pytest.mark.parametrize("command", COMMANDS)
PARTS = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))
CANDIDATE = 'name = "ours"\n[set]\nnodes = 5\nfrequency = "1.5 GHz"\n'


class Ran:
    """Where the hostile model file leaves a mark when it is run."""

    def __init__(self, folder):
        self.mark = folder / "mark"
        self.code = f"\nfrom pathlib import Path\nPath({str(self.mark)!r}).touch()\n"

    def __bool__(self):
        return self.mark.exists()


@pytest.fixture
def ran(toy):
    (toy / "c.toml").write_text(CANDIDATE)
    (toy / "own.toml").write_text('study = "theirs/toy.toml"\n' + CANDIDATE)
    (toy / "theirs").mkdir()
    (toy / "theirs/toy.toml").write_text(STUDY)
    (toy / "theirs/model.py").write_text(MODEL + Ran(toy).code)
    return Ran(toy)


@pytest.fixture
def stranger(toy, dse, ran, monkeypatch):
    """The run of a study with a hostile model, made by somebody else."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_DATA_HOME", str(toy / "elsewhere"))
        dse.good("run", "theirs/toy.toml", "--out", "run")
    assert ran
    ran.mark.unlink()
    return ran


@EVERY
def test_S1_a_run_of_a_stranger_runs_no_code(stranger, dse, command):
    arguments, code = COMMANDS[command]
    result = dse(*arguments)
    assert not stranger
    assert result.code == code
    if code == 2:
        assert result.out == ""
        assert "--allow-code" in result.err
        assert "model.py" in result.err
    allowed = dse(*arguments, "--allow-code")
    assert allowed.code == 0, allowed
    assert bool(stranger) == (command not in ("show", "show --json", "pick", "pick --knee"))


def test_S1_what_is_missing_is_said(stranger, dse, toy):
    told = "no seal of this user: model files are not run without --allow-code: model.py\n"
    assert told in dse.good("show", "run").out
    assert told in dse.good("report", "run").out
    assert "its model files are not run: model.py" in (toy / "run/report.html").read_text()
    assert "its model files are not run: model.py" in dse.good("compare", "run").out
    assert told not in dse.good("show", "run", "--allow-code").out
    assert not stranger.mark.exists()


@EVERY
def test_S1_a_file_that_changed_is_not_run(toy, dse, ran, command):
    """Not even in a run of this user, and with the flag: what runs is what the run was made with."""
    dse.good("run", "toy.toml", "--out", "run")
    (toy / "model.py").write_text(MODEL + ran.code)
    arguments, code = COMMANDS[command]
    for more in ([], ["--allow-code"]):
        if more and "own.toml" in arguments:
            continue
        result = dse(*arguments, *more)
        assert not ran
        assert result.code == code
        if code == 2 and "own.toml" not in arguments:
            assert "changed since the run: model model.py" in result.err


@pytest.mark.parametrize(
    ("command", "seal"), sampled_product(list(COMMANDS), ["none", "another run's", "nonsense", "no text"], each=2)
)
def test_S1_a_forged_manifest_runs_no_code(toy, dse, ran, command, seal):
    """Anybody can write the digest of another model file, and of the manifest; the seal only this user."""
    dse.good("run", "toy.toml", "--out", "run")
    genuine = json.loads((toy / "run/manifest.json").read_text())["seal"]
    (toy / "model.py").write_text(MODEL + ran.code)
    keys = {"none": {}, "another run's": {"seal": genuine}, "nonsense": {"seal": "é"}, "no text": {"seal": 1}}[seal]
    forged(
        toy / "run", lambda manifest: manifest["hashes"].update({"model model.py": digest(toy / "model.py")}), **keys
    )
    arguments, code = COMMANDS[command]
    result = dse(*arguments)
    assert not ran
    assert result.code == (2 if seal == "no text" and "run" in " ".join(arguments) else code)


@EVERY
def test_S1_a_compiled_file_beside_a_good_one_is_not_run(toy, dse, ran, command):
    dse.good("run", "toy.toml", "--out", "run")
    good = (toy / "model.py").read_bytes()
    (toy / "model.py").write_text(MODEL + ran.code)
    compiled = importlib.util.cache_from_source(str(toy / "model.py"))
    py_compile.compile(
        str(toy / "model.py"), cfile=compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    (toy / "model.py").write_bytes(good)
    arguments, _ = COMMANDS[command]
    result = dse(*arguments)
    assert not ran
    assert result.code == (2 if "own.toml" in arguments else 0)


def test_S1_a_module_that_a_manifest_names_is_not_imported(toy, dse, ran, monkeypatch):
    (toy / "evil").mkdir()
    (toy / "evil/__init__.py").write_text(ran.code)
    (toy / "evil/part.py").write_text(MODEL)
    monkeypatch.syspath_prepend(toy)
    dse.good("run", "toy.toml", "--out", "run")
    text = edited(STUDY, ('["model.py"]', '["evil.part"]'))
    forged(toy / "run", lambda manifest: manifest.update(study_text=text))
    assert dse("explain", "run", "--allow-code").code == 2
    (toy / "toy.toml").write_text(text)
    for command in (["check"], ["run"], ["evaluate"]):  # S2
        result = dse(*command, "toy.toml")
        assert result.code == 2
        assert "toy.toml: models[0]: unknown model 'evil.part'" in result.err
    assert not ran


def test_S1_a_candidate_may_run_what_the_run_may(toy, dse):
    """The model file of its study is that of a run of this user."""
    dse.good("run", "toy.toml", "--out", "run")
    (toy / "c.toml").write_text('study = "toy.toml"\n' + CANDIDATE)
    dse.good("compare", "run:0", "c.toml")
    (toy / "c.toml").write_text('study = "ska-station"\nname = "x"\n[set]\npart = "ASIC 14 nm"\n')
    dse.good("compare", "c.toml")


@EVERY
def test_R3_a_manifest_that_was_changed_is_refused(toy, dse, ran, command):
    dse.good("run", "toy.toml", "--out", "run")
    file = toy / "run/manifest.json"
    file.write_text(
        edited(file.read_text(), ('"exact": true,\n  "designs": 14', '"exact": true,\n  "designs": 1000000000'))
    )
    arguments, _ = COMMANDS[command]
    result = dse(*arguments)
    assert result.code == 2
    if command != "a candidate file alone":
        assert "run/manifest.json: was changed after the run wrote it; allowed: dse run --fresh" in result.err


ESCAPES = ["\x1b]0;mine\x07", "\x9b2J\x7f"]


@pytest.mark.parametrize("escape", ESCAPES)
@EVERY
def test_S3_a_hostile_part_name_does_not_reach_the_terminal(toy, dse, ran, command, escape):
    """In the table of the frontier or in the manifest: neither is shown."""
    (toy / "toy.toml").write_text(PARTS)
    dse.good("run", "toy.toml", "--out", "run")
    arguments, _ = COMMANDS[command]
    whole = (toy / "run/manifest.json").read_text()

    def refused():
        result = dse(*arguments)
        assert result.code == 2
        assert not any(letter in result.out + result.err.rstrip("\n") for letter in escape if not letter.isprintable())
        assert "has the control character U+" in result.err or "own.toml" in arguments

    forged(toy / "run", lambda manifest: manifest["space"]["alternatives"][0]["axes"][1]["shown"].append(escape))
    refused()
    (toy / "run/manifest.json").write_text(whole)
    forged(
        toy / "run", lambda manifest: manifest["components"].append({"slot": escape, "component": "x", "chosen": True})
    )
    refused()
    (toy / "run/manifest.json").write_text(whole)
    frame = pd.read_parquet(toy / "run/frontier.parquet")
    frame["clock"] = frame["clock"].astype(object)
    frame.loc[0, "clock"] = escape
    frame.to_parquet(toy / "run/frontier.parquet", index=False)
    files = {"frontier.parquet": digest(toy / "run/frontier.parquet")}
    forged(toy / "run", lambda manifest: manifest["files"].update(files))
    refused()


PLACES = {
    "an alternative": ("[search]", '[space.alternatives."a@"]\nset = { base_power = "90 W" }\n[search]'),
    "a unit": ('values = ["1 GHz", "2 GHz"]', 'values = [1, 2], unit = "GHz@"'),
    "a value": ('values = ["1 GHz", "2 GHz"]', 'values = ["1 GHz@"]'),
    "a model": ('["model.py"]', '["model@.py"]'),
    "a part": ('values = ["1 GHz", "2 GHz"]', 'part = "parts@.csv"'),
    "an unknown key": ("[search]", '[search]\n"k@" = 1'),
    "a question": ("How many nodes?", "How many nodes?@"),
}


@pytest.mark.parametrize("place", PLACES)
def test_S3_control_characters_are_refused_at_reading(toy, dse, place):
    old, new = PLACES[place]
    (toy / "toy.toml").write_text(edited(STUDY, (old, new.replace("@", "\\u001B[2J"))))
    result = dse("check", "toy.toml")
    assert result.code == 2
    assert "has the control character U+001B" in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize("cell", ["name", "source", "heading"])
def test_S3_control_characters_in_a_catalogue(toy, dse, cell):
    text = (toy / "parts.csv").read_text()
    change = {"name": ("slow", "slow\x1b[2J"), "source": ("me", "m\x9be"), "heading": ("source", "source\x00")}[cell]
    (toy / "parts.csv").write_text(text.replace(*change, 1) if cell != "source" else text.replace(",me\n", ",m\x9be\n"))
    (toy / "toy.toml").write_text(PARTS)
    result = dse("check", "toy.toml")
    assert result.code == 2
    assert "parts.csv: line " in result.err
    assert result.err.isprintable() or result.err.rstrip("\n").isprintable()


def test_S3_several_lines_of_prose_stay(toy, dse):
    text = edited(STUDY, ('"How many nodes?"', '"""How\nmany\tnodes?"""'), ('"power <= 20 kW"', '"(power\\n<= 20 kW)"'))
    (toy / "toy.toml").write_text(text)
    if dse("check", "toy.toml").code == 0:
        dse.good("run", "toy.toml", "--out", "run")
        dse.good("show", "run")


def test_S2_which_files_run_is_told_once(toy, dse, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(toy / "new"))
    dse.all = True
    told = "note: toy.toml runs the Python files it names: model.py\n"
    first, second = dse.good("check", "toy.toml"), dse.good("run", "toy.toml", "--json")
    assert (first.err, second.err) == (told, "")
    (toy / "model.py").write_text(MODEL + "# changed\n")
    assert dse.good("check", "toy.toml").err == told
    assert dse.good("evaluate", "toy.toml", "--set", "nodes=2", "--set", "frequency=1 GHz").err == ""
    assert dse.good("check", "ska-correlator").err == ""
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    assert [dse.good("check", "toy.toml").err for _ in range(2)] == [told, told]


def test_S4_a_table_may_be_no_link_out_of_the_folder(toy, dse):
    (toy / "study").mkdir()
    for name in ("toy.toml", "model.py", "parts.csv"):
        (toy / name).rename(toy / "study" / name)
    (toy / "study/toy.toml").write_text(PARTS)
    dse.good("check", "study/toy.toml")
    (toy / "study/parts.csv").rename(toy / "outside.csv")
    (toy / "study/parts.csv").symlink_to(toy / "outside.csv")
    result = dse("check", "study/toy.toml")
    assert result.code == 2
    assert "'parts.csv' is a link out of the folder of the study" in result.err
    (toy / "link").symlink_to(toy / "study")
    (toy / "study/parts.csv").unlink()
    (toy / "outside.csv").rename(toy / "study/parts.csv")
    dse.good("check", "link/toy.toml")


def test_R2_a_run_of_another_engine_or_numpy_is_told(toy, dse, monkeypatch):
    dse.good("run", "toy.toml", "--out", "run")
    assert dse.good("show", "run", "--json").json["changes"] == []
    assert "made with" not in dse.good("show", "run").out
    resealed(toy / "run", lambda manifest: manifest["versions"].update(numpy="1.26.4", engine="0", dse="0.0.1"))
    told = "made with another engine (dse 0.0.1; here "
    for command in ("show", "report"):
        assert told in dse.good(command, "run").out
        assert told in dse.good(command, "run", "--json").json["changes"][0]
        assert "NumPy 1.26.4 (here " in dse.good(command, "run").out
    assert told in (toy / "run/report.html").read_text()
    again = dse.good("run", "toy.toml", "--out", "run")
    assert again.err.startswith(f"note: run: {told}")
    assert again.err.endswith("; --fresh searches again and keeps the old run\n")
    dse.good("run", "toy.toml", "--out", "run", "--fresh")
    assert dse.good("run", "toy.toml", "--out", "run").err == ""


def test_R4_which_files_changed_is_told(toy, dse):
    (toy / "toy.toml").write_text(PARTS)
    dse.good("run", "toy.toml", "--out", "run")
    assert dse.good("show", "run", "--json").json["changes"] == []
    (toy / "model.py").write_text(MODEL + "# changed\n")
    (toy / "toy.toml").write_text(STUDY)
    (toy / "parts.csv").unlink()
    told = "changed since the run: toy.toml, model model.py; table parts.csv (is gone)"
    for command in ("show", "report"):
        assert told + "\n" in dse.good(command, "run").out
        assert dse.good(command, "run", "--json").json["changes"] == [told]
    assert told in (toy / "run/report.html").read_text()
    dse.good("run", "ska-correlator", "--out", "other")
    assert dse.good("show", "other", "--json").json["changes"] == []
