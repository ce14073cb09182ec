"""An explanation in the terminal: where time and power go, what binds, what a step would change, sources."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dse.authoring.watch.validation import validation_lines
from dse.cli.text.output import print_tree, say, shown, table
from dse.cli.text.sensitivity_table import print_sensitivities
from dse.cli.text.stem_plot import print_rates
from dse.cli.text.validation import print_validation
from dse.space.axes import with_confidence
from dse.units import percent_text, relative_change, told_apart

if TYPE_CHECKING:
    from dse.analysis.explain.explanation import Explanation, Part

__all__ = ["print_explanation", "print_numbers"]


def print_explanation(explanation: Explanation, *, tree: bool) -> None:
    """Print an explanation; `tree` shows the numbers as each objective needs them, down to the inputs."""
    units = {row["name"]: row["unit"] for row in explanation.numbers}
    named = ", ".join(f"{k} = {v}" for k, v in explanation.parameters.items())
    of = explanation.reference
    begin = f"design {explanation.design} of" if of is None else f"{of}, beside the designs of"
    say(f"{begin} {explanation.study}: {named}", style="bold")
    for objective in explanation.objectives:
        say(f"  {objective['quantity']} = {shown(objective['value'], objective['unit'])} ({objective['sense']})")
    if of is not None:
        _print_measured(explanation)
    print_validation(validation_lines(explanation.parameters, explanation.validation))
    if explanation.on_frontier is False:
        say("not on the frontier", style="yellow")
    for other in explanation.dominated_by:
        values = ", ".join(f"{name} {shown(v, units[name])}" for name, v in other["objectives"].items())
        say(f"  beaten by {other['name']} (design {other['design']}): {values}")
    plotted = {name for axis in explanation.rates for name in axis["maxima"]}
    bounds = [item for item in explanation.bounds if item["quantity"] not in plotted]
    for items, heading, last in (
        (explanation.breakdowns, "is the sum of", ""),
        (bounds, "is the largest of", "distance"),
    ):
        for item in items:
            written = told_apart([p["value"] for p in item["parts"]], partial(_written, item["unit"]))
            rows = [
                [
                    p["quantity"],
                    text,
                    _percent(p["share"]),
                    "█" * round(24 * max(0.0, p["share"] or 0)),
                    *([_distance(p, item["unit"])] if last else []),
                ]
                for p, text in zip(item["parts"], written, strict=True)
            ]
            table(
                [f"{item['quantity']} {heading}", "value", "share", "", *([last] if last else [])], rows, right=[1, 2]
            )
    for axis in explanation.rates:
        print_rates(axis)
    for constraint in explanation.constraints:
        slack = constraint.get("relative_slack")
        room = ""
        if "slack" in constraint:
            room = f", slack {shown(constraint['slack'], constraint['unit'])}"
            room += f" ({_percent(slack)})" if slack is not None else ""
        words = {True: "met", False: "NOT met", None: "not known"}
        by = f" (required by {constraint['required_by']})" if "required_by" in constraint else ""
        say(f"{constraint['text']}{by}: {words[constraint['met']]}{room}")
    if explanation.neighbours:
        names = [o["quantity"] for o in explanation.objectives]
        rows = [
            [
                n["axis"],
                with_confidence(n["value"], n.get("confidence", "")),
                *(_change(n["change"][name]) for name in names),
                "" if n["feasible"] else "infeasible",
            ]
            for n in explanation.neighbours
        ]
        table(["one step", "to", *names, ""], rows, right=list(range(2, 2 + len(names))))
    print_sensitivities(explanation.sensitivities, [o["quantity"] for o in explanation.objectives])
    if tree:
        print_tree(explanation.tree)
    else:
        print_numbers(explanation)
    if explanation.extrapolated:
        say(
            f"extrapolated: {', '.join(explanation.extrapolated)} outside the range a model was validated on",
            style="yellow",
        )
    if explanation.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(explanation.synthetic)}", style="bold yellow")


def print_numbers(explanation: Explanation) -> None:
    """Print every number with its value, what gives it and its source."""
    rows = [[r["name"], shown(r["value"], r["unit"]), r["from"], r["source"]] for r in explanation.numbers]
    table(["number", "value", "from", "source"], rows, right=[1])


def _print_measured(explanation: Explanation) -> None:
    """Print what was measured of a reference beside what is computed, and what is not known of it."""
    values = {row["name"]: row["value"] for row in explanation.numbers}
    for item in explanation.measured:
        computed = values.get(item["quantity"])
        off = (
            ""
            if not isinstance(computed, float) or not item["value"]
            else f", computed {_change(relative_change(computed, item['value']))}"
        )
        say(f"  {item['quantity']} measured: {shown(item['value'], item['unit'])}{off} ({item['source']})")
    for why in dict.fromkeys(explanation.lacking.values()):
        say(
            f"  no figure for {', '.join(k for k, v in explanation.lacking.items() if v == why)}: {why}", style="yellow"
        )


def _distance(part: Part, unit: str) -> str:
    if part["binds"]:
        return "binds"
    share = "" if part["relative_distance"] is None else f" ({_percent(part['relative_distance'])})"
    return f"{shown(part['distance'], unit)} below{share}"


def _written(unit: str, value: float, digits: int) -> str:
    return shown(value, unit, digits)


def _percent(share: float | None) -> str:
    return "–" if share is None else percent_text(share)


def _change(change: float | None) -> str:
    return "–" if change is None else percent_text(change, 2, sign=True)
