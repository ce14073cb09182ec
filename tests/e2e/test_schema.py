"""`dse schema`, and what editors make of it: language servers for TOML read every study and name the faults of one."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
import tomlkit

from dse.cli.commands.files.init import TEMPLATES

pytestmark = pytest.mark.xdist_group("editors")

SERVERS = Path(sys.executable).parent
LINES = {"study": "#:schema .dse/study.schema.json\n", "profile": "#:schema .dse/profile.schema.json\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the schemas, every template as `dse init` writes it, every shipped study and profile."""
    from dse.cli.main import main

    made = tmp_path_factory.mktemp("editor")
    with contextlib.chdir(made), contextlib.redirect_stdout(io.StringIO()):
        for template in TEMPLATES:
            with pytest.raises(SystemExit) as ended:
                main(["init", f"template-{template}.toml", "--template", template])
            assert ended.value.code == 0
    for path in Path(str(files("dse.studies"))).glob("*.toml"):
        (made / path.name).write_text(LINES["study"] + path.read_text(encoding="utf-8"), encoding="utf-8")
    for path in Path(str(files("dse.spaces"))).glob("profiles/*.json"):
        profile = tomlkit.dumps(json.loads(path.read_text(encoding="utf-8")))
        (made / f"profile-{path.stem}.toml").write_text(LINES["profile"] + profile, encoding="utf-8")
    return made


def test_there_is_a_schema_of_each_kind(dse):
    for kind in ("study", "variant", "profile"):
        printed = dse.good("schema", kind).json
        assert printed["$schema"] == "http://json-schema.org/draft-07/schema#"
        assert dse.good("schema", kind, "--out", f"{kind}.json").out == f"wrote {kind}.json\n"
        assert json.loads(Path(f"{kind}.json").read_text(encoding="utf-8")) == printed
        assert dse.good("schema", kind, "-o", f"{kind}.json", "--json").json == {"file": f"{kind}.json"}


def test_only_a_schema_is_overwritten(dse):
    for text in ("name = 'mine'", "[1]", '{"a": 1}'):
        Path("mine").write_text(text)
        assert "mine: the file holds no schema; it is not overwritten" in dse("schema", "variant", "-o", "mine").err
        assert Path("mine").read_text() == text


def test_models_of_a_study_are_known_too(dse, toy):
    known = dse.good("schema", "study", "toy.toml").json["definitions"]["Set"]["properties"]
    assert known["base_power"]["description"] == "Power of a node at rest [W]. Without it 100 W."
    assert known["kind"] == {"type": "string", "description": "Kind of the machine, read by nothing"}
    assert "frequency" in known
    assert "base_power" not in dse.good("schema", "study").json["definitions"]["Set"]["properties"]
    assert dse("schema", "study", "toi.toml").code == 2


def checked(folder, *names):
    """Return what taplo prints of some files, as one text."""
    command = [SERVERS / "taplo", "lint", "--colors", "never", *names]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=os.environ | {"RUST_LOG": "warn"}, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_taplo_finds_no_fault_in_any_study_or_template(folder):
    names = sorted(path.name for path in folder.glob("*.toml"))
    assert len(names) > 50
    assert checked(folder, *names) == (0, "")


def test_tombi_finds_no_fault_either(folder):
    command = [SERVERS / "tombi", "lint", "--offline", "--error-on-warnings", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


class LanguageServer:
    """A language server for TOML, spoken to over its standard input and output."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [SERVERS / "tombi", "lsp", "--offline"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        self.number = 0
        root = {"uri": folder.as_uri(), "name": "studies"}
        asked = {"processId": None, "rootUri": folder.as_uri(), "workspaceFolders": [root], "capabilities": {}}
        self.ask("initialize", asked)
        self.send(method="initialized", params={})

    def send(self, **message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server has ended"
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        """Return the answer to a request; what the server asks meanwhile gets none of its wishes."""
        self.number += 1
        self.send(id=f"test-{self.number}", method=method, params=params)
        while True:
            message = self.read()
            if "method" in message and "id" in message:
                self.send(id=message["id"], result=None)
            elif message.get("id") == f"test-{self.number}":
                return message["result"]

    def open(self, path):
        """Open a file; return its faults when the server has read it: the line of each, and what an editor shows there.

        What is asked of a file before that may be answered as of one that nobody knows.
        """
        text = path.read_text(encoding="utf-8")
        document = {"uri": path.as_uri(), "languageId": "toml", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        while True:
            message = self.read()
            if "id" in message:
                self.send(id=message["id"], result=None)
            elif message["method"] == "textDocument/publishDiagnostics" and message["params"]["uri"] == document["uri"]:
                faults = message["params"]["diagnostics"]
                return [(item["range"]["start"]["line"] + 1, item["message"]) for item in faults]

    def hover(self, path, line, column):
        place = {"line": line - 1, "character": column}
        answer = self.ask("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": place})
        return answer["contents"]["value"]

    def completions(self, path, line, column):
        place = {"line": line - 1, "character": column}
        answer = self.ask("textDocument/completion", {"textDocument": {"uri": path.as_uri()}, "position": place})
        return [item["label"] for item in (answer or [])]

    def end(self):
        self.process.kill()
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(folder):
    begun = LanguageServer(folder)
    yield begun
    begun.end()


GOOD = """#:schema .dse/study.schema.json
name = "mine"
models = ["hybrid"]
constraints = ["nodes * cores <= 256"]

[[objectives]]
minimize = "run_time"

[tables]
baselines = { file = "hybrid/baselines.csv", where = { system = "xeon", program = "SP" } }

[space.axes]
nodes = { powers_of_two = [1, 256] }
frequency = { values = ["1.2 GHz", "1.8 GHz"] }
"""
OBJECTIVES = '[[objectives]]\nminimize = "run_time"\n'


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("constraints =", "constrants =", 4, '"constrants" is not allowed'),
        ("powers_of_two", "power_of_two", 13, '"power_of_two" is not allowed'),
        ('"1.8 GHz"', '"1.8 GHx"', 14, '"1.8 GHx" does not match the pattern'),
        ('"1.8 GHz"', '"1.8 s"', 14, '"1.8 s" does not match the pattern'),
        (OBJECTIVES, "", 1, '"objectives" is required'),
        ('minimize = "run_time"', 'minimise = "run_time"', 7, '"minimise" is not allowed'),
        ('"run_time"', '"run time"', 7, '"run time" does not match the pattern'),
        ("[1, 256]", "[1]", 13, "2"),
        ("[1, 256] }", "[1, 256], range = [1, 2] }", 13, "1 of 7 schemas must be matched, but found 2"),
        ("[tables]", "[set]\nsetup_time = 3\n[tables]", 0, ""),
    ],
    ids=["key", "key-of-axis", "no-unit", "dimension", "objective", "minimise", "name", "too-few", "two-kinds", "own"],
)
def test_what_an_editor_shows_of_a_fault(folder, server, request, old, new, line, message):
    """The place and the words are those of the language server; what it refuses, `dse check` refuses too."""
    assert GOOD.count(old) == 1 or old == '"run_time"'
    path = folder / f"bad-{request.node.callspec.id}.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    faults = server.open(path)
    path.unlink()
    if not line:
        assert faults == [], "models of one's own may have parameters that nobody else knows"
        return
    assert [place for place, _ in faults] == [line]
    assert message in faults[0][1]


def test_an_editor_shows_what_a_key_is_and_completes_it(folder, server):
    path = folder / "hover.toml"
    path.write_text(GOOD + "\n[set]\n\n[search]\nmet\n", encoding="utf-8")
    server.open(path)
    assert "Clock of the cores [Hz]." in server.hover(path, 14, 3)
    assert "Conditions that every design meets" in server.hover(path, 4, 3)
    assert "switch_power" in server.completions(path, 17, 0)
    assert "method" in server.completions(path, 19, 3)
    path.unlink()


def test_a_number_without_its_unit_is_shown(folder):
    (folder / "bare.toml").write_text(GOOD.replace("[tables]", "[set]\nswitch_power = 100\n[tables]"), encoding="utf-8")
    code, told = checked(folder, "bare.toml")
    (folder / "bare.toml").unlink()
    assert code == 1
    assert "100 is not of type" in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("members = 1", "members = 0", "0 is less than the minimum of 1"),
        ("instructions =", "instruction =", "'instruction' was unexpected"),
        ('schema = "dse-profile/1"', 'schema = "dse-profile/2"', '"dse-profile/1" was expected'),
    ],
    ids=["too-small", "key", "version"],
)
def test_what_an_editor_shows_of_a_fault_of_a_profile(folder, old, new, words):
    text = (folder / "template-workload-profile.toml").read_text(encoding="utf-8")
    assert old in text
    (folder / "bad.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    code, said = checked(folder, "bad.toml")
    (folder / "bad.toml").unlink()
    assert code == 1
    assert words in said


def test_the_servers_are_installed():
    assert all(shutil.which(SERVERS / name) for name in ("taplo", "tombi"))
