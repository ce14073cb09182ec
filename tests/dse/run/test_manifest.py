"""Manifests as files: those of older versions, and what newer ones may add."""

import json
from pathlib import Path

import pytest

from dse.errors import RunFolderError
from dse.run.disk.manifest import Manifest, read_manifest
from dse.run.disk.seal import manifest_digest

OLD = Path(__file__).parent / "data/manifest-before-types.json"
"""Written by `dse run ska-correlator` before manifests were read as types; its folders are made up."""


def with_digest(document):
    """Anybody can compute it: it shows that a manifest is whole, not who wrote it."""
    return {**document, "digest": manifest_digest(document)}


@pytest.fixture
def document():
    return json.loads(OLD.read_text(encoding="utf-8"))


def test_one_without_a_digest_is_refused(document):
    with pytest.raises(RunFolderError, match="'digest' is missing; an older version of dse wrote it"):
        read_manifest(document, OLD)


def test_an_old_manifest_is_read_and_dumped_as_it_was(document):
    document = with_digest(document)
    manifest = read_manifest(document, OLD)
    unknown = {
        "checked": None,
        "evolution": None,
        "tolerance": None,
        "stopped": None,
        "gap": None,
        "accepted": None,
    }  # which its search knew nothing of
    certificate = {**document["certificate"], **unknown}
    assert manifest.as_dict() == {**document, "certificate": certificate}
    assert manifest.certificate.exact is True
    assert [axis.name for axis in manifest.space.alternatives[0].axes][:2] == ["core_type", "cores"]


def test_what_a_newer_version_adds_is_kept(document):
    """Beside the rest and in its records; the certificate keeps to what it knows."""
    document["learnt"] = {"later": 1}
    document["space"]["shape"] = "torus"
    document["certificate"]["sealed"] = True
    manifest = read_manifest(with_digest(document), OLD)
    dumped = manifest.as_dict()
    assert (dumped["learnt"], dumped["space"]["shape"]) == ({"later": 1}, "torus")
    assert "sealed" not in dumped["certificate"]


@pytest.mark.parametrize("key", ["certificate", "sources", "timings", "space"])
def test_what_is_missing_is_named(document, key):
    del document[key]
    with pytest.raises(RunFolderError, match=f"'{key}' is missing; the file is damaged"):
        read_manifest(with_digest(document), OLD)


def test_a_manifest_does_not_change(document):
    manifest = Manifest.model_validate(document)
    with pytest.raises(ValueError, match="frozen"):
        manifest.name = "other"
