"""What ``dse validate machines --json`` tells beside the claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.machines.catalogue.catalogue import later_machines
from dse.models.machines.claims.cores import core_records
from dse.models.machines.laws.comparison import Answer, Judged, Stratum
from dse.models.machines.laws.fitted_tables import validation
from dse.models.machines.laws.judgement import Judgement
from dse.models.machines.laws.laws import Laws
from dse.models.machines.laws.shrinkage import Law
from dse.models.machines.laws.targets import efficiencies

__all__ = ["records"]

_NAMES = {"rate": "rate", "power": "power", "efficiency": "efficiency", "gradient": "hpcg"}


def records(told: Judgement, checked: Sequence[Claim]) -> dict[str, Any]:
    """Return plain values by name.

    ``machines``: per machine its figures (`linpack`, `power`, `hpcg`: published, computed by laws without the machine,
    fitted: by the laws of designs) and under ``left_out`` the errors of the laws' shares (`rate`, `power`,
    `efficiency`, `hpcg`). ``laws``: k, within and between (standard deviations of logarithms), classes (mean of the
    share) and devices (offsets of logarithms). ``devices``: shares as designs get them. ``strata``: mean absolute
    errors of each law over machines of one kind, beside those of one constant per class and per device. ``targets``:
    limits on them. ``checks``: of peaks and rated powers (`rating_checks`). ``size``: of a term of the number of nodes
    (`size_law`). ``without_accelerators``: errors of the laws of such machines, and the blind test (`cores`).
    """
    return {
        "machines": _machines(told, checked),
        "laws": {_NAMES[name]: _law(getattr(told.laws, name)) for name in _NAMES}
        | {"rate_over_power": told.laws.rate_over_power},
        "devices": _devices(told),
        "strata": [_stratum(one) for one in told.strata],
        "targets": [
            {"law": _NAMES[one.law], "target": one.what, "limit": one.limit, "at_least": one.least}
            | {"found": one.found, "reached": one.reached}
            for one in told.targets
        ],
        "checks": {
            "peak": [
                {"machine": one.machine.name, "device": one.machine.device, "listed": one.listed}
                | {"catalogued": one.catalogued, "deviation": one.deviation, "named": one.named}
                | {"note": one.machine.peak_note}
                for one in told.peaks
            ],
            "power": [
                {"device": one.device, "machines": [machine.name for machine in one.machines]}
                | {"deviation": one.deviation, "bound": one.bound, "named": one.named, "unseen": one.unseen}
                | {"rating": one.rating, "note": one.note}
                for one in told.powers
            ],
            "power_by_year": {"slope": told.fall[0], "standard_error": told.fall[1]},
        },
        "without_accelerators": core_records([*told.machines, *(later_machines() if told.targets else ())]),
        "size": [
            {"term": one.term, "slope": one.slope, "standard_error": one.standard_error, "t": one.t}
            | {"slopes_without_a_device": [one.least, one.largest], "error_without": one.error_without}
            | {"error_with": one.error_with, "taken": one.taken}
            for one in told.sizes
        ],
    }


def _machines(told: Judgement, checked: Sequence[Claim]) -> list[dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {
        one.name: {"name": one.name, "device": one.device, "class": one.rate_class, "left_out": {}}
        for one in told.machines
    }
    for answer, claim in zip(told.answers, checked, strict=True):
        result[answer.machine.name][answer.figure.name] = _figure(answer, claim)
    for one in told.judged:
        result[one.machine.name]["left_out"][_NAMES[one.law]] = _judged(one)
    for name, (measured, computed) in efficiencies(told.answers).items():
        result[name]["efficiency"] = {"published": measured, "computed": computed, "error": computed / measured - 1.0}
        result[name]["efficiency"]["unit"] = "flop/J"
    return list(result.values())


def _figure(answer: Answer, claim: Claim) -> dict[str, Any]:
    return {
        "published": answer.published,
        "computed": answer.computed,
        "error": answer.error,
        "fitted": answer.fitted,
        "fitted_error": answer.fitted_error,
        "device_known": answer.known,
        "unit": answer.figure.unit,
        "status": claim.status,
        "note": claim.note,
    }


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "share": one.share,
        "measured": one.measured,
        "error": one.error,
        "class_error": one.class_error,
        "device_error": one.device_error,
        "device_known": one.known,
        "standard_error": one.standard_error,
        "standard_errors": one.deviations,
    }


def _law(law: Law) -> dict[str, Any]:
    return {
        "k": law.k,
        "within": law.within,
        "between": law.between,
        "classes": {
            name: {"share": math.exp(one.mean), "mean": one.mean, "machines": one.machines, "devices": one.devices}
            | {"standard_error": math.sqrt(one.variance)}
            for name, one in law.classes.items()
        },
        "devices": {
            name: {"class": one.device_class, "machines": one.machines, "offset": one.offset}
            | {"standard_error": one.standard_error}
            for name, one in law.devices.items()
        },
    }


def _devices(told: Judgement) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in told.machines:
        if one.device in told.laws.rate.devices and one.device not in found:
            given = told.laws.shares(one)
            found[one.device] = {
                "share_of_peak": math.exp(given.rate),
                "share_of_rated_power": math.exp(given.power),
                "share_of_rated_efficiency": math.exp(given.efficiency),
                "share_of_bandwidth": math.exp(given.gradient),
                "standard_errors": _errors(one.device, one.rate_class, one.power_class, told.laws),
                "validation": validation(one.device, told.laws, told.judged),
            }
    return found


def _errors(device: str, rate_class: str, power_class: str, laws: Laws) -> dict[str, float]:
    known = device in laws.efficiency.devices
    rate = laws.rate.standard_error(rate_class, device)
    efficiency = laws.efficiency.standard_error(power_class, device)
    power = math.hypot(rate, efficiency) if known else laws.power.standard_error(power_class, device)
    return {"rate": rate, "efficiency": efficiency, "power": power}


def _stratum(one: Stratum) -> dict[str, Any]:
    return {
        "law": _NAMES[one.law],
        "stratum": one.name,
        "machines": one.machines,
        "mean_error": one.mean,
        "class_mean_error": one.class_mean,
        "device_mean_error": one.device_mean,
        "worst_error": one.worst,
        "worst_machine": one.worst_machine,
        "within_two_standard_errors": one.within_two,
    }
