"""What measured systems say of a run, as types, and where it is kept: ``falsification.json`` beside the manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from dse.run.disk.folder import RunFolder
from dse.run.disk.stored_document import as_type, read_document

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = [
    "FILE",
    "FalsificationAccount",
    "JudgedClass",
    "LeftOut",
    "MeasuredSystem",
    "NearestDesign",
    "NextVerdict",
    "read_falsification",
    "write_falsification",
]

FILE = "falsification.json"
_KEY = "falsification"
_LARGEST = 16_000_000  # bytes of a file that is read


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class NearestDesign(_Record):
    """The design that is most like a system: ratios to it by quantity, and those that are no more alike."""

    design: int
    ratios: dict[str, float]
    missing: list[str]


class LeftOut(_Record):
    """What a law that does not know a system gives over what was measured of it, and their distance in its errors."""

    ratio: float
    standard_errors: float


class NextVerdict(_Record):
    """What a system would say if it were so many times better in all that is known of it."""

    word: str
    times_better: float


class JudgedClass(_Record):
    """What is said of a class of systems.

    Attributes
    ----------
    name : str
    of : dict of str to list of str
        By choice, the members whose designs are of it.
    designs : int
        On the frontier.
    offered : bool
        Whether the space has designs of it.
    factor : float or None
        How many times one design of the frontier is better than the best design of an absent class, in every objective
        at once; None where that was not asked for, or no design of it that keeps the limits was met.
    best : int or None
        That design.
    law_error : float or None
        Standard deviation of the logarithm of what its laws give, where they declare one.
    taken_as_exact : bool
        Whether nothing that is not known tells its designs from those of other classes: then its law is in no draw.
    word : str
        The gravest verdict of a system of it: "contradicts": no statement is left; "weakens": probably, not more.
    by : list of str
        The systems with that verdict.
    """

    name: str
    of: dict[str, list[str]]
    designs: int
    offered: bool
    factor: float | None
    exact: bool
    best: int | None
    law_error: float | None
    taken_as_exact: bool
    word: str
    by: list[str]


class MeasuredSystem(_Record):
    """A measured system and its verdict; None where a figure is not known.

    Attributes
    ----------
    name, source, of_class : str
    present : bool
        Whether its class is on the frontier.
    word : str
        "agrees", "on the frontier", "weakens", "contradicts" or "says nothing".
    excess, factor, standard_errors, law_error : float
        As `dse.analysis.falsify.verdict.Verdict` has them.
    scale, limit
        How much of it is held against the frontier, and which limit asks for that.
    objectives : dict of str to float
        As measured, at that scale (SI).
    model_over_measured : dict of str to float
        By laws of the study, of each measured quantity.
    left_out : dict of str to LeftOut
        By law, what it gives without the system.
    doubted : bool
        Whether its figures are doubted, so that it is named and not believed.
    nearest : NearestDesign, optional
    next : NextVerdict, optional
        What would change the verdict.
    """

    name: str
    source: str
    of_class: str
    present: bool
    word: str
    excess: float | None
    factor: float | None
    standard_errors: float | None
    scale: float | None
    limit: str
    objectives: dict[str, float]
    model_over_measured: dict[str, float]
    left_out: dict[str, LeftOut]
    law_error: float | None
    doubted: bool
    nearest: NearestDesign | None
    next: NextVerdict | None


class FalsificationAccount(_Record):
    """All measured systems, their classes, those of which no statement is left, the user's file, the run it is of."""

    systems: list[MeasuredSystem]
    classes: list[JudgedClass]
    withdrawn: list[str]
    file: str
    digest: str

    @property
    def refuted(self) -> bool:
        """Whether a measured system contradicts the answer."""
        return bool(self.withdrawn)

    def of(self, word: str) -> list[MeasuredSystem]:
        """Return the systems with a verdict."""
        return [system for system in self.systems if system.word == word]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return self.model_dump()


def write_falsification(run: Run, account: FalsificationAccount) -> Path | None:
    """Keep it with a run, and write it into its folder; None where the run is in memory only."""
    run.learnt[_KEY] = account
    if run.folder is None:
        return None
    return RunFolder(run.folder).write_text(FILE, json.dumps(account.as_dict(), indent=1, allow_nan=False) + "\n")


def read_falsification(run: Run) -> FalsificationAccount | None:
    """Return what is stored; None where nothing is, or it belongs to another state of the run.

    Raises
    ------
    RunFolderError
        The file cannot be read.
    """
    known = run.learnt.get(_KEY)
    if isinstance(known, FalsificationAccount):
        return known
    again = f"dse trust {run.folder}, which writes it again"
    document = read_document(run.folder, FILE, _LARGEST, again)
    if document is None:
        return None
    account = as_type(FalsificationAccount, document, run.manifest.digest, Path(str(run.folder)) / FILE, again)
    if account is not None:
        run.learnt[_KEY] = account
    return account
