"""The fitted laws as files of ``spaces/machines`` (and one of ``spaces/node_class``), and as columns of its devices.

``laws.csv``, ``device-laws.csv``, the same factors in ``devices.csv``, and ``socket-law.csv``.

``python -m dse.models.machines.laws.fitted_tables`` in a checkout writes them anew after a change of the tables
of machines, sockets and devices. A test holds that they are what the fit gives.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from dse.models.machines.catalogue.catalogue import Machine, catalogue
from dse.models.machines.laws.comparison import Judged, judged
from dse.models.machines.laws.core_laws import CoreLaws, core_machines, observed_cores
from dse.models.machines.laws.laws import (
    ALL_MACHINES,
    GRADIENT_WITHIN,
    Laws,
    fitted,
    later_device,
    later_devices,
    observed,
)
from dse.models.machines.laws.shrinkage import DeviceLaw, Law
from dse.models.node_class.sockets.errors import fitted_law
from dse.models.node_class.sockets.fitted_law import FILE, law_file

__all__ = ["LEFT_OUT", "class_rows", "device_rows", "devices_file", "left_out_rows", "measured_over_law"]
__all__ += ["validation", "written"]

LEFT_OUT = ("rate", "power", "efficiency")
"""Laws whose errors of machines that are left out stand in ``left-out.csv``."""

_DIGITS = 4
_BY_CLASS = {"rate": "share of peak rate", "efficiency": "share of rated efficiency", "power": "share of rated power"}
_BY_CLASS["gradient"] = "share of memory bandwidth in HPCG"
_HEAD = (
    "# Fitted on spaces/machines/systems.csv and machines-2026.csv by\n"
    "# python -m dse.models.machines.laws.fitted_tables: not to be edited.\n"
)


def class_rows(laws: Laws) -> list[dict[str, str]]:
    """Return the rows of ``laws.csv``: what the laws are made of, one number per row."""
    result = []
    for name, title in _BY_CLASS.items():
        law: Law = getattr(laws, name)
        within = GRADIENT_WITHIN if name == "gradient" else law.within
        result += [
            _row(name, "", "k", law.k, "variance of machines of one device over that of devices of one class"),
            _row(name, "", "within", law.within, "standard deviation of the logarithm, machines of one device"),
            _row(name, "", "between", law.between, "standard deviation of the logarithm, devices of one class"),
            _row(name, "", "machine_error", within, "standard error of the logarithm of one machine, device known"),
        ]
        for of, class_law in law.classes.items():
            if name != "gradient" and of != "accelerator":
                continue  # of machines without accelerators by laws of their own
            what = f"{title}, mean of {class_law.machines} machines with {class_law.devices} devices"
            result.append(_row(name, of, "mean", math.exp(class_law.mean), what))
            result.append(
                _row(name, of, "mean_error", math.sqrt(class_law.variance), "standard error of its logarithm")
            )
    what = "share of a difference in ln(power) between machines of one device that is in their rate too"
    result += _core_rows(laws.cores)
    return [*result, _row("operating point", "", "rate_over_power", laws.rate_over_power, what)]


def _core_rows(cores: CoreLaws) -> list[dict[str, str]]:
    result = []
    for of, law in cores.rate.items():
        mean = law.classes[of]
        name = "rate without accelerators"
        what = f"share of peak rate, mean of {mean.machines} machines with {mean.devices} processors"
        result += [
            _row(name, of, "mean", math.exp(mean.mean), what),
            _row(name, of, "within", law.within, "standard deviation of the logarithm, machines of one processor"),
            _row(name, of, "between", law.between, "standard deviation of the logarithm, processors of one class"),
        ]
    power, name = cores.power, "power without accelerators"
    what = f"share of rated power in 2020, {power.machines} machines"
    return [
        *result,
        _row(name, "", "mean", math.exp(power.in_first_year), what),
        _row(name, "", "slope", power.slope, "change of its logarithm by the year, until 2026"),
        _row(name, "", "slope_error", power.slope_error, "standard error of the slope"),
        _row(name, "", "within", power.left.within, "standard deviation of the logarithm, machines of one processor"),
        _row(name, "", "between", power.left.between, "standard deviation of the logarithm between processors"),
    ]


def _row(law: str, of: str, name: str, value: float, what: str) -> dict[str, str]:
    return {"law": law, "class": of, "name": name, "value": f"{value:.{_DIGITS}f}", "what": what}


def device_rows(laws: Laws) -> list[dict[str, str]]:
    """Return the rows of ``device-laws.csv``: a device each, with its factors and the errors of their logarithms."""
    later = [shares for machines in later_devices().values() for shares in machines]
    measured = [*observed(), *observed_cores(), *later]
    names = dict.fromkeys(shares.machine.device for shares in measured if shares.rate is not None)
    return [_device(name, laws) for name in names]


def _device(name: str, laws: Laws) -> dict[str, str]:
    machine = next(machine for machine in (*catalogue(), *core_machines()) if machine.device == name)
    rate = _law_of(laws, "rate", machine)
    efficiency = _law_of(laws, "efficiency", machine)
    gradient = laws.gradient.devices.get(name)
    assert rate is not None
    error = laws.cores.power.left.between
    if machine.accelerated:
        error = efficiency.standard_error if efficiency else laws.efficiency.standard_error("accelerator", name)
    return {
        "device": name,
        "class": rate.device_class,
        "rate_machines": str(rate.machines),
        "device_measured_machines": str(efficiency.machines if efficiency else 0),
        "gradient_machines": str(gradient.machines if gradient else 0),
        "device_peak_factor": _factor(rate.offset),
        "device_efficiency_factor": _factor(efficiency.offset if efficiency else 0.0),
        "device_gradient_factor": _factor(gradient.offset if gradient else 0.0),
        "peak_error": f"{rate.standard_error:.{_DIGITS}f}",
        "efficiency_error": f"{error:.{_DIGITS}f}",
        "gradient_error": f"{laws.gradient_errors.standard_error(ALL_MACHINES, name):.{_DIGITS}f}",
    }


def _law_of(laws: Laws, figure: str, machine: Machine) -> DeviceLaw | None:
    """Return the offset of the device of a machine; None of efficiencies that no machine tells."""
    if not machine.accelerated:
        return laws.cores.rate[machine.clock_class].devices[machine.device] if figure == "rate" else None
    law: Law = getattr(laws, figure)
    later = [getattr(shares, figure) for shares in later_devices().get(machine.device, [])]
    values = [value for value in later if value is not None]
    return law.devices.get(machine.device) or (later_device(law, "accelerator", values) if values else None)


def _factor(offset: float) -> str:
    return f"{math.exp(offset):.{_DIGITS}f}"


_OF_DEVICES = (
    "device_measured_machines",
    "device_peak_factor",
    "device_efficiency_factor",
    "device_gradient_factor",
    "validation",
)


def devices_file(text: str, laws: Laws) -> str:
    """Return the text of ``devices.csv`` with the fitted columns made anew."""
    lines = text.splitlines(keepends=True)
    remarks = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    fitted_rows = {row["device"]: row for row in device_rows(laws)}
    judgements = judged(catalogue())
    for row in rows:
        known = fitted_rows.get(row["device_model"], {})
        row |= {name: known.get(name, "0" if name == "device_measured_machines" else "1") for name in _OF_DEVICES[:-1]}
        row["validation"] = validation(row["device_model"], laws, judgements)
    heading = [name for name in rows[0] if name not in _OF_DEVICES]
    at = heading.index("source")
    return "".join(remarks) + _csv(rows, [*heading[:at], *_OF_DEVICES, *heading[at:]])


def validation(device: str, laws: Laws, judgements: Iterable[Judged]) -> str:
    """Return how far the law was from machines with a device that were left out of its fit, in words."""
    mine = [
        judged_share
        for judged_share in judgements
        if judged_share.machine.device == device and judged_share.law in ("rate", "efficiency")
    ]
    if not mine:
        rate, efficiency = (law.standard_error("accelerator", device) for law in (laws.rate, laws.efficiency))
        return (
            "no machine measured: by its class, where a new device is off by "
            f"{100 * rate:.0f} % in rate and {100 * efficiency:.0f} % in Gflop/s per W (one standard error)"
        )
    names = ", ".join(dict.fromkeys(judged_share.machine.name for judged_share in mine))
    deviations = [
        f"{measured_over_law([judged_share for judged_share in mine if judged_share.law == law])} of {what}"
        for law, what in (("rate", "the rate"), ("efficiency", "the Gflop/s per W"))
        if any(judged_share.law == law for judged_share in mine)
    ]
    return f"{names}: measured at {' and '.join(deviations)} that the law gives without them"


def measured_over_law(group: Sequence[Judged]) -> str:
    """Return in words the range of what was measured over what the law gives without the machine."""
    ratios = sorted(judged_share.measured / judged_share.share for judged_share in group)
    low, high = f"{ratios[0]:.2f}", f"{ratios[-1]:.2f}"
    return low if low == high else f"{low} to {high}"


def _csv(rows: list[dict[str, str]], heading: list[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, heading, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def left_out_rows() -> list[dict[str, str]]:
    """Return the rows of ``left-out.csv``: what laws without each machine give over what was measured of it."""
    return [
        {
            "machine": own.machine.name,
            "law": own.law,
            "law_over_measured": f"{own.share / own.measured:.{_DIGITS}f}",
            "standard_errors": f"{own.deviations:.{_DIGITS}f}",
        }
        for own in judged(catalogue())
        if own.law in LEFT_OUT
    ]


def written(folder: Path) -> Mapping[str, str]:
    """Return what belongs into each file of a folder, by its name."""
    laws = fitted()
    classes, of_devices, left_out = class_rows(laws), device_rows(laws), left_out_rows()
    return {
        "laws.csv": f"{_HEAD}{_csv(classes, list(classes[0]))}",
        "device-laws.csv": (
            f"{_HEAD}# Factors beside the mean of the class, and standard errors of their logarithms.\n"
            f"{_csv(of_devices, list(of_devices[0]))}"
        ),
        "left-out.csv": (
            f"{_HEAD}# Each machine beside laws without it: shares by the law over measured, and the difference of\n"
            f"# their logarithms in standard errors.\n{_csv(left_out, list(left_out[0]))}"
        ),
        f"../node_class/{FILE}": law_file(fitted_law()),
        "devices.csv": devices_file((folder / "devices.csv").read_text(encoding="utf-8"), laws),
    }


if __name__ == "__main__":
    spaces = Path(str(files("dse.spaces"))) / "machines"
    for file_name, content in written(spaces).items():
        (spaces / file_name).write_text(content, encoding="utf-8")
        print(spaces / file_name)
