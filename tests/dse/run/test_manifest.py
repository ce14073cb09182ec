"""Manifests as files: those of older versions, and what newer ones may add."""

import json
from pathlib import Path

import pytest

from dse.errors import RunFolderError
from dse.run.manifest import Manifest, read_manifest

OLD = Path(__file__).parent / "data/manifest-before-types.json"
"""Written by `dse run ska-correlator` before manifests were read as types; its folders are made up."""


@pytest.fixture
def document():
    return json.loads(OLD.read_text(encoding="utf-8"))


def test_an_old_manifest_is_read_and_dumped_as_it_was(document):
    manifest = read_manifest(document, OLD)
    assert manifest.as_dict() == document
    assert manifest.certificate.exact is True
    assert [axis.name for axis in manifest.space.alternatives[0].axes][:2] == ["core_type", "cores"]


def test_what_a_newer_version_adds_is_kept(document):
    """Beside the rest and in its records; the certificate keeps to what it knows."""
    document["learnt"] = {"later": 1}
    document["space"]["shape"] = "torus"
    document["certificate"]["sealed"] = True
    manifest = read_manifest(document, OLD)
    dumped = manifest.as_dict()
    assert (dumped["learnt"], dumped["space"]["shape"]) == ({"later": 1}, "torus")
    assert "sealed" not in dumped["certificate"]


@pytest.mark.parametrize("key", ["certificate", "sources", "timings", "space"])
def test_what_is_missing_is_named(document, key):
    del document[key]
    with pytest.raises(RunFolderError, match=f"'{key}' is missing; the file is damaged"):
        read_manifest(document, OLD)


def test_a_manifest_does_not_change(document):
    manifest = Manifest.model_validate(document)
    with pytest.raises(ValueError, match="frozen"):
        manifest.name = "other"
