"""The options that make a variant of a study: a value, a limit, other objectives, something left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.errors import InputError
from dse.study.edit.variants import name_and_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dse.api import Run, Study

__all__ = [
    "Also",
    "Least",
    "Most",
    "Set",
    "Uncertain",
    "VariantName",
    "Where",
    "Without",
    "derived",
    "pairs",
    "values_of",
    "varied",
]

Set = Annotated[
    list[str],
    typer.Option(
        "--set",
        help='What if: an axis, parameter or assumption has one value, frequency="2.6 GHz"; a number of one part, '
        '"node_price[small]=12 kUSD". Several times.',
    ),
]
Where = Annotated[
    list[str], typer.Option("--where", help='What if: one more limit, "power <= 20 MW". May stand several times.')
]
Also = Annotated[list[str], typer.Option("--also", help="One more quantity to show. May stand several times.")]
Least = Annotated[
    list[str], typer.Option("--min", help="What if: minimise this instead of the study's objectives. Several times.")
]
Most = Annotated[
    list[str], typer.Option("--max", help="What if: maximise this instead of the study's objectives. Several times.")
]
Without = Annotated[
    list[str],
    typer.Option(
        "--without",
        help="What if: no nodes=64 (a value, a part), network=torus (of a choice), alternative=NAME, limit=power.",
    ),
]
Uncertain = Annotated[
    list[str],
    typer.Option(
        "--uncertain",
        help='What if: what is not known, NAME="within 5 %", "error 5 %", "from 1 W to 2 W", "none". Several times.',
    ),
]
VariantName = Annotated[
    str | None, typer.Option("--name", help="Name of the variant: runs/STUDY@NAME. Default: its changes, shortened.")
]


def pairs(option: str, items: Sequence[str], example: str) -> list[tuple[str, str]]:
    """Return name and value of each ``name=value``."""
    named = []
    for item in items:
        name, equals, value = name_and_value(item)
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"'{item}' is not name=value", key=option, allowed=example)
        named.append((name.strip(), value.strip()))
    return named


def values_of(items: Sequence[str]) -> dict[str, object]:
    """Return the values that ``--set`` gives, by name."""
    values: dict[str, object] = {}
    for name, value in pairs("--set", items, '--set nodes=16, --set frequency="2.6 GHz"'):
        if name in values:
            raise InputError(f"'{name}' stands twice", key="--set")
        values[name] = value
    return values


def varied(
    study: Study,
    *,
    set_: Sequence[str] = (),
    where: Sequence[str] = (),
    also: Sequence[str] = (),
    least: Sequence[str] = (),
    most: Sequence[str] = (),
    without: Sequence[str] = (),
    uncertain: Sequence[str] = (),
    name: str | None = None,
) -> Study:
    """Return the variant that the options ask for; the study itself where there are none."""
    if not (set_ or where or also or least or most or without or uncertain or name is not None):
        return study
    return study.with_(
        set=values_of(set_),
        where=where,
        also=also,
        minimize=least,
        maximize=most,
        without=pairs("--without", without, '--without nodes=64, --without device="MI250X"'),
        uncertain=dict(pairs("--uncertain", uncertain, '--uncertain nic_power="within 10 %"')),
        name=name,
    )


def derived(result: Run) -> dict[str, object] | None:
    """Return, for JSON, what the study of a run was derived from."""
    origin = result.manifest.derived_from
    return None if origin is None else origin.as_dict()
