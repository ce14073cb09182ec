"""The errors a user can meet: one sentence that says where, what, what is allowed and what was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

__all__ = [
    "ClusterError",
    "ContradictedError",
    "InputError",
    "MissingQuantityError",
    "ModelError",
    "NonFiniteError",
    "RunFolderError",
    "TooManyCombinationsError",
    "nearest",
    "nearest_names",
    "one_of",
    "quoted",
    "refuse_control",
    "shown",
    "visible",
]

_LONGEST = 60
_MEANT = 3  # names that a misspelt one may have been meant to be
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # all but tab and end of line


class InputError(ValueError):
    """The input is wrong: a study file, a catalogue, a command line. Exit code 2.

    Parameters
    ----------
    problem : str
        What is wrong, with the offending value.
    file : path, optional
        The file the value stands in.
    key : str, optional
        The path of the key inside the file, such as ``space.axes.frequency.values[3]``.
    allowed : str or sequence of str, optional
        What may stand there.
    wrong, candidates : str, sequence of str, optional
        A misspelt name and the valid ones; the nearest is proposed.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | PathLike[str] | None = None,
        key: str | None = None,
        allowed: str | Sequence[str] | None = None,
        wrong: str | None = None,
        candidates: Iterable[str] = (),
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.key = key
        self.allowed = allowed
        self._wrong, self._candidates = wrong, tuple(candidates) if wrong is not None else ()
        super().__init__(problem)

    @cached_property
    def meant(self) -> list[str]:
        """The valid names that a misspelt one was probably meant to be; looked for when somebody asks."""
        return nearest_names(self._wrong, self._candidates) if self._wrong is not None else []

    def __str__(self) -> str:
        places = [place for place in (self.file, self.key) if place]
        text = ": ".join([*places, self.problem])
        if self.allowed:
            allowed = self.allowed if isinstance(self.allowed, str) else one_of(self.allowed)
            text += f"; allowed: {allowed}"
        if self.meant:
            text += f"; did you mean {quoted(self.meant)}?"
        return text

    @property
    def nearest(self) -> str | None:
        """The valid name that is nearest to a misspelt one."""
        return self.meant[0] if self.meant else None

    def within(self, *, file: str | PathLike[str] | None = None, key: str | None = None) -> InputError:
        """Return the same error with the file and the outer key path filled in, where they were not known yet."""
        self.file = self.file or (None if file is None else str(file))
        if key:
            self.key = f"{key}.{self.key}" if self.key else key
        return self


class ModelError(TypeError):
    """A model function breaks its contract (shape, unit, range form): the fault of the model, not of the study."""


class ContradictedError(RuntimeError):
    """A frontier that its own check contradicts: a fault of dse. Exit code 70, and nothing is written."""


class NonFiniteError(InputError):
    """An objective or a constraint of a design is NaN or infinite."""


class NegativeError(InputError):
    """A time, a power, an energy … of a feasible design is negative."""


class MissingQuantityError(InputError):
    """Quantities that nothing in a study gives: the first in full, and the names of the others.

    Parameters
    ----------
    problem : str
        What is said of the first.
    missing : dict of str to str, optional
        All of them, the first one first, each as it stands in a list: "width [1]".
    **rest
        As of `InputError`.
    """

    def __init__(self, problem: str, *, missing: Mapping[str, str] | None = None, **rest: Any) -> None:
        self.missing = dict(missing or {})
        self._first = problem
        self._advice = ""
        super().__init__(problem, **rest)
        self._compose()

    def _compose(self) -> None:
        others = [*self.missing.values()][1:]
        self.problem = self._first + (f"; also missing: {one_of(others, limit=24)}" if others else "") + self._advice
        self.within()

    def joined(self, missing: Mapping[str, str]) -> MissingQuantityError:
        """Return the same error with further quantities after its own, and other words for those it has."""
        self.missing = {name: missing.get(name, text) for name, text in self.missing.items()} | {
            name: text for name, text in missing.items() if name not in self.missing
        }
        self._compose()
        return self

    def only_in(self, place: str) -> None:
        """Say of which alternatives the first is missing."""
        self._first += f" ({place})"
        self._compose()

    def given_by(
        self, models: Mapping[str, Sequence[str]], components: Mapping[str, str] | None = None
    ) -> MissingQuantityError:
        """Return the same error with what would give what is missing, by quantity: models, or components in words."""
        words = {name: _models_text(giving) for name, giving in models.items()} | dict(components or {})
        first, *others = [*self.missing] or [""]
        if first in words:
            advice = words[first]
            if self._first.startswith("unknown quantity"):
                self._first = f"missing '{first}': {advice}"
            else:
                self._first = self._first.removesuffix(": no model gives it") + f": {advice}"
            self.allowed, self.meant = None, []
        clauses = [f"'{name}': {words[name]}" for name in others if name in words]
        self._advice = "".join(f"; {text}" for text in clauses)
        self._compose()
        return self


def _models_text(models: Sequence[str]) -> str:
    named = " or ".join(f"`{name}`" for name in models)
    return f"model {named} gives it (add {'it' if len(models) == 1 else 'one'} to `models`)"


class TooManyCombinationsError(InputError):
    """A model function is asked for more combinations than it takes; the engine adds which axes they come from."""


class RunFolderError(InputError):
    """A run folder cannot be written, read, or belongs to another study."""


class ClusterError(InputError):
    """A cluster cannot be used, or it refuses; `interrupted`: it was lost on the way, and what was finished is kept."""

    interrupted = False


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that `name` was probably meant to be, or None."""
    return next(iter(nearest_names(name, candidates)), None)


def nearest_names(name: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidates that `name` was probably meant to be, three at most, the nearest first.

    One that is spelt alike stands alone; else those of which a word begins with the name, or that it begins with.
    """
    pool = list(dict.fromkeys(candidates))
    folded = {candidate.casefold(): candidate for candidate in reversed(pool)}
    if name.casefold() in folded:
        return [folded[name.casefold()]]
    close = difflib.get_close_matches(name, pool, n=1, cutoff=0.6)
    if close:
        return close
    begun = [
        other
        for other in pool
        if min(len(name), len(other)) > 2
        and (name.startswith(other) or any(part.startswith(name) for part in (other, *other.split("_"))))
    ]
    return sorted(begun, key=len)[:_MEANT]


def quoted(names: Sequence[str]) -> str:
    """Return names in quotes: "'a', 'b' or 'c'"."""
    each = [f"'{name}'" for name in names]
    return " or ".join([", ".join(each[:-1]), each[-1]] if len(each) > 1 else each)


def one_of(names: Iterable[str], limit: int = 12) -> str:
    """List names for a message: all of them when few, the first ones and the number of the others when many."""
    pool = [str(name) for name in names]
    if len(pool) <= limit:
        return ", ".join(pool)
    return ", ".join(pool[:limit]) + f", … ({len(pool) - limit} more)"


def shown(value: Any) -> str:
    """Write a wrong value for a message: a number of an array in full, any other as it stands in a file, if short."""
    if getattr(value, "ndim", None) == 0 and value.dtype.kind in "biuf":
        return f"{float(value):.16g}"
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole numbers of thousands of digits
        text = "a whole number of thousands of digits"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"


def visible(text: str) -> str:
    """Return a text for a terminal: control characters, which may move its cursor or set its title, are spelled out."""
    return _UNPRINTED.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def refuse_control(
    value: object,
    *,
    file: str | PathLike[str] | None = None,
    key: str = "",
    lines: Iterable[str] = (),
) -> None:
    """Refuse control characters in the keys and texts of a document, a list of texts, or a text.

    Parameters
    ----------
    value : object
        Mappings and sequences of anything, as a file gave them.
    file, key : optional
        Where it stands, for the message.
    lines : sequence of str
        The keys below which texts may have several lines, and tabs.
    """
    if isinstance(value, str):
        named = key.replace("]", "").replace("[", ".").split(".")
        match = (_UNPRINTED if not set(lines).isdisjoint(named) else _CONTROL).search(value)
        if match is not None:
            raise InputError(
                f"{shown(value)} has the control character U+{ord(match[0]):04X}",
                file=file,
                key=key or None,
                allowed="text that can be printed",
            )
    elif isinstance(value, Mapping):
        for name, item in value.items():
            refuse_control(str(name), file=file, key=key, lines=lines)
            refuse_control(item, file=file, key=f"{key}.{name}" if key else str(name), lines=lines)
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            refuse_control(item, file=file, key=f"{key}[{position}]", lines=lines)
