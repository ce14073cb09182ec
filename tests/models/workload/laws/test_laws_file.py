"""The file of laws: what is written is what is read, and what is no such file is refused."""

import json

import pytest
from grid_runs import PROFILES, laws

from dse.errors import InputError
from dse.models.workload.laws.laws_file import read_laws, read_program, write_laws
from dse.models.workload.profile.profile import WorkloadProfile


@pytest.fixture
def file(tmp_path):
    return write_laws(laws("cg"), tmp_path / "cg.laws.json")


def test_laws_are_the_same_after_reading(file):
    found = read_laws(file)
    assert found.at(16384, 2048).classes == laws("cg").at(16384, 2048).classes
    point = found.point(256, 2048)
    assert found.band(point) == laws("cg").band(point)
    assert found.pattern == laws("cg").pattern
    assert found.notes == laws("cg").notes
    assert not found.warnings
    assert file.stat().st_size < 100_000
    assert found.at(16384, 2048) is found.at(16384, 2048)


def test_a_study_reads_either_kind(file):
    assert read_program(file).program == "cg"
    assert isinstance(read_program(PROFILES / "cg-12-8.json"), WorkloadProfile)


def test_an_existing_file_is_kept(file):
    with pytest.raises(InputError, match="not overwritten"):
        write_laws(laws("cg"), file)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d.update(schema="dse-profile-laws/2"), "schema: is 'dse-profile-laws/2'"),
        (lambda d: d.pop("sizes"), "sizes: Field required"),
        (lambda d: d["sizes"][0].update(expression="m**3"), "'m' is no parameter"),
        (lambda d: d["classes"][0]["laws"].append(d["classes"][0]["laws"][0]), "stands twice"),
        (lambda d: d["classes"][0]["laws"].pop(0), "has no law of the instructions"),
        (lambda d: d["classes"][0]["reuse"][0]["upto"][0].pop(), "do not belong together"),
    ],
)
def test_edited_files_are_refused(file, change, problem):
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    with pytest.raises(InputError, match=problem):
        read_laws(file)


def test_missing_hashes_are_a_warning(file):
    document = json.loads(file.read_text())
    document["runs"][0]["sha256"] = ""
    file.write_text(json.dumps(document))
    assert "SHA-256 of runs is missing" in read_laws(file).warnings[0]


def test_ranks_and_sizes_that_are_none(file):
    found = read_laws(file)
    with pytest.raises(InputError, match="whole number"):
        found.at(2.5, 48)
    with pytest.raises(InputError, match="no value of 'n'"):
        found.at(8)
    with pytest.raises(InputError, match="1 parameter, and 2 are given"):
        found.at(8, 48, 3)
    assert found.most_ranks(48) == 48**3
