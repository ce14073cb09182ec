"""How sure the answer of a run is, as types: what each objective decides, how probably, and what would flip it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from dse.errors import InputError, refuse_control
from dse.run.result.uncertainty_account import UnknownAccount, read_beside, write_beside

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["KEY", "BestIn", "Decided", "Flip", "HowSure", "What", "digest_of"]
__all__ += ["read_how_sure", "write_how_sure"]

KEY = "how_sure"
"""The key it stands under in the file that `dse trust` writes, too."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class Flip(_Record):
    """The one unknown, and the value of it, beyond which another choice is best more often than the first.

    Attributes
    ----------
    unknown, part : str
        The quantity, and the row of its axis where each has its own.
    above : bool
        Whether it flips above the value, or below.
    value : float
        SI, or a deviation where it is `relative`.
    relative : bool
    winner : str
        What is best there most often.
    share, elsewhere : float
        Of the draws there, and of the others: in how many it is.
    side : float
        Which share of all draws is there.
    """

    unknown: str
    part: str
    above: bool
    value: float
    relative: bool
    winner: str
    share: float
    elsewhere: float
    side: float


class What(_Record):
    """One choice - an alternative, a part, an axis - with the probability of each value, the most probable first."""

    name: str
    values: dict[str, float]
    flip: Flip | None = None


class BestIn(_Record):
    """A design that is the best in some draws."""

    design: int
    share: float


class Decided(_Record):
    """What is decided of one objective, or of the knee.

    Attributes
    ----------
    quantity, sense : str
        Empty for the knee.
    unanswered : float
        In which share of draws no design meets the limits.
    what : list of What
        Choices in which designs differ.
    designs : list of BestIn
        The most probable first; at most 20.
    """

    quantity: str
    sense: str
    unanswered: float
    what: list[What]
    designs: list[BestIn]


class HowSure(_Record):
    """How sure an answer is.

    Attributes
    ----------
    way : {"bounds and rows", "frontier", "in full", "sampled", "estimated"}
        Who the candidates are: what may be possible, thinned within rows that share their unknowns; the space or the
        frontier's neighbours, where no bounds can be had; those of ``dse trust``; frontiers at sampled values;
        climbing.
    draws, seed, candidates, possible : int
    complete : bool
        Whether no candidate can be missing.
    decided : list of Decided
        None of them where it was not in time.
    frontier : dict of str to float
        Share of draws in which designs of the frontier are on it, by number.
    unknowns : list of UnknownAccount
    missing : list of str
        Quantities that rest on laws of which no error is known: not in the probability.
    few : dict of str to dict of str to int
        By quantity the parts of the frontier whose law rests on few measurements, with how many.
    late : bool
        Whether it was not in time.
    seconds : float or None
        What it was expected to take, where that is known.
    refused : str
        Why nothing can be said, where that is no question of time.
    origin : str
        Who the candidates are, in words, where they are "sampled" or "estimated".
    took : float or None
        Seconds of the processor an estimate took.
    numbers : list of int
        Designs that hold every possible one, where that is proved and they are few: `dse trust` begins with them.
    of : str
        Digest of the unknowns they belong to.
    """

    way: Literal["bounds and rows", "frontier", "in full", "sampled", "estimated"] = "bounds and rows"
    draws: int = 0
    seed: int = 0
    candidates: int = 0
    possible: int = 0
    complete: bool = True
    decided: list[Decided] = []
    frontier: dict[str, float] = {}
    unknowns: list[UnknownAccount] = []
    missing: list[str] = []
    few: dict[str, dict[str, int]] = {}
    late: bool = False
    seconds: float | None = None
    refused: str = ""
    origin: str = ""
    took: float | None = None
    numbers: list[int] = []
    of: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return self.model_dump(by_alias=True, exclude={"numbers", "of"})


def digest_of(unknowns: Sequence[UnknownAccount]) -> str:
    """Return a digest of what is not known."""
    texts = [unknown.model_dump_json(by_alias=True) for unknown in unknowns]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def write_how_sure(run: Run, how_sure: HowSure) -> None:
    """Keep it with a run, and in its folder where it has one."""
    run.learnt[KEY] = how_sure
    write_beside(run, KEY, how_sure.model_dump(by_alias=True))


def read_how_sure(run: Run) -> HowSure | None:
    """Return how sure a run is; None where nobody asked, or what is stored is of another state of the run.

    Raises
    ------
    RunFolderError
        The file cannot be read.
    """
    known = run.learnt.get(KEY)
    if isinstance(known, HowSure):
        return known
    document = read_beside(run, KEY, f"dse trust {run.folder}, which writes it again")
    if document is None:
        return None
    try:
        refuse_control(document)
        stored = HowSure.model_validate(document)
    except (ValueError, RecursionError, ValidationError, InputError):
        return None
    run.learnt[KEY] = stored
    return stored
