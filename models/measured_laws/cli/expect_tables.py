"""What `dse expect` shows: functions, expectations, laws, matches, rules, the litmus test, segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries
    from dse.models.measured_laws.kinds.expectations.judging import JudgedFunction, Judgement

__all__ = ["as_json", "print_judgement"]


def as_json(judgement: Judgement, warnings: Mapping[str, tuple[str, ...]], *, strict: bool) -> dict[str, Any]:
    """Return the whole of it for JSON."""
    return {
        "functions": [_function(function, warnings.get(function.name, ())) for function in judgement.functions],
        "litmus": judgement.litmus,
        "litmus_state": judgement.litmus_state,
        "failed": [function.name for function in judgement.failures(strict=strict)],
    }


def _function(function: JudgedFunction, warnings: tuple[str, ...]) -> dict[str, Any]:
    expectation, verdict, variable = function.expectation, function.verdict, function.series.variable
    return {
        "function": function.name,
        "variable": variable,
        "expected": expectation.growth.text(variable) if expectation else None,
        "deviation": expectation.deviation.text(variable) if expectation else None,
        "source": expectation.source if expectation else None,
        "by_status_quo": function.by_status_quo,
        "growth": function.growth.text(variable),
        "divergence": verdict.divergence.text(variable) if verdict else None,
        "match": verdict.match if verdict else None,
        "direction": verdict.direction if verdict else None,
        "law": _law(function.compared),
        "segments": None
        if function.segments is None
        else {"at": function.segments.at, "left": _law(function.segments.left), "right": _law(function.segments.right)},
        "broken_rules": [str(rule) for rule in function.broken],
        "level": function.level,
        "failed": function.failed,
        "notes": [*function.notes, *warnings],
    }


def _law(series: FittedSeries) -> dict[str, Any]:
    law = series.law
    return {
        "formula": law.formula(law.parameters),
        "unit": law.unit,
        "range": [series.sizes[0], series.sizes[-1]],
        "sizes": len(series.sizes),
        "adjusted_r2": series.adjusted_r2,
        "cross_validation_error": law.cross_validation_error,
        "ambiguous_with": [other.formula(law.parameters) for other in law.ambiguous_with],
    }


def print_judgement(judgement: Judgement, warnings: Mapping[str, tuple[str, ...]], *, strict: bool) -> None:
    """Print the table, what is to be noted, and the outcome in one line."""
    from dse.cli.text.output import say, table

    headings = ["function", "expected", "source", "law", "adj. R²", "divergence", "match", "rules"]
    table(headings, [_row(function) for function in judgement.functions], right=[4])
    for function in judgement.functions:
        if function.segments is not None:
            left, right = function.segments.left, function.segments.right
            say(
                f"{function.name}: two laws, break at {function.series.variable} = {function.segments.at:.4g}: "
                f"{left.law} up to {left.sizes[-1]:g}, {right.law} from {right.sizes[0]:g} (compared)"
            )
    for note, names in _noted(judgement, warnings).items():
        which = "all" if len(names) == len(judgement.functions) > 1 else ", ".join(names)
        say(f"{which}: {note}", style="yellow")
    if judgement.litmus is not None:
        outcome = "holds" if judgement.litmus_state == "holds" else "fails: architecture or noise changed the growth"
        say(
            f"litmus test {judgement.litmus} {outcome}",
            style=None if judgement.litmus_state == "holds" else "bold yellow",
        )
    failed = judgement.failures(strict=strict)
    judged = [function for function in judgement.functions if function.verdict is not None]
    if failed:
        say(
            f"{len(failed)} of {len(judgement.functions)} functions fail: {', '.join(each.name for each in failed)}",
            style="bold red",
        )
    elif any(function.failed for function in judgement.functions):
        say("failures do not count: the litmus test failed (--strict: they do)", style="bold yellow")
    elif judged:
        say(f"{len(judged)} of {len(judgement.functions)} functions grow as expected")
    else:
        say("nothing is expected: give a file of expectations, or --status-quo NAME")


def _noted(judgement: Judgement, warnings: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return what is to be noted, and of which functions."""
    notes: dict[str, list[str]] = {}
    for function in judgement.functions:
        for note in (*function.notes, *warnings.get(function.name, ())):
            notes.setdefault(note, []).append(function.name)
    return notes


def _row(function: JudgedFunction) -> list[str]:
    variable, expectation, verdict = function.series.variable, function.expectation, function.verdict
    r2 = function.compared.adjusted_r2
    match = "–"
    if verdict is not None:
        match = verdict.match + (f" ({verdict.direction})" if verdict.match != "exact" else "")
    return [
        function.name,
        expectation.growth.text(variable) if expectation else "–",
        expectation.source if expectation else "",
        str(function.compared.law),
        "–" if r2 is None else f"{r2:.3f}",
        verdict.divergence.text(variable) if verdict else "–",
        match,
        "violated" if function.broken else "",
    ]
