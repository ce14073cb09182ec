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


def as_json(found: Extrapolated) -> dict[str, Any]:
    """Return the whole of it for JSON.

    Parameters
    ----------
    found : Extrapolated
    """
    record = found.profile.extrapolation
    return {
        "name": found.profile.name,
        "synthetic": found.profile.synthetic,
        "parameters": [dict(vars(one)) for one in (record.parameters if record else ())],
        "classes": [
            {"name": item.name, "members": item.members, "instructions": item.instructions}
            for item in found.profile.classes
        ],
        "fits": [
            {
                "class": one.process_class,
                "metric": one.metric,
                "unit": one.law.unit,
                "law": one.law.formula(one.law.parameters),
                "terms": _terms(one.law),
                "cross_validation_error": one.law.cross_validation_error,
                "runs": one.law.runs,
                "value": one.value,
                "band": list(one.band),
                "ambiguous_with": [other.formula(one.law.parameters) for other in one.law.ambiguous_with],
            }
            for one in found.fits
        ],
        "warnings": list(found.warnings),
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


def print_extrapolated(found: Extrapolated, *, everything: bool) -> None:
    """Print distances, laws and warnings.

    Parameters
    ----------
    found : Extrapolated
    everything : bool
        Whether laws of single distances, histories and types are printed too.
    """
    from dse.cli.text.output import say, table

    record = found.profile.extrapolation
    rows = [
        [
            one.name + (" (log2)" if one.log2 else ""),
            f"{one.smallest:g} to {one.largest:g}",
            f"{one.target:g}",
            f"{one.distance:.4g}",
        ]
        for one in (record.parameters if record else ())
    ]
    table(["parameter", "runs", "target", "distance"], rows, right=[1, 2, 3])
    for item in found.profile.classes:
        mine = [one for one in found.fits if one.process_class == item.name]
        shown = [one for one in mine if everything or _told(one)]
        title = f"{item.name}, stands for {item.members}" if item.members > 1 else item.name
        say()
        say(title, style="bold")
        table(["metric", "law", "error", "at the target", "alike laws"], [_row(one) for one in shown], right=[2, 3])
        if len(shown) < len(mine):
            say(f"… {len(mine) - len(shown)} more: --all")
    say("error: root of the mean squared relative error of each run under the fit to the others")
    say_warnings(found.warnings, synthetic=found.profile.synthetic)


def _told(one: Fit) -> bool:
    if any(mark in one.metric for mark in _DETAILS):
        return False
    if one.metric.startswith("ilp[") and one.metric.endswith(_KINDS):
        return False
    return one.value != 0 or not one.law.constant


def _row(one: Fit) -> list[str]:
    from dse.cli.text.output import shown

    low, high = one.band
    alike = f"{shown(low, one.law.unit)} to {shown(high, one.law.unit)}" if high > 1.001 * low else ""
    return [
        one.metric,
        str(one.law),
        error_text(one.law.cross_validation_error, digits=2),
        shown(one.value, one.law.unit),
        alike,
    ]
