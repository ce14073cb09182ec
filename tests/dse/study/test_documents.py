"""Files that a model reads with a reader of its own."""

import pytest

from dse import Study
from dse.errors import InputError

MODEL = '''
import json
from dataclasses import dataclass
from dse import parameter, quantity
from dse.authoring.declare.declaration import document_parameter
from dse.errors import InputError


@dataclass(frozen=True)
class Profile:
    name: str
    sources: tuple
    synthetic: bool
    work: float


def read(path):
    document = json.loads(path.read_text())
    if "work" not in document:
        raise InputError("the key 'work' is missing", file=path.name)
    return Profile(path.name, ("measured",), document.get("synthetic", False), document["work"])


profile = document_parameter(read=read, doc="What the program does")
nodes = parameter(unit="1", doc="Nodes")


@quantity(unit="s", source="this file")
def time(profile, nodes):
    """Time."""
    return profile.work / nodes
'''
STUDY = {
    "name": "documents",
    "models": ["model.py"],
    "objectives": [{"minimize": "time"}],
    "tables": {"profile": {"file": "profile.json"}},
    "space": {"axes": {"nodes": {"values": [1, 2, 4]}}},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "profile.json").write_text('{"work": 12.0}')
    return tmp_path


def test_a_function_gets_what_the_reader_returns(folder):
    for method in ("exhaustive", "bundles"):
        run = Study(STUDY, folder=folder).run(method=method)
        assert run.frontier["time"].tolist() == [3.0]
    assert "table profile.json" in run.manifest.hashes
    assert Study(STUDY, folder=folder).evaluate({"nodes": 3})["time"] == 4.0


def test_a_synthetic_document_is_labelled(folder):
    (folder / "profile.json").write_text('{"work": 12.0, "synthetic": true}')
    assert Study(STUDY, folder=folder).run().manifest.synthetic == ["profile.json"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"file": "profle.json"}, "tables.profile.file: no such file 'profle.json'"),
        ({"file": "profile.json", "where": {"a": 1}}, "tables.profile: a document has no rows to choose or to mark"),
        ({"file": "empty.json"}, "the key 'work' is missing"),
    ],
)
def test_wrong_documents(folder, change, told):
    (folder / "empty.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        Study({**STUDY, "tables": {"profile": change}}, folder=folder).run()
    assert told in str(caught.value)
