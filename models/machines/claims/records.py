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
from dse.models.machines.laws.refit import Refit
from dse.models.machines.laws.shrinkage import Law
from dse.models.machines.laws.targets import efficiencies

__all__ = ["records"]

_NAMES = {"rate": "rate", "power": "power", "efficiency": "efficiency", "gradient": "hpcg"}


def records(judgement: Judgement, checked: Sequence[Claim]) -> dict[str, Any]:
    """Return plain values by name.

    ``machines``: per machine its figures (`linpack`, `power`, `hpcg`: published, computed by laws without the machine,
    fitted: by the laws of designs) and under ``left_out`` the errors of the laws' shares (`rate`, `power`,
    `efficiency`, `hpcg`). ``laws``: k, within and between (standard deviations of logarithms), classes (mean of the
    share) and devices (offsets of logarithms). ``devices``: shares as designs get them. ``strata``: mean absolute
    errors of each law over machines of one kind, beside those of one constant per class and per device. ``targets``:
    limits on them. ``checks``: of peaks and rated powers (`rating_checks`). ``size``: of a term of the number of nodes
    (`size_law`). ``refit``: what another table would
    change in the laws. ``without_accelerators``: errors of the laws of such machines, and the blind test (`cores`).
    """
    return {
        "machines": _machines(judgement, checked),
        "laws": {_NAMES[name]: _law(getattr(judgement.laws, name)) for name in _NAMES}
        | {"rate_over_power": judgement.laws.rate_over_power},
        "devices": _devices(judgement),
        "strata": [_stratum(stratum) for stratum in judgement.strata],
        "targets": [
            {"law": _NAMES[target.law], "target": target.what, "limit": target.limit, "at_least": target.least}
            | {"found": target.found, "reached": target.reached}
            for target in judgement.targets
        ],
        "checks": {
            "peak": [
                {"machine": peak.machine.name, "device": peak.machine.device, "listed": peak.listed}
                | {"catalogued": peak.catalogued, "deviation": peak.deviation, "named": peak.named}
                | {"note": peak.machine.peak_note}
                for peak in judgement.peaks
            ],
            "rating": [
                {"machine": rating.machine.name, "device": rating.machine.device, "listed": rating.listed}
                | {"catalogued": rating.catalogued, "deviation": rating.deviation, "named": rating.named}
                | {"note": rating.machine.power_note}
                for rating in judgement.ratings
            ],
            "power": [
                {"device": power.device, "machines": [machine.name for machine in power.machines]}
                | {"deviation": power.deviation, "bound": power.bound, "named": power.named, "unseen": power.unseen}
                | {"rating": power.rating, "note": power.note}
                for power in judgement.powers
            ],
            "power_by_year": {"slope": judgement.fall[0], "standard_error": judgement.fall[1]},
        },
        "without_accelerators": core_records([*judgement.machines, *(later_machines() if judgement.targets else ())]),
        **({} if judgement.refit is None else {"refit": _refit(judgement.refit)}),
        "size": [
            {"term": size.term, "slope": size.slope, "standard_error": size.standard_error, "t": size.t}
            | {"slopes_without_a_device": [size.least, size.largest], "error_without": size.error_without}
            | {"error_with": size.error_with, "taken": size.taken}
            for size in judgement.sizes
        ],
    }


def _refit(change: Refit) -> dict[str, Any]:
    return {
        "added": list(change.added),
        "replaced": list(change.replaced),
        "left_out": list(change.left_out),
        "changed": [vars(entry) | {"change": entry.change} for entry in change.changed],
    }


def _machines(judgement: Judgement, checked: Sequence[Claim]) -> list[dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {
        machine.name: {"name": machine.name, "device": machine.device, "class": machine.rate_class, "left_out": {}}
        for machine in judgement.machines
    }
    for answer, claim in zip(judgement.answers, checked, strict=True):
        result[answer.machine.name][answer.figure.name] = _figure(answer, claim)
    for judged in judgement.judged:
        result[judged.machine.name]["left_out"][_NAMES[judged.law]] = _judged(judged)
    for name, (measured, computed) in efficiencies(judgement.answers).items():
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


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "share": judged.share,
        "measured": judged.measured,
        "error": judged.error,
        "class_error": judged.class_error,
        "device_error": judged.device_error,
        "device_known": judged.known,
        "standard_error": judged.standard_error,
        "standard_errors": judged.deviations,
    }


def _law(law: Law) -> dict[str, Any]:
    return {
        "k": law.k,
        "within": law.within,
        "between": law.between,
        "classes": {
            name: {
                "share": math.exp(class_law.mean),
                "mean": class_law.mean,
                "machines": class_law.machines,
                "devices": class_law.devices,
            }
            | {"standard_error": math.sqrt(class_law.variance)}
            for name, class_law in law.classes.items()
        },
        "devices": {
            name: {"class": device_law.device_class, "machines": device_law.machines, "offset": device_law.offset}
            | {"standard_error": device_law.standard_error}
            for name, device_law in law.devices.items()
        },
    }


def _devices(judgement: Judgement) -> dict[str, dict[str, Any]]:
    devices: dict[str, dict[str, Any]] = {}
    for machine in judgement.machines:
        if machine.device in judgement.laws.rate.devices and machine.device not in devices:
            given = judgement.laws.shares(machine)
            devices[machine.device] = {
                "share_of_peak": math.exp(given.rate),
                "share_of_rated_power": math.exp(given.power),
                "share_of_rated_efficiency": math.exp(given.efficiency),
                "share_of_bandwidth": math.exp(given.gradient),
                "standard_errors": _errors(machine.device, machine.rate_class, machine.power_class, judgement.laws),
                "validation": validation(machine.device, judgement.laws, judgement.judged),
            }
    return devices


def _errors(device: str, rate_class: str, power_class: str, laws: Laws) -> dict[str, float]:
    known = device in laws.efficiency.devices
    rate = laws.rate.standard_error(rate_class, device)
    efficiency = laws.efficiency.standard_error(power_class, device)
    power = math.hypot(rate, efficiency) if known else laws.power.standard_error(power_class, device)
    return {"rate": rate, "efficiency": efficiency, "power": power}


def _stratum(stratum: Stratum) -> dict[str, Any]:
    return {
        "law": _NAMES[stratum.law],
        "stratum": stratum.name,
        "machines": stratum.machines,
        "mean_error": stratum.mean,
        "class_mean_error": stratum.class_mean,
        "device_mean_error": stratum.device_mean,
        "worst_error": stratum.worst,
        "worst_machine": stratum.worst_machine,
        "within_two_standard_errors": stratum.within_two,
    }
