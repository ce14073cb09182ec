"""The question of a variant: figures in it that come from the study follow what is changed, or it is said beside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dse.errors import InputError
from dse.study.edit.plain_limits import PlainLimit, plain_limit
from dse.units import base_unit, factor

__all__ = ["changed_question"]

_FIGURE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%][\w%/^*]*)?\s*")
_BETWEEN = "[ \u00a0\u202f]?"  # thousands, and a number and its unit, stand apart by one of these, or not at all
_SHORTEST = 3  # digits of a bare number that is looked for: of shorter ones a text may hold others


class _Change(NamedTuple):
    """A figure of the study, what it becomes (empty: nothing), and how that is said beside the question."""

    old: str
    new: str
    note: str


def changed_question(question: str, before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """Return the question of a changed study.

    A figure of a limit or of a value that is set, which the question holds once and no other key of the study has, is
    replaced by the new one; of others that it holds the change is named behind it.

    Parameters
    ----------
    question : str
    before, after : dict
        The documents of the study and of its variant.

    Examples
    --------
    >>> old = {"constraints": ["power <= 20 MW"]}
    >>> changed_question("Which machine within 20 MW?", old, {"constraints": ["power <= 30 MW"]})
    'Which machine within 30 MW?'
    >>> changed_question("Which machine within 20 MW?", old, {"constraints": []})
    'Which machine within 20 MW? (Here without the limit power <= 20 MW.)'
    """
    changes = dict.fromkeys([*_limits(before, after), *_values(before, after)])  # alternatives may share one
    figures = Counter(_normal(figure) for figure in _figures(before))
    notes: list[str] = []
    replaced: list[tuple[int, int, str]] = []
    for change in changes:
        pattern = _pattern_of(change.old)
        hits = [*re.finditer(pattern, question)] if pattern else []
        if not hits:
            continue
        if change.new and len(hits) == 1 and figures[_normal(change.old)] == 1:
            replaced.append((*hits[0].span(), change.new))
        else:
            notes.append(change.note)
    for begin, end, new in sorted(replaced, reverse=True):
        question = f"{question[:begin]}{new}{question[end:]}"
    return f"{question} (Here {'; '.join(dict.fromkeys(notes))}.)" if notes else question


# ---- what changed ----------------------------------------------------------------------------------------------------


def _limits(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[_Change]:
    """Return each limit that is gone or that a further one of the same quantity is tighter than."""
    old, new = _constraints(before), _constraints(after)
    added = [limit for text in new if text not in old and (limit := plain_limit(text)) is not None]
    for text in old:
        limit = plain_limit(text)
        if limit is None:
            continue
        beside = [own for own in added if own[:2] == limit[:2]]
        gone = text not in new
        if beside and (gone or any(_tighter(own, limit) for own in beside)):
            tightest = beside[0]
            for own in beside[1:]:
                tightest = own if _tighter(own, tightest) else tightest
            yield _Change(limit.figure, tightest.figure, " ".join(tightest))
        elif gone:
            yield _Change(limit.figure, "", f"without the limit {' '.join(text.split())}")


def _values(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[_Change]:
    """Return each value that is another one, in the study, an alternative or a member of an index set."""
    old, new = dict(_set_values(before)), dict(_set_values(after))
    for place, value in old.items():
        other = new.get(place, value)
        if other != value:
            yield _Change(str(value), str(other), f"{place[-1]} = {other}")


def _set_values(document: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Return what is set in any table of a document, by its keys."""
    for key, value in document.items():
        if not isinstance(value, Mapping):
            continue
        if key == "set":
            yield from (((key, name), own) for name, own in value.items() if not isinstance(own, Mapping))
        else:
            yield from (((key, *place), own) for place, own in _set_values(value))


def _constraints(document: Mapping[str, object]) -> Sequence[str]:
    texts = document.get("constraints", [])
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, Sequence) else []


def _tighter(limit: PlainLimit, other: PlainLimit) -> bool:
    size, beside = _size(limit.figure), _size(other.figure)
    if size is None or beside is None:
        return False
    return size < beside if limit.relation.startswith("<") else size > beside


def _size(figure: str) -> float | None:
    """Return a figure in SI; None where it is none."""
    number, _, unit = figure.partition(" ")
    try:
        return float(number) * (factor(unit, base_unit(unit)) if unit else 1.0)
    except (ValueError, InputError):
        return None


# ---- where it stands in the question ---------------------------------------------------------------------------------


def _figures(document: Mapping[str, object]) -> Iterator[str]:
    for text in _constraints(document):
        if (limit := plain_limit(text)) is not None:
            yield limit.figure
    seen = {(place[-1], str(value)) for place, value in _set_values(document)}  # alternatives may share one
    yield from (value for _, value in seen)


def _normal(figure: str) -> str:
    return re.sub(r"[\s,_]", "", figure)


def _pattern_of(figure: str) -> str:
    """Return the pattern of a figure in a text; empty where it is not one to be looked for."""
    match = _FIGURE.fullmatch(figure.replace("_", ""))
    if match is None or (match[2] is None and len(match[1].replace(".", "")) < _SHORTEST):
        return ""
    whole, point, rest = match[1].partition(".")
    groups = [whole[max(0, end - 3) : end] for end in range(len(whole), 0, -3)][::-1]
    number = f"(?:{_BETWEEN}|,)".join(groups) + re.escape(point + rest)
    unit = f"{_BETWEEN}{re.escape(match[2])}" if match[2] else ""
    return rf"(?<![\w.,^]){number}{unit}(?![\w/^]|[.,][0-9])"
