"""Records of references, as a manifest keeps them: found by name, and what is not computed of them, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dse.errors import InputError

__all__ = ["ReferenceRecord", "find_reference", "lacking_text", "reasons_text"]

ReferenceRecord = Mapping[str, Any]


def find_reference(names: Sequence[str], wanted: str) -> int:
    """Return the place of a reference by its label; upper and lower case are the same where one label fits.

    Raises
    ------
    InputError
        No such reference, with the nearest name.
    """
    if wanted in names:
        return names.index(wanted)
    alike = [place for place, name in enumerate(names) if name.casefold() == wanted.casefold()]
    if len(alike) == 1:
        return alike[0]
    several = [names[place] for place in alike]
    raise InputError(
        f"several references are called '{wanted}'" if several else f"there is no reference '{wanted}'",
        allowed=several or list(names) or "none, the study has no references",
        wrong=None if several else wanted,
        candidates=names,
    )


def lacking_text(records: Iterable[ReferenceRecord], quantities: Sequence[str]) -> list[str]:
    """Return a line for each reason for which some of these quantities are not computed, with whose they are.

    Parameters
    ----------
    records : iterable of dict
        As `ReferenceSystem.record` gives them.
    quantities : sequence of str
        Those that are shown.
    """
    having: dict[str, list[str]] = {}
    for record in records:
        for reason in reasons_text(record, quantities):
            having.setdefault(reason, []).append(record["name"])
    return [f"{', '.join(names)}: {reason}" for reason, names in having.items()]


def reasons_text(record: ReferenceRecord, quantities: Sequence[str]) -> list[str]:
    """Return a line for each reason for which some of these quantities are not computed of a reference."""
    lacking: dict[str, list[str]] = {}
    for name in quantities:
        if name in record["lacking"] and name not in record["values"]:
            lacking.setdefault(record["lacking"][name], []).append(name)
    return [f"no computed figure for {', '.join(names)} ({why})" for why, names in lacking.items()]
