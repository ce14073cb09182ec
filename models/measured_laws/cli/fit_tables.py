"""What `dse fit` shows: the law, how sure it is, and what it says where it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.models.measured_laws.cli.law_text import error_text, say_warnings, say_what_intervals_rest_on

if TYPE_CHECKING:
    from dse.models.measured_laws.fitting.law import Law
    from dse.models.measured_laws.kinds.growth.fitted_file import FittedFile
    from dse.models.measured_laws.kinds.growth.several_parameters import LawOfSeveral

__all__ = ["as_json", "print_fit", "print_several", "several_as_json"]

_RIVALS = 5


def _predictions(content: FittedFile, law: Law, targets: Sequence[float]) -> list[dict[str, Any]]:
    name = content.model.parameter
    predictions = []
    for target in targets:
        ends = law.predict({name: target}, content.model.level)
        value, far = law.at({name: target}), law.distances({name: target})[name]
        interval = {"low": ends.low, "high": ends.high, "rests_on": ends.rests_on}
        predictions.append({name: target, "value": value, **interval, "distance": max(1.0, far)})
    return predictions


def as_json(content: FittedFile, law: Law, targets: Sequence[float], out: Path | None) -> dict[str, Any]:
    """Return all of it for JSON: the document of the model beside what was asked."""
    return {
        "file": None if out is None else str(out),
        "law": law.formula(law.parameters),
        "predictions": _predictions(content, law, targets),
        "rivals": _rivals(law),
        **content.model_dump(mode="json"),
    }


def _rivals(law: Law) -> list[dict[str, Any]]:
    return [
        {"law": rival.formula(law.parameters), "cross_validation_error": rival.cross_validation_error}
        for rival in law.ambiguous_with
    ]


def _say_law(metric: str, region: str, law: Law) -> None:
    """Print a law, and what fits about as well."""
    from dse.cli.text.output import say

    say(f"{metric}{f' in {region}' if region else ''} = {law}", style="bold")
    for rival in law.ambiguous_with[:_RIVALS]:
        say(f"fits about as well: {rival.formula(law.parameters)}")


def _say_details(law: Law, quality: Sequence[str]) -> None:
    """Print how well a law fits its runs: that is no error of what it foretells."""
    from dse.cli.text.output import say

    error = f"in the runs alone: error of cross-validation {error_text(law.cross_validation_error)}"
    say("; ".join([error, *quality]), style="dim")


def _prediction(prediction: dict[str, Any], names: Sequence[str], unit: str) -> list[str]:
    """Return the row of a table: where it is asked, the value, between what it lies, how far away."""
    from dse.cli.text.output import shown

    range_ = f"{shown(prediction['low'], unit)} to {shown(prediction['high'], unit)}"
    return [
        *(f"{prediction[name]:g}" for name in names),
        shown(prediction["value"], unit),
        range_,
        f"{prediction['distance']:.4g}",
    ]


def print_fit(content: FittedFile, law: Law, targets: Sequence[float]) -> None:
    """Print the law, its plot and its warnings."""
    from dse.cli.text.line_plot import Marked, line_plot
    from dse.cli.text.output import console, say, shown, table

    model = content.model
    r2 = "-" if model.adjusted_r2 is None else f"{model.adjusted_r2:.4f}"
    ends = f"{model.parameter} = {model.smallest:g} to {model.largest:g}"
    _say_law(model.metric, model.region, law)
    predictions = _predictions(content, law, targets)
    if predictions:
        rows = [_prediction(prediction, [model.parameter], model.unit) for prediction in predictions]
        interval = f"{100 * model.level:g} % interval"
        table([model.parameter, "value", interval, "distance"], rows, right=[0, 1, 2, 3])
        say_what_intervals_rest_on(
            {model.metric: [prediction for prediction in predictions if prediction["distance"] > 1.0]}
        )
    _say_details(law, [f"adjusted R²: {r2}", f"{len(model.runs)} sizes, {ends}"])
    points = [Marked(run.size, run.value, "●") for run in model.runs]
    points += [Marked(prediction[model.parameter], prediction["value"], "○") for prediction in predictions]
    points.sort(key=lambda point: point.x)
    for line in line_plot(
        points,
        width=min(100, console().width),
        x_text=lambda x: f"{x:.4g}",
        y_text=lambda y: shown(y, model.unit),
    ):
        say(line)
    say("● measured" + (", ○ fitted" if predictions else ""))
    say_warnings(content.warnings, synthetic=content.synthetic)


def several_as_json(fitted: LawOfSeveral) -> dict[str, Any]:
    """Return all of it for JSON."""
    law = fitted.law
    return {
        "file": None,
        "metric": fitted.metric,
        "region": fitted.region,
        "law": law.formula(law.parameters),
        "unit": law.unit,
        "runs": law.runs,
        "ranges": {parameter.name: list(ends) for parameter, ends in zip(law.parameters, law.ranges, strict=True)},
        "cross_validation_error": law.cross_validation_error,
        "measured_over_law": list(fitted.measured_over_law),
        "predictions": fitted.predictions(),
        "rivals": _rivals(law),
        "source": fitted.source,
        "synthetic": fitted.synthetic,
        "warnings": list(fitted.warnings),
    }


def print_several(fitted: LawOfSeveral) -> None:
    """Print the law, how well it fits, what it says where it is asked, and its warnings."""
    from dse.cli.text.output import say, table

    law = fitted.law
    ends = "; ".join(
        f"{parameter.name} = {low:g} to {high:g}"
        for parameter, (low, high) in zip(law.parameters, law.ranges, strict=True)
    )
    low, high = fitted.measured_over_law
    _say_law(fitted.metric, fitted.region, law)
    predictions = fitted.predictions()
    if predictions:
        names = [parameter.name for parameter in law.parameters]
        rows = [_prediction(prediction, names, law.unit) for prediction in predictions]
        table([*names, "value", "laws that fit as well", "distance"], rows, right=list(range(len(names) + 3)))
        say("of several parameters no interval is known: the range is that of the laws that fit as well", style="dim")
    _say_details(law, [f"{law.runs} runs, {ends}", f"measured over the law: {low:.4g} to {high:.4g}"])
    say_warnings(fitted.warnings, synthetic=fitted.synthetic)
