"""Where decisions flip, in words: the same wherever it is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dse.units import display_unit, format_number

if TYPE_CHECKING:
    from dse.analysis.why.scenarios import Scenario, Side
    from dse.run.result.run import Run

__all__ = ["scenario_lines"]


def scenario_lines(run: Run, boxes: Sequence[Scenario]) -> Iterator[str]:
    """Yield lines on where each decision flips, under the objective it belongs to."""
    if not boxes:
        yield "no decision flips in 2 % of the draws or more"
        return
    senses = {objective["quantity"]: objective["sense"] for objective in run.objectives}
    about = None
    for box in boxes:
        if box.quantity != about:
            about = box.quantity
            best = {"min": "lowest", "max": "highest"}.get(senses.get(about, ""), "")
            yield f"{best} {run.label(about)}" if about else "knee"
        flips = f"{run.label(box.choice)}: {box.usual}, but in {_percent(box.flips)} of draws"
        if not box.sides:
            yield f"  {flips}; no part of the ranges of one or two unknowns tells where"
            continue
        where = " and ".join(_side(run, side) for side in box.sides)
        yield (
            f"  {flips}: {box.instead} where {where} (density {_percent(box.density)}, "
            f"coverage {_percent(box.coverage)})"
        )
    yield "density: in so many of the draws there it flips; coverage: so many of the draws in which it flips lie there"


def _side(run: Run, side: Side) -> str:
    of = f" of {side.part}" if side.part else ""
    name = f"{run.label(side.unknown)}{of}"
    if side.low is None:
        return f"{name} is below {_value(run, side, side.high)}"
    if side.high is None:
        return f"{name} is above {_value(run, side, side.low)}"
    return f"{name} is from {_value(run, side, side.low)} to {_value(run, side, side.high)}"


def _value(run: Run, side: Side, value: float | None) -> str:
    assert value is not None
    if side.relative:
        return f"{100.0 * value:+.2g} %"
    scale, unit = display_unit(run.units.get(side.unknown, "1"), abs(value))
    return f"{format_number(value / scale, 3)} {unit}".rstrip()


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
