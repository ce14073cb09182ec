"""How sure a run is, as types, and where it is kept: ``trust.json`` beside the manifest it belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from dse.errors import RunFolderError
from dse.run.disk.folder import RunFolder
from dse.run.disk.stored_document import as_type, read_document
from dse.run.result.notebook_html import html_heading, html_lines, html_table

if TYPE_CHECKING:
    from dse.evaluation.unknowns import Unknown
    from dse.run.result.run import Run

__all__ = [
    "FILE",
    "DecidedDesign",
    "Decision",
    "UncertaintyAccount",
    "UnknownAccount",
    "read_beside",
    "read_uncertainty",
    "write_beside",
    "write_uncertainty",
]

FILE = "trust.json"
_BESIDE = frozenset(["why", "how_sure"])  # keys that others keep in it, and check
_LARGEST = 64_000_000  # bytes of a file that is read


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True, defer_build=True)


class UnknownAccount(_Record):
    """Something that is not known: its interval in SI, or as a deviation where it is `relative`.

    `shared` is the share that all designs have in common, `each` the axis whose rows have one each.
    """

    name: str
    low: float = Field(alias="from")
    high: float = Field(alias="to")
    relative: bool
    shared: float
    each: str
    rows: dict[str, tuple[float, float]]
    distribution: str
    source: str

    @classmethod
    def of(cls, unknown: Unknown) -> UnknownAccount:
        """Return the account of an unknown."""
        return cls.model_validate(
            {
                "name": unknown.quantity,
                "from": unknown.low,
                "to": unknown.high,
                "relative": unknown.relative,
                "shared": unknown.weight if unknown.scope == "shared" else 0.0,
                "each": unknown.axis,
                "rows": dict(unknown.rows),
                "distribution": unknown.distribution,
                "source": unknown.source,
            }
        )


class DecidedDesign(_Record):
    """A design that is best in some draw, or robust: probabilities and regret (None: it never meets the limits)."""

    design: int
    parameters: dict[str, str]
    best: float
    meets: float
    expected: float | None
    greatest: float | None


class Decision(_Record):
    """What a query decides over all draws.

    Attributes
    ----------
    rule : str
        In words.
    quantity, sense : str
    draws, unanswered : int
        How many, and in how many of them no design meets the limits.
    values : dict of str to dict of str to float
        By axis, part, choice or alternative: the probability that the best design has each of its values.
    designs : list of DecidedDesign
    relative : bool
        Whether regret is a share of the best value; else a difference in its unit.
    holding : list of int
        The fewest designs, taken greedily, that hold the best one in 95 % of draws.
    meets : float
        In which share of draws a robust design meets the limits.
    robust, cautious : int or None
        Of those the design with the least expected regret, and the one with the least greatest regret.
    """

    rule: str
    quantity: str
    sense: str
    draws: int
    unanswered: int
    values: dict[str, Annotated[dict[str, float], Field(min_length=1)]]
    designs: list[DecidedDesign]
    relative: bool
    holding: list[int]
    meets: float
    robust: int | None
    cautious: int | None

    def of(self, design: int | None) -> DecidedDesign | None:
        """Return the record of a design."""
        return next((record for record in self.designs if record.design == design), None)


class UncertaintyAccount(_Record):
    """What is sure of a run; what other commands keep beside it in the same file stays.

    Attributes
    ----------
    unknowns : list of UnknownAccount
    certain, possible : list of int
        Designs that are on the frontier at every value, and those that may be at some, as far as that is decided.
    undecided : dict
        ``certain``: designs that no draw shows to be uncertain, and no bound to be certain; ``possible``: those of
        `possible` that no draw has on the frontier.
    cells : int
        Into how many parts the values were cut.
    stopped : str
        Why there are no more: "decided", "cells", "work", or "alone" (designs share nothing that is not known).
    refused : str
        Why nothing certain is told; empty where it is.
    seen : dict
        How many candidates were on the frontier in any draw (``ever``) and in all (``always``).
    probability : dict of str to float
        By design number, of designs that were on the frontier in some draw.
    error : float
        The largest standard error of a probability.
    draws, seed, candidates : int
    complete : bool
        Whether the candidates hold every possible design.
    origin : str
        Who the candidates are, in words, where they are neither all possible designs nor the frontier's neighbours.
    ends : dict
        How many designs are certain and possible where designs share all errors, and where they share none.
    classes : int
        How many of the possible designs differ in the bounds of their objectives.
    robust : dict
        ``half``: designs with a probability of a half and more; ``holding``: those of the first decision.
    decisions : list of Decision
    notes : list of str
    digest : str
        That of the manifest it belongs to.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)

    unknowns: list[UnknownAccount]
    certain: list[int]
    possible: list[int]
    undecided: dict[str, int]
    cells: int
    stopped: str
    refused: str
    seen: dict[str, int]
    probability: dict[str, float]
    error: float
    draws: int
    seed: int
    candidates: int
    complete: bool
    ends: dict[str, dict[str, int]]
    classes: int
    robust: dict[str, list[int]]
    origin: str = ""
    decisions: list[Decision]
    notes: list[str] = []
    digest: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return self.model_dump(by_alias=True)

    def _repr_html_(self) -> str:
        """Show in a notebook how many designs are certain and possible, and what each decision is, with its shares."""
        known = f"{len(self.certain)} designs are certain, {len(self.possible)} possible"
        rows = [
            (decision.rule, name, ", ".join(f"{value} {100.0 * share:.0f} %" for value, share in values.items()))
            for decision in self.decisions
            for name, values in decision.values.items()
        ]
        lines = [self.refused or known, f"{self.draws} draws over {self.candidates} candidates", *self.notes]
        return html_heading("how sure it is") + html_lines(lines) + html_table(["decision", "of", "shares"], rows)


def write_uncertainty(run: Run, trust: UncertaintyAccount) -> Path | None:
    """Write how sure a run is into its folder; None where it is in memory only."""
    if run.folder is None:
        return None
    return _merged(Path(run.folder), trust.as_dict(), trust.digest)


def write_beside(run: Run, key: str, value: dict[str, object]) -> Path | None:
    """Write what another command found into the same file; None where the run is in memory only."""
    if run.folder is None:
        return None
    digest = run.manifest.digest
    return _merged(Path(run.folder), {key: value, "digest": digest}, digest)


def _merged(folder: Path, document: dict[str, object], digest: str) -> Path:
    """Write a document over what the file holds of the same state of the run."""
    before = _stored(folder)
    kept = before if before.get("digest") == digest else {}
    text = json.dumps({**kept, **document}, indent=1, allow_nan=False)
    return RunFolder(folder).write_text(FILE, text + "\n")


def read_beside(run: Run, key: str, again: str) -> object:
    """Return what another command keeps in the file, unchecked; None where there is nothing of this state of the run.

    Parameters
    ----------
    run : Run
    key : str
    again : str
        What writes it again, for the message.

    Raises
    ------
    RunFolderError
        The file is no JSON object, or too large.
    """
    document = read_document(run.folder, FILE, _LARGEST, again)
    return document.get(key) if document and document.get("digest") == run.manifest.digest else None


def _stored(folder: Path) -> dict[str, object]:
    """Return what the file holds; nothing where it cannot be read, as it is written anew."""
    try:
        return read_document(folder, FILE, _LARGEST, "") or {}
    except RunFolderError:
        return {}


def read_uncertainty(run: Run) -> UncertaintyAccount | None:
    """Return how sure a run is; None where nothing is stored, or what is stored belongs to another state of it.

    Raises
    ------
    RunFolderError
        The file cannot be read.
    """
    again = f"dse trust {run.folder}, which writes it again"
    document = read_document(run.folder, FILE, _LARGEST, again)
    if document is None:
        return None
    if not _BESIDE.isdisjoint(document):
        document = {key: value for key, value in document.items() if key not in _BESIDE}
        if document.keys() <= {"digest"}:
            return None
    return as_type(UncertaintyAccount, document, run.manifest.digest, Path(str(run.folder)) / FILE, again)
