"""What a percent more would change, as a table in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from dse.cli.later import later
from dse.cli.text.output import say, shown, table

if TYPE_CHECKING:
    from dse.analysis.explain.explanation import Effect, Sensitivity
    from dse.analysis.explain.sensitivity import size_of
else:
    (size_of,) = later("dse.analysis.explain.sensitivity", "size_of")

__all__ = ["print_sensitivities"]

_MOST = 10


def print_sensitivities(rows: Sequence[Sensitivity], quantities: Sequence[str]) -> None:
    """Print the inputs with the largest effect on each quantity, and what is not exact or not known.

    Parameters
    ----------
    rows : sequence of Sensitivity
    quantities : sequence of str
    """
    chosen = {row["input"] for quantity in quantities for row in _largest(rows, quantity, size_of)}
    listed = [row for row in rows if row["input"] in chosen]
    if listed:
        columns: list[tuple[str, list[str], bool]] = [
            ("a percent more of", [row["input"] for row in listed], False),
            ("now", [shown(row["value"], row["unit"]) for row in listed], True),
        ]
        for quantity in quantities:
            effects = [row["effects"].get(quantity) for row in listed]
            columns.append((quantity, [_percent(effect) for effect in effects], True))
            notes = [_note(effect) for effect in effects]
            if any(notes):
                columns.append(("", notes, False))
        if any(whole := [_continuous(row) for row in listed]):
            columns.append(("", whole, False))
        table(
            [heading for heading, _, _ in columns],
            list(zip(*(cells for _, cells, _ in columns), strict=True)),
            right=[place for place, (_, _, number) in enumerate(columns) if number],
            title="What a percent more would change",
        )
        if any(effect["below"] for row in listed for effect in _effects(row)):
            say("x / y %: as the input rises / as it falls, where the two differ")
        _say_through("numeric: through difference quotients of", listed, "numeric")
        _say_through(
            "in steps: the change over one percent (of a whole number, over one) either way, in", listed, "steps"
        )
    unknown = [(row["input"], e) for row in rows for e in _effects(row) if e["kind"] == "unknown"]
    refused = dict.fromkeys(name for name, effect in unknown if effect["unknown"])
    if refused:
        _say_through(f"not known of {', '.join(refused)}: cannot be varied in", rows, "unknown")
    reasons: dict[str, dict[str, None]] = {}
    for name, effect in unknown:
        if not effect["unknown"]:
            of = f" ({', '.join(effect['steps'])})" if effect["steps"] else ""
            reasons.setdefault(f"{effect['reason']}{of}", {})[name] = None
    for reason, names in reasons.items():
        say(f"not known of {', '.join(names)}: {reason}")


def _largest(rows: Iterable[Sensitivity], quantity: str, size_of: Callable[[Effect], float]) -> list[Sensitivity]:
    sizes = [(size_of(row["effects"][quantity]), row) for row in rows if quantity in row["effects"]]
    return [row for size, row in sorted(sizes, key=lambda pair: -pair[0])[:_MOST] if size > 0]


def _effects(row: Sensitivity) -> list[Effect]:
    return list(row["effects"].values())


def _percent(effect: Effect | None) -> str:
    if effect is None:
        return ""
    if effect["elasticity"] is None:
        return "not known" if effect["kind"] == "unknown" else "–"
    sides = [effect["elasticity"]]
    if effect["below"] and effect["below"]["elasticity"] is not None:
        sides.append(effect["below"]["elasticity"])
    return " / ".join(f"{side:+.3g}" if side else "0" for side in sides) + (" %" if any(sides) else "")


def _note(effect: Effect | None) -> str:
    """Return what is to be said of one effect."""
    if effect is None or not _felt(effect):
        return ""
    kind = {"numeric": "numeric", "steps": "in steps"}.get(effect["kind"], "")
    return ", ".join(filter(None, (kind, "one side" if effect["one_sided"] and not effect["below"] else "")))


def _continuous(row: Sensitivity) -> str:
    kinds = {effect["kind"] for effect in _effects(row) if _felt(effect)}
    return "as if continuous" if row["whole"] and kinds & {"exact", "numeric"} else ""


def _felt(effect: Effect) -> bool:
    return bool(effect["elasticity"] or effect["below"])


def _say_through(begin: str, rows: Iterable[Sensitivity], kind: Literal["numeric", "steps", "unknown"]) -> None:
    """Say which functions are the reason for a kind of effects."""
    effects = [effect for row in rows for effect in _effects(row) if effect["kind"] == kind]
    functions = {name for effect in effects for name in effect[kind] or effect["unknown"]}
    if functions:
        say(f"{begin} {', '.join(sorted(functions))}")
