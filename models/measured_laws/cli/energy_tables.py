"""What `dse energy` shows: the curves of a job, their errors, and what they say on numbers of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dse.models.measured_laws.cli.law_text import say_what_intervals_rest_on
from dse.models.measured_laws.kinds.energy.laws import UNITS

if TYPE_CHECKING:
    from dse.models.measured_laws.kinds.energy.document import JobMeasurements

__all__ = ["answer", "as_json", "print_fits", "tell_outside"]

_ROUNDING = 1e-12
"""Share of the greatest part of a curve at its end, below which a part is rounding."""


def print_fits(measured: JobMeasurements, answers: list[dict[str, Any]]) -> None:
    """Print the curves, what is to be mistrusted, and the answers."""
    from dse.cli.text.output import say, table

    say(f"{measured.name}: {measured.scope}", style="bold")
    if measured.synthetic:
        say("SYNTHETIC: made up, not measured", style="bold yellow")
    rows = []
    for name, curve in measured.model.curves.items():
        known = "–" if curve.interpolates else f"{curve.percent_rmse:.2f} %"
        foretold = "–" if curve.interpolates else f"{curve.percent_left_out:.2f} %"
        first, last = curve.segments[0].first, curve.segments[-1].last
        parts = ", ".join(
            f"{segment.first:g} to {segment.last:g} nodes: {_powers_text(segment.powers, segment.last)} {UNITS[name]}"
            for segment in curve.segments
        )
        rows.append([name, curve.case, f"{first:g} to {last:g}", known, foretold, parts])
    table(["", "case", "nodes", "error", "left out", "curve of n nodes"], rows, right=[3, 4])
    beyond = " and ".join(name for name, curve in measured.model.curves.items() if not curve.admissible)
    if beyond:
        shortfall = f"no curve of {beyond} is above 0 and within {measured.rmse_limit:g} % in every part"
        say(f"warning: {shortfall}; the nearest is shown", style="yellow")
    for note in measured.notes:
        say(f"· {note}")
    _show_answers(measured, answers)


def as_json(measured: JobMeasurements) -> dict[str, object]:
    """Return the fits for JSON."""
    curves = {
        name: {
            "unit": UNITS[name],
            "case": curve.case,
            "orders": list(curve.orders),
            "breakpoints": list(curve.breakpoints),
            "segments": [
                {"first": segment.first, "last": segment.last, "powers": list(segment.powers)}
                for segment in curve.segments
            ],
            "percent_rmse": curve.percent_rmse,
            "percent_left_out": curve.percent_left_out,
            "admissible": curve.admissible,
            "interpolates": curve.interpolates,
        }
        for name, curve in measured.model.curves.items()
    }
    return {
        "curves": curves,
        "scope": measured.scope,
        "sources": list(measured.sources),
        "synthetic": measured.synthetic,
        "rmse_limit": measured.rmse_limit,
        "notes": list(measured.notes),
    }


def answer(measured: JobMeasurements, count: int) -> dict[str, Any]:
    """Return each quantity on a number of nodes, with the ends of its 90 % interval, if one is known."""
    model = measured.model
    quantities: dict[str, dict[str, Any]] = {}
    for name in model.metrics:
        ends = model.predict(name, count)
        low, high = (None, None) if ends is None else ends[:2]
        rests_on = None if ends is None else ends.rests_on
        value = float(getattr(model, name)(count))
        quantities[name] = {"value": value, "low": low, "high": high, "unit": UNITS[name], "rests_on": rests_on}
    return {"nodes": count, "extrapolated": bool(model.extrapolated(count)), **quantities}


def _show_answers(measured: JobMeasurements, answers: list[dict[str, Any]]) -> None:
    from dse.cli.text.output import shown, table

    if not answers:
        return
    rows = []
    for answer in answers:
        for name in measured.model.metrics:
            quantity, unit = answer[name], UNITS[name]
            ends = (
                "not known"
                if quantity["low"] is None
                else f"{shown(quantity['low'], unit)} to {shown(quantity['high'], unit)}"
            )
            rows.append([f"{answer['nodes']}", name, shown(quantity["value"], unit), ends])
    table(["nodes", "", "value", "90 % interval"], rows, right=[0, 2, 3])
    outside = [answer for answer in answers if answer["extrapolated"]]
    for answer in outside:
        tell_outside(True, answer["nodes"])
    say_what_intervals_rest_on(
        {name: [answer[name] for answer in outside if answer[name]["rests_on"]] for name in measured.model.metrics}
    )


def tell_outside(outside: bool, count: int) -> None:
    """Say where an answer is a prediction."""
    from dse.cli.text.output import say

    if outside:
        say(f"a prediction: {count} nodes lie outside of what was measured", style="yellow")


def _powers_text(powers: tuple[float, ...], last: float) -> str:
    parts = [abs(value) * last**power for power, value in enumerate(powers)]
    terms = [
        f"{value:.6g}" + ("", " n", " n²", " n³")[power]
        for power, value in enumerate(powers)
        if parts[power] > _ROUNDING * max(parts)
    ]
    return " + ".join(terms).replace("+ -", "- ")
