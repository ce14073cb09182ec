"""The server of `dse open` as its page asks it: searches, pages, runs, studies; each job in a process of its own."""

import json
import re
import shutil

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from dse import Study
from dse.live.application import Begin, application
from dse.live.guard import Keys
from dse.live.workspace import Workspace

HOST = "127.0.0.1:40123"
pytestmark = pytest.mark.xdist_group("live server")


class Client(TestClient):
    """A browser that has opened the link: what it sends has the word of the page."""

    def change(self, path, **document):
        headers = {"origin": f"http://{HOST}", "x-dse-word": self.word}
        return self.post(path, json=document, headers=headers)

    def states(self, number):
        """What is told of a search until it has ended."""
        lines = self.get(f"/api/searches/{number}/events").text.split("\n")
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    def searched(self, study, tab="a", **variant):
        response = self.change("/api/searches", study=study, tab=tab, variant=variant)
        assert response.status_code == 202, response.text
        return self.states(response.json()["search"])[-1]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def client(root):
    keys = Keys()
    app = application(Workspace(root), keys, [HOST], Begin(study="ska-correlator"))
    with Client(app, base_url=f"http://{HOST}") as client:
        page = client.get("/", params={"token": keys.token})
        client.word = re.search('name="dse-word" content="([^"]+)"', page.text)[1]
        assert client.word == keys.word
        yield client


def test_the_page_has_nothing_from_elsewhere_and_no_script_of_its_own(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"https?://", page.text)
    for address in re.findall('(?:src|href)="(/static/[^"]+)"', page.text):
        assert client.get(address).status_code == 200
    for nowhere in ("/static/manifest.json", "/static/../serve.py", "/static/%2e%2e/serve.py", "/static/shell.html"):
        assert client.get(nowhere).status_code == 404


def test_a_search_of_a_variant_is_that_of_the_command_to_the_byte(client, root, tmp_path):
    state = client.searched("ska-correlator", where=["node_power <= 300 W"], without={"cores": ["96"]}, name="mine")
    assert state["status"] == "done"
    assert state["run"]["headline"] == "exact"
    assert state["command"] == 'dse run ska-correlator --where "node_power <= 300 W" --without cores=96 --name mine'
    study = Study.load("ska-correlator").with_(where="node_power <= 300 W", without={"cores": "96"}, name="mine")
    study.run(tmp_path / "by-hand")
    made = (root / "runs" / "ska-correlator@mine" / "frontier.parquet").read_bytes()
    assert made == (tmp_path / "by-hand" / "frontier.parquet").read_bytes()


def test_its_progress_is_told_until_its_end(client):
    number = client.change("/api/searches", study="ska-correlator", tab="b", variant={}).json()["search"]
    states = client.states(number)
    assert states[-1]["status"] == "done"
    assert states[-1]["designs"] == 960
    assert client.states(number) == states[-1:]  # who comes late is told the end
    assert client.get("/api/searches").json() == {"searches": []}


def test_what_is_wrong_is_told_as_the_command_tells_it(client):
    for variant, said in (
        ({"where": ["node_powr <= 300 W"]}, "did you mean 'node_power'"),
        ({"set": {"frequncy": "2 GHz"}}, "did you mean 'frequency'"),
        ({"set": {"frequency": "2 GW"}}, "GW"),
        ({"without": {"core_type": ["ARN"]}}, "did you mean 'ARM'"),
    ):
        state = client.searched("ska-correlator", **variant)
        assert state["status"] == "refused"
        assert said in state["error"]["message"]


def test_what_is_malformed_is_refused_and_nothing_is_begun(client):
    headers = {"origin": f"http://{HOST}", "x-dse-word": client.word, "content-type": "application/json"}
    for body in (b"", b"{", b"[]", b"\xff", b'{"study": 1}', b'{"study": "ska-correlator"}', b"null", b'{"a":' * 5000):
        assert client.post("/api/searches", content=body, headers=headers).status_code == 400, body[:20]
    for odd in ({"variant": {"sett": {}}}, {"variant": {"name": "../x"}}, {"fresh": "perhaps"}, {"more": 1}):
        response = client.change("/api/searches", study="ska-correlator", tab="a", **odd)
        assert response.status_code == 400, odd
    for study in ("../x.toml", "/etc/passwd", "nowhere"):
        assert client.change("/api/searches", study=study, tab="a").status_code == 400
    assert client.get("/api/searches").json() == {"searches": []}


def test_pages_of_runs_are_those_of_the_report(client, root):
    client.searched("ska-correlator", tab="c")
    page = client.get("/page", params={"run": "ska-correlator"})
    assert page.status_code == 200
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'sha256-" in page.text
    assert client.get("/page", params={"run": "ska-correlator"}).text == page.text
    for nowhere in ("", "../x", "nowhere"):
        assert client.get("/page", params={"run": nowhere}).status_code == 400


def test_runs_are_listed_noted_renamed_compared_and_exported(client, root):
    client.searched("ska-correlator", tab="d", where=["node_power <= 310 W"], name="first")
    client.searched("ska-correlator", tab="d", where=["node_power <= 320 W"], name="second")
    client.change("/api/note", run="ska-correlator@first", note="<b>cheap</b>")
    runs = {row["run"]: row for row in client.get("/api/runs").json()["runs"]}
    first = runs["ska-correlator@first"]
    assert (first["designs"], first["headline"], first["note"]) == (960, "exact", "<b>cheap</b>\n")
    assert "which processor correlates" in first["question"]
    assert first["changes"] == ['--where "node_power <= 310 W"']
    renamed = client.change("/api/rename", run="ska-correlator@second", name="later")
    assert renamed.json() == {"run": "later"}
    page = client.get("/comparison", params={"run": ["ska-correlator@first", "later"]})
    assert page.status_code == 200
    assert "node_power &lt;= 310 W" in page.text or "310 W" in page.text
    exported = client.get("/export", params={"run": "later", "format": "parquet"})
    (root / "later.parquet").write_bytes(exported.content)
    assert pq.read_table(root / "later.parquet").num_rows == runs["ska-correlator@second"]["frontier"]
    assert client.get("/export", params={"run": "later", "format": "xls"}).status_code == 400
    assert client.get("/export", params={"run": "later"}).text.startswith("name,")


def test_a_variant_becomes_a_study_with_the_same_frontier(client, root):
    variant = {"set": {"frequency": "2.6 GHz"}, "where": ["node_power <= 400 W"]}
    saved = client.change("/api/save", study="ska-correlator", name="saved", variant=variant)
    assert saved.json() == {"study": "saved.toml"}
    assert client.change("/api/save", study="ska-correlator", name="saved", variant=variant).status_code == 400
    assert client.searched("saved.toml")["run"]["frontier"] > 0
    client.searched("ska-correlator", **variant, name="same")
    frontiers = [(root / "runs" / name / "frontier.parquet").read_bytes() for name in ("saved", "ska-correlator@same")]
    assert frontiers[0] == frontiers[1]


def test_studies_are_read_checked_and_saved(client, root):
    assert {"study": "ska-correlator", "own": False}.items() <= next(
        own.items() for own in client.get("/api/studies").json()["studies"] if own["study"] == "ska-correlator"
    )
    text = client.get("/api/text", params={"study": "ska-correlator"}).json()["text"]
    wrong = text.replace("node_power", "node_powr", 1)
    checked = client.change("/api/check", study="ska-correlator", text=wrong).json()
    assert "did you mean" in checked["faults"][0]["message"] or checked["faults"]
    assert client.change("/api/text", study="own.toml", text=text, before=None).json() == {"study": "own.toml"}
    assert client.change("/api/text", study="own.toml", text=text + "# x", before=None).status_code == 400
    assert (root / "own.toml").read_text() == text
    assert client.get("/api/text", params={"study": "../own.toml"}).status_code == 400


def test_the_panel_of_a_variant_has_its_changes(client):
    client.searched("ska-correlator", tab="e", set={"frequency": "3.2 GHz"}, name="fast")
    panel = client.get("/api/panel", params={"run": "ska-correlator@fast"}).json()
    assert panel["variant"] == {"set": {"frequency": "3.2 GHz"}}
    assert panel["study"] == "ska-correlator"


MODEL = '''"""A model that waits until a file is there (made up)."""

import os
import time

import numpy as np

from dse import parameter, quantity

n = parameter(unit="1", doc="A number", minimum=0)
gate = parameter(unit="text", doc="The file it waits for")


@quantity(unit="1", source="invented", name="cost")
def cost(n, gate):
    """Cost of the number."""
    while not os.path.exists(str(np.ravel(gate)[0])):
        time.sleep(0.01)
    return n
'''


@pytest.fixture
def waiting(root):
    """A study whose search goes on until a file is there."""
    gate = root / "gate"
    gate.unlink(missing_ok=True)
    (root / "waits.py").write_text(MODEL)
    text = (
        f'name = "waits"\nmodels = ["waits.py"]\nobjectives = [{{ minimize = "cost" }}]\nset = {{ gate = "{gate}" }}\n'
    )
    (root / "waits.toml").write_text(text + "[space.axes]\nn = { values = [1, 2, 3] }\n")
    yield gate
    gate.touch()
    shutil.rmtree(root / "runs" / "waits", ignore_errors=True)


def test_a_second_change_stops_the_first_and_leaves_nothing_behind(client, root, waiting):
    first = client.change("/api/searches", study="waits.toml", tab="f", variant={"name": "x"}).json()
    again = client.change("/api/searches", study="waits.toml", tab="g", variant={"name": "x"}).json()
    assert again["search"] == first["search"]  # two tabs that want the same wait for one search
    client.searched("ska-correlator", tab="f")
    assert [own["search"] for own in client.get("/api/searches").json()["searches"]] == [first["search"]]
    second = client.searched("ska-correlator", tab="g")
    assert second["status"] == "done"
    assert client.states(first["search"])[-1]["status"] == "stopped"
    assert not (root / "runs" / "waits@x").exists()


def test_stop_ends_a_search_that_has_found_nothing(client, waiting):
    number = client.change("/api/searches", study="waits.toml", tab="h", variant={"name": "y"}).json()["search"]
    for _ in range(2):  # the first one waits for a round in which the model never answers
        assert client.change(f"/api/searches/{number}/stop").json()["status"] in ("stops", "stopped")
    assert client.states(number)[-1]["status"] == "stopped"
    assert client.change("/api/searches/nowhere/stop").status_code == 404
