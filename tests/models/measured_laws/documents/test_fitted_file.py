"""Files of fitted models: one format for all kinds, and files that were written before are read as they were.

The files in `written_before` were written by earlier commands, to SYNTHETIC runs; nobody measured them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import FIT_FORMAT, FittedDocument, read_fitted, write_fitted
from dse.models.measured_laws.kinds.energy.document import read_job_measurements
from dse.models.measured_laws.kinds.energy.fitted_file import EnergyModel
from dse.models.measured_laws.kinds.expectations.status_quo import read_status_quo
from dse.models.measured_laws.kinds.growth.fitted_file import FittedFile, read_law
from dse.models.measured_laws.kinds.scaling_factors.fitted_file import FittedFactors, as_document, read_factors_fit

BEFORE = Path(__file__).with_name("written_before")
KINDS = {"law": FittedFile, "energy": EnergyModel, "scaling-factors": FittedFactors}
FILES = {
    "law.json": "law",
    "law-without-noise.json": "law",
    "energy.json": "energy",
    "scaling-factors.json": "scaling-factors",
    "scaling-factors-without-hash.json": "scaling-factors",
}


def contains(whole, part):
    """Whether all of a document stands in another, which may have defaults beside it."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(contains(whole.get(key), value) for key, value in part.items())
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_written_before_is_read_and_written_again_as_it_was(name, tmp_path):
    given = json.loads((BEFORE / name).read_text(encoding="utf-8"))
    model = read_fitted(BEFORE / name, KINDS[FILES[name]])
    write_fitted(model, tmp_path / "again.json")
    again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    assert contains(again, given)
    assert list(again)[:6] == ["format", "kind", "source", "sha256", "date", "synthetic"]
    assert read_fitted(tmp_path / "again.json", KINDS[FILES[name]]) == model
    assert model.synthetic


def test_a_law_that_was_written_before_says_what_it_said():
    law = read_law(BEFORE / "law.json").content.model
    assert law.value(np.array([16384.0])) == pytest.approx(2.0040989209952724 + 303.3983192912184 / 16384)
    low, high = law.interval(16384.0)  # computed anew from the runs, with what is considered of them now
    assert low < 2.0 + 300.0 / 16384.0 < high
    assert law.law.noise is not None
    assert read_law(BEFORE / "law-without-noise.json").content.model.law.noise is None


def test_a_job_that_was_written_before_says_what_it_said():
    job = read_job_measurements(BEFORE / "energy.json")
    assert job.model.energy(225) == pytest.approx(27426506.40188137)  # the centre of its line
    assert (job.fitted_on.isoformat(), job.rmse_limit, job.sources) == ("2026-11-24", 5.0, ("a",))
    assert contains(
        json.loads(job.as_document().model_dump_json()),
        json.loads((BEFORE / "energy.json").read_text(encoding="utf-8")),
    )


def test_factors_that_were_written_before_say_what_they_said():
    whole, bare = (read_factors_fit(BEFORE / f"scaling-factors{name}.json") for name in ("", "-without-hash"))
    assert dict(whole.factors) == dict(bare.factors)
    assert (bare.sha256, bare.date, bare.source) == ("", "", "")
    balance = whole.factors["LB"]
    assert whole.factors["LB"].at(4096) == pytest.approx(balance.single / (1 + balance.growth * (16 - 1)))
    assert float(whole.efficiency(4096)) == pytest.approx(0.8355, abs=5e-5)  # as `dse scaling show` printed it then
    assert as_document(whole) == read_fitted(BEFORE / "scaling-factors.json", FittedFactors)


def test_a_status_quo_that_was_written_before_is_read():
    laws = read_status_quo(BEFORE / "status-quo.toml")
    assert list(laws) == ["bcast", "reduce", "allreduce"]
    assert laws["bcast"].at(1024.0) == pytest.approx(11e-6)
    assert laws["allreduce"].at(2048.0) == pytest.approx(2.048e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("{", None, "is no JSON"),
        ("\xff", None, "is no JSON"),
        ("[" * 200_000, None, "is no JSON"),
        ("[]", "format", "format None"),
        ('{"format": "dse-fit/9"}', "format", "format 'dse-fit/9'"),
        ('{"format": "dse-fit/1"}', "kind", "no kind"),
        ('{"format": "dse-fit/1", "kind": "magic"}', "kind", "kind 'magic'"),
        ('{"format": "dse-fit/1", "kind": KIND, "magic": 1}', "", "Field required"),
    ],
)
def test_a_fault_is_said_alike_of_every_kind(tmp_path, kind, text, key, problem):
    file = tmp_path / "fit.json"
    file.write_text(text.replace("KIND", json.dumps(kind)), encoding="latin-1")
    with pytest.raises(InputError, match=problem) as caught:
        read_fitted(file, KINDS[kind])
    assert caught.value.file == str(file)
    assert caught.value.key == key if key != "" else caught.value.key


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path, monkeypatch, kind):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_fitted(tmp_path / "none.json", KINDS[kind])
    monkeypatch.setattr(KINDS[kind], "largest", 10)
    (tmp_path / "large.json").write_text(" " * 11)
    with pytest.raises(InputError, match="is too large; allowed: at most 10 bytes"):
        read_fitted(tmp_path / "large.json", KINDS[kind])


def test_a_file_is_never_overwritten(tmp_path):
    model = read_fitted(BEFORE / "energy.json", EnergyModel)
    write_fitted(model, tmp_path / "fit.json")
    written = (tmp_path / "fit.json").read_bytes()
    with pytest.raises(InputError, match="it is not overwritten"):
        write_fitted(model, tmp_path / "fit.json")
    assert (tmp_path / "fit.json").read_bytes() == written
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_fitted(model, tmp_path / "none" / "fit.json")


def test_every_kind_has_its_name_and_format():
    for name, kind in KINDS.items():
        assert issubclass(kind, FittedDocument)
        assert (kind.kind_name(), kind.model_fields["format"].default) == (name, FIT_FORMAT)
