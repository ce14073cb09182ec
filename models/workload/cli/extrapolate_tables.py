"""What `dse profile extrapolate` shows: distances, laws, and what to mistrust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dse.models.measured_laws.cli.law_text import error_text, say_warnings

if TYPE_CHECKING:
    from dse.models.measured_laws.fitting.law import Law
    from dse.models.workload.extrapolation.profiles import Extrapolated, Fit

__all__ = ["as_json", "print_extrapolated"]

_DETAILS = ("beyond[", "entropy[", "max_outcome[", "vectors.", "external_calls.", "openmp_calls.")
_KINDS = (".mem", ".int", ".control", ".fp")


def as_json(result: Extrapolated) -> dict[str, Any]:
    """Return the whole of it for JSON.

    Parameters
    ----------
    result : Extrapolated
    """
    record = result.profile.extrapolation
    return {
        "name": result.profile.name,
        "synthetic": result.profile.synthetic,
        "parameters": [dict(vars(parameter)) for parameter in (record.parameters if record else ())],
        "classes": [
            {"name": item.name, "members": item.members, "instructions": item.instructions}
            for item in result.profile.classes
        ],
        "fits": [
            {
                "class": fit.process_class,
                "metric": fit.metric,
                "unit": fit.law.unit,
                "law": fit.law.formula(fit.law.parameters),
                "terms": _terms(fit.law),
                "cross_validation_error": fit.law.cross_validation_error,
                "runs": fit.law.runs,
                "value": fit.value,
                "band": list(fit.band),
                "ambiguous_with": [other.formula(fit.law.parameters) for other in fit.law.ambiguous_with],
            }
            for fit in result.fits
        ],
        "warnings": list(result.warnings),
    }


def _terms(law: Law) -> list[dict[str, Any]]:
    return [
        {
            "coefficient": coefficient,
            "standard_error": error,
            "factors": [
                {"parameter": parameter.name, "exponent": str(factor.exponent), "logarithms": factor.logarithms}
                for parameter, factor in zip(law.parameters, term.factors, strict=True)
                if not factor.constant
            ],
        }
        for term, coefficient, error in zip(law.terms, law.coefficients, law.uncertainties, strict=True)
    ]


def print_extrapolated(result: Extrapolated, *, everything: bool) -> None:
    """Print distances, laws and warnings.

    Parameters
    ----------
    result : Extrapolated
    everything : bool
        Whether laws of single distances, histories and types are printed too.
    """
    from dse.cli.text.output import say, table

    record = result.profile.extrapolation
    rows = [
        [
            parameter.name + (" (log2)" if parameter.log2 else ""),
            f"{parameter.smallest:g} to {parameter.largest:g}",
            f"{parameter.target:g}",
            f"{parameter.distance:.4g}",
        ]
        for parameter in (record.parameters if record else ())
    ]
    table(["parameter", "runs", "target", "distance"], rows, right=[1, 2, 3])
    alone = len(record.parameters if record else ()) == 1
    interval = "90 % interval" if alone else "laws that fit as well"
    for item in result.profile.classes:
        mine = [fit for fit in result.fits if fit.process_class == item.name]
        shown = [fit for fit in mine if everything or _told(fit)]
        title = f"{item.name}, stands for {item.members}" if item.members > 1 else item.name
        say()
        say(title, style="bold")
        error = ["error in the runs"] if everything else []
        headings = ["metric", "law", "at the target", interval, *error]
        table(headings, [_row(fit, everything=everything) for fit in shown], right=[2, 4][: 1 + len(error)])
        if len(shown) < len(mine):
            say(f"… {len(mine) - len(shown)} more: --all")
    if everything:
        say("error in the runs: of each under the fit to the others; it says nothing of the target")
    say_warnings(result.warnings, synthetic=result.profile.synthetic)


def _told(fit: Fit) -> bool:
    if any(mark in fit.metric for mark in _DETAILS):
        return False
    if fit.metric.startswith("ilp[") and fit.metric.endswith(_KINDS):
        return False
    return fit.value != 0 or not fit.law.constant


def _row(fit: Fit, *, everything: bool) -> list[str]:
    from dse.cli.text.output import shown

    low, high = fit.band
    unit = fit.law.unit
    row = [fit.metric, str(fit.law), shown(fit.value, unit), f"{shown(low, unit)} to {shown(high, unit)}"]
    return [*row, error_text(fit.law.cross_validation_error, digits=2)] if everything else row
