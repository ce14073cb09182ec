"""Measured figures of real machines beside what the model gives by laws that do not know the machine.

``dse validate machines`` takes the machines that come with the project, ``--file`` another table of the same columns,
with the same laws. A figure outside the acceptance fails, unless the row has a note that says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dse.authoring.library.claims import Claim, Comparison
from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import Machine, catalogue, read_machines
from dse.models.machines.catalogue.figures import GRADIENT, LINPACK
from dse.models.machines.claims.listings import listings
from dse.models.machines.claims.records import records
from dse.models.machines.laws.comparison import Answer, answers
from dse.models.machines.laws.judgement import Judgement, judgement
from dse.models.machines.laws.rating_checks import LARGEST_PEAK, PeakCheck

__all__ = ["claims", "comparison", "write_page"]


def claims() -> list[Claim]:
    """Return every measured figure of the machines that come with the project, with what the model gives."""
    return [_claim(answer) for answer in answers(catalogue())]


def comparison(file: Path | None = None) -> Comparison:
    """Compare every machine of a table.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/machines/systems.csv``, or its name in ``spaces``. Default: that one.

    Raises
    ------
    InputError
        What is wrong with the table, a peak rate that is another unit's than the catalogue's, or that none of its
        machines has a figure with all that is needed to compute it.
    """
    machines = catalogue() if file is None else _machines(file)
    verdict = judgement(machines, own=file is None)
    if all(answer.error is None for answer in verdict.answers):
        why = "; ".join(dict.fromkeys(f"{answer.figure.title} {answer.note}" for answer in verdict.answers))
        raise InputError(f"no figure of any machine can be compared: {why}", file=file)
    _refuse_peaks(verdict.peaks, file)
    checked = tuple(_claim(answer) for answer in verdict.answers)
    name = "spaces/machines/systems.csv" if file is None else str(file)
    details = {"file": name} | records(verdict, checked)
    return Comparison(checked, details, listings(verdict, checked), tuple(_notes(verdict)))


def write_page(compared: Comparison, path: Path) -> Path:
    """Write a comparison as a page of figures and tables, and return the file."""
    from dse.models.machines.claims.page import write_page as write  # plotly is slow to load

    return write(compared, path)


def _machines(file: Path) -> Sequence[Machine]:
    inside = Path(str(files("dse.spaces"))) / file
    return read_machines(inside if not file.exists() and inside.is_file() else file, name=str(file))


def _refuse_peaks(peaks: Sequence[PeakCheck], file: Path | None) -> None:
    for peak in peaks:
        if peak.wrong:
            raise InputError(
                f"{peak.listed / 1e12:.4g} Tflop/s per {peak.machine.device}, but spaces/machines/devices.csv has "
                f"{peak.catalogued / 1e12:.4g}: the rate of another unit (matrices for vectors)?",
                file=file or "spaces/machines/systems.csv",
                key=f"{peak.machine.name}, rpeak_pflops",
                allowed=f"within {100 * LARGEST_PEAK:g} % of the catalogue's, or a peak_note that says why",
            )


def _claim(answer: Answer) -> Claim:
    figure, machine = answer.figure, answer.machine
    common: dict[str, Any] = {
        "model": "machines",
        "claim": f"{machine.name}: {figure.title}",
        "source": machine.source or "the table gives none",
        "published": answer.published,
        "computed": answer.computed,
        "unit": figure.unit,
        "note": answer.note,
        "of": figure.title,
    }
    if answer.computed is None or answer.published is None:
        return Claim(**common, kind="not checkable")
    if figure is GRADIENT:  # between half and twice: the smaller is at least half of the larger
        return Claim(**common, relative_tolerance=0.5)
    claim = Claim(**common, absolute_tolerance=answer.tolerance * answer.published)
    why = machine.peak_note if figure is LINPACK else machine.power_note
    if claim.status == "fail" and why:
        return Claim(**common | {"note": "; ".join(filter(None, (answer.note, why)))}, kind="miss")
    return claim


def _notes(judgement: Judgement) -> list[str]:
    notes = [f"{a.machine.name}, {a.figure.title}: {a.note}" for a in judgement.answers if a.note not in ("", _ABSENT)]
    for figure in dict.fromkeys(answer.figure for answer in judgement.answers):
        names = [a.machine.name for a in judgement.answers if a.figure is figure and a.note == _ABSENT]
        if names:
            notes.append(f"{figure.title} not published: {', '.join(names)}")
    return notes


_ABSENT = "not published"
