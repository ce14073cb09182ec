"""Machines without accelerators by laws that do not know them: power, rate, power with the socket's by its law too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dse.authoring.library.claims import Listing
from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.catalogue.devices import device_name
from dse.models.machines.catalogue.figures import POWER, alone, missing, predicted
from dse.models.machines.classes import CLOCKS
from dse.models.machines.laws.core_laws import CoreLaws, observed_cores, slope_signs
from dse.models.machines.laws.laws import fitted, without
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares
from dse.models.node_class.claims.blind import READINGS, blind_socket
from dse.models.node_class.sockets.errors import left_out
from dse.models.node_class.sockets.fit import rated
from dse.models.node_class.sockets.fitted_law import shipped_law
from dse.models.node_class.sockets.table import sockets

__all__ = ["blind_machine", "core_errors", "core_listings", "core_records"]

_FORMER = 1.3426  # share of rated power that all machines without accelerators had, by five of them
_BLIND = "LineShine"


@dataclass(frozen=True)
class CoreError:
    """Errors of one law over machines without accelerators."""

    what: str
    machines: int
    mean: float
    median: float
    worst: float
    worst_machine: str


@dataclass(frozen=True)
class _Judged:
    machine: Machine
    rate: float | None
    power: float | None
    former: float | None
    with_socket: float | None


def core_errors(machines: Sequence[Machine]) -> tuple[list[_Judged], list[CoreError]]:
    """Judge machines without accelerators by laws fitted without them.

    Parameters
    ----------
    machines : sequence of Machine
        Those with accelerators and those of the blind test are left aside.

    Returns
    -------
    list of per-machine errors, list of CoreError
    """
    shares = measured_shares([entry for entry in machines if not entry.accelerated and not entry.blind])
    judged = [_judged(entry) for entry in shares]
    errors = list(_errors(judged))
    return judged, errors


def _judged(entry: MeasuredShares) -> _Judged:
    machine, laws = entry.machine, without(entry.machine.name).cores
    rate = None if entry.rate is None else math.expm1(laws.rate_value(machine) - entry.rate)
    if entry.power is None:
        return _Judged(machine, rate, None, None, None)
    share = laws.power.value(machine)
    former = _FORMER / math.exp(entry.power) - 1.0
    return _Judged(machine, rate, math.expm1(share - entry.power), former, _with_socket(machine, math.exp(share)))


def _with_socket(machine: Machine, share: float) -> float | None:
    """Return the error of the power where the socket's is by a law without it, None of sockets of no table."""
    ratio = _socket_ratios().get(machine.device)
    if ratio is None or machine.processor_power is None or machine.power is None or missing(machine, POWER):
        return None
    changed = replace(machine, processor_power=machine.processor_power * ratio)
    power = float(predicted([changed], POWER, alone(POWER, np.array([share])))[0])
    return power / machine.power - 1.0


def _socket_ratios() -> dict[str, float]:
    kept = rated(sockets())
    return {device_name("", str(name)): float(ratio) for name, ratio in zip(kept.names, left_out(), strict=True)}


def _errors(judged: Sequence[_Judged]) -> Iterator[CoreError]:
    powers = [entry for entry in judged if entry.power is not None]
    yield from _one("power, one constant as before (1.3426)", [(entry.machine.name, entry.former) for entry in powers])
    yield from _one("power, by year and processor", [(entry.machine.name, entry.power) for entry in powers])
    of_both = [(entry.machine.name, entry.with_socket) for entry in judged if entry.with_socket is not None]
    yield from _one("power, the socket's by its law too", of_both)
    for name in CLOCKS:
        rates = [entry for entry in judged if entry.rate is not None and entry.machine.clock_class == name]
        yield from _one(f"rate, {name}", [(entry.machine.name, entry.rate) for entry in rates])


def _one(what: str, judged: Sequence[tuple[str, float | None]]) -> Iterator[CoreError]:
    pairs = [(name, value) for name, value in judged if value is not None]
    if pairs:
        sizes = np.abs([value for _, value in pairs])
        at = int(np.argmax(sizes))
        yield CoreError(what, len(pairs), float(sizes.mean()), float(np.median(sizes)), pairs[at][1], pairs[at][0])


def blind_machine(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Return LineShine by laws that do not know it, under each reading of its socket; empty where it is not there."""
    (machine, *_) = [*(entry for entry in machines if entry.name == _BLIND), None]
    if machine is None or machine.power is None or machine.linpack_flop_rate is None:
        return []
    laws = fitted()
    given = laws.shares(machine)
    (shares,) = measured_shares([machine])
    assert shares.rate is not None
    rate = machine.linpack_flop_rate * math.exp(given.rate - shares.rate)
    measured = machine.linpack_flop_rate / machine.power
    power_share = alone(POWER, np.array([math.exp(given.power)]))
    result = []
    readings = [None, *READINGS]
    for reading in readings:
        entry = blind_socket(*([reading] if reading else []))
        watts = float(entry.rated_power[0]) if reading is None else float(shipped_law().power(entry)[0])
        power = float(predicted([replace(machine, processor_power=watts)], POWER, power_share)[0])
        words = "socket as rated" if reading is None else _reading(reading.energy_class, reading.built_for)
        result.append(
            {"reading": words, "fixed": reading is READINGS[0], "socket": watts, "rate": rate, "power": power}
            | {"efficiency": rate / power, "measured": measured, "error": rate / power / measured - 1.0}
        )
    return result


def _reading(energy_class: float, built_for: float) -> str:
    return f"{1e9 * energy_class:g} nm, built for {built_for / 1e9:g} GHz"


def core_records(machines: Sequence[Machine]) -> dict[str, Any]:
    """Return plain values for JSON: errors, errors by machine, laws, the blind machine."""
    judged, errors = core_errors(machines)
    laws = fitted().cores
    return {
        "errors": [vars(entry) for entry in errors],
        "machines": [
            {"name": entry.machine.name, "device": entry.machine.device, "class": entry.machine.clock_class}
            | {"rate_error": entry.rate, "power_error": entry.power, "power_error_before": entry.former}
            | {"power_error_with_socket": entry.with_socket}
            for entry in judged
        ],
        "laws": _laws(laws),
        "blind": blind_machine(machines),
    }


def _laws(laws: CoreLaws) -> dict[str, Any]:
    power = laws.power
    return {
        "power": {"share_in_2020": math.exp(power.in_first_year), "slope": power.slope}
        | {"slope_error": power.slope_error, "within": power.left.within, "between": power.left.between}
        | {"machines": power.machines, "slopes_without_a_device": list(slope_signs(observed_cores()))},
        "rate": {
            name: {"share": math.exp(law.classes[name].mean), "within": law.within, "between": law.between}
            | {"machines": law.classes[name].machines, "devices": law.classes[name].devices}
            for name, law in laws.rate.items()
        },
    }


def core_listings(machines: Sequence[Machine]) -> Iterator[Listing]:
    """Return the tables for people."""
    judged, errors = core_errors(machines)
    rows = [
        (
            entry.machine.name,
            entry.machine.device,
            *map(_percent, (entry.rate, entry.power, entry.former, entry.with_socket)),
        )
        for entry in judged
        if entry.rate is not None or entry.power is not None
    ]
    headings = ("machine", "processor", "rate", "power", "by one constant", "socket by its law")
    title = "Machines without accelerators: errors of the laws, each left out of their fit"
    yield Listing(title, headings, rows, right=(2, 3, 4, 5))
    rows = [
        (
            entry.what,
            str(entry.machines),
            _size(entry.mean),
            _size(entry.median),
            _percent(entry.worst),
            entry.worst_machine,
        )
        for entry in errors
    ]
    yield Listing(
        "How far these laws are off", ("law", "machines", "mean", "median", "worst", "of"), rows, (1, 2, 3, 4)
    )
    laws = fitted().cores
    power, (least, largest) = laws.power, slope_signs(observed_cores())
    means = [
        (f"rate, {name}", f"{math.exp(law.classes[name].mean):.4f}", f"{law.within:.3f}", f"{law.between:.3f}", "")
        for name, law in laws.rate.items()
    ]
    by_year = (
        f"{100 * power.slope:+.2f} ± {100 * power.slope_error:.2f} % a year; {100 * least:+.2f} to "
        f"{100 * largest:+.2f} with any one processor left out"
    )
    share, left = f"{math.exp(power.in_first_year):.4f}", power.left
    means.append(("power over rated, 2020", share, f"{left.within:.3f}", f"{left.between:.3f}", by_year))
    yield Listing("Laws of machines without accelerators", ("law", "mean", "within", "between", ""), means, (1, 2, 3))
    readings = [
        (
            entry["reading"],
            f"{entry['socket']:.0f} W",
            f"{entry['efficiency'] / 1e9:.1f}",
            _percent(entry["error"]),
            "the fixed reading" if entry["fixed"] else "",
        )
        for entry in blind_machine(machines)
    ]
    columns = ("reading of LX2", "socket", "Gflop/s per W", "error", "")
    yield Listing(f"{_BLIND}, blind: in no fit; measured at 52.1 Gflop/s per W", columns, readings, (1, 2, 3))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f} %"


def _size(value: float) -> str:
    return f"{100 * value:.1f} %"
