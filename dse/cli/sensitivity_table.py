"""What a percent more would change, as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from dse.cli.output import say, shown, table

if TYPE_CHECKING:
    from dse.analysis.explanation import Effect, Sensitivity

__all__ = ["print_sensitivities"]

_MOST = 10


def print_sensitivities(rows: Sequence[Sensitivity], quantities: Sequence[str]) -> None:
    """Print the inputs with the largest effect on each quantity, and what is not exact or not known.

    Parameters
    ----------
    rows : sequence of Sensitivity
    quantities : sequence of str
    """
    chosen = {row["input"] for quantity in quantities for row in _largest(rows, quantity)}
    listed = [row for row in rows if row["input"] in chosen]
    if listed:
        cells = [
            [
                row["input"],
                shown(row["value"], row["unit"]),
                *(_percent(row["effects"].get(quantity)) for quantity in quantities),
                ", ".join(_notes(row)),
            ]
            for row in listed
        ]
        headings = ["a percent more of", "now", *quantities, ""]
        table(headings, cells, right=range(1, 2 + len(quantities)), title="What a percent more would change")
        _say_through("numeric: through difference quotients of", listed, "numeric")
        _say_through(
            "in steps: the change over one percent (of a whole number, over one) either way, in", listed, "steps"
        )
    unknown = [row["input"] for row in rows if any(e["kind"] == "unknown" and row["value"] for e in _effects(row))]
    if unknown:
        _say_through(f"not known of {', '.join(unknown)}: cannot be varied in", rows, "unknown")


def _largest(rows: Iterable[Sensitivity], quantity: str) -> list[Sensitivity]:
    sizes = [(abs(row["effects"][quantity]["elasticity"] or 0.0), row) for row in rows if quantity in row["effects"]]
    return [row for size, row in sorted(sizes, key=lambda pair: -pair[0])[:_MOST] if size > 0]


def _effects(row: Sensitivity) -> list[Effect]:
    return list(row["effects"].values())


def _percent(effect: Effect | None) -> str:
    if effect is None:
        return ""
    if effect["elasticity"] is None:
        return "not known" if effect["kind"] == "unknown" else "–"
    return f"{effect['elasticity']:+.3g} %" if effect["elasticity"] else "0"


def _notes(row: Sensitivity) -> list[str]:
    effects = [effect for effect in _effects(row) if effect["elasticity"]]
    kinds = {effect["kind"] for effect in effects}
    notes = ["as if continuous"] if row["whole"] and kinds & {"exact", "numeric"} else []
    notes += [note for kind, note in (("numeric", "numeric"), ("steps", "in steps")) if kind in kinds]
    return notes + (["one side"] if any(effect["one_sided"] for effect in effects) else [])


def _say_through(begin: str, rows: Iterable[Sensitivity], kind: Literal["numeric", "steps", "unknown"]) -> None:
    """Say which functions are the reason for a kind of effects."""
    effects = [effect for row in rows for effect in _effects(row) if effect["kind"] == kind]
    functions = {name for effect in effects for name in effect[kind] or effect["unknown"]}
    if functions:
        say(f"{begin} {', '.join(sorted(functions))}")
