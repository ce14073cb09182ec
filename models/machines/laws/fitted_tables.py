"""The fitted laws as files: ``spaces/machines/laws.csv``, ``device-laws.csv`` and the same factors in ``devices.csv``.

``python -m dse.models.machines.laws.fitted_tables`` in a checkout writes them anew after a change of the table of
machines or of the catalogue of devices. A test holds that they are what the fit gives.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.laws.comparison import Judged, judged
from dse.models.machines.laws.laws import ALL_MACHINES, GRADIENT_WITHIN, Laws, fitted, observed
from dse.models.machines.laws.shrinkage import Law

__all__ = ["class_rows", "device_rows", "devices_file", "measured_over_law", "validation", "written"]

_DIGITS = 4
_BY_CLASS = {"rate": "share of peak rate", "efficiency": "share of rated efficiency", "power": "share of rated power"}
_BY_CLASS["gradient"] = "share of memory bandwidth in HPCG"
_HEAD = (
    "# Fitted on spaces/machines/systems.csv by python -m dse.models.machines.laws.fitted_tables: not to be edited.\n"
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
            what = f"{title}, mean of {class_law.machines} machines with {class_law.devices} devices"
            result.append(_row(name, of, "mean", math.exp(class_law.mean), what))
            result.append(
                _row(name, of, "mean_error", math.sqrt(class_law.variance), "standard error of its logarithm")
            )
    what = "share of a difference in ln(power) between machines of one device that is in their rate too"
    return [*result, _row("operating point", "", "rate_over_power", laws.rate_over_power, what)]


def _row(law: str, of: str, name: str, value: float, what: str) -> dict[str, str]:
    return {"law": law, "class": of, "name": name, "value": f"{value:.{_DIGITS}f}", "what": what}


def device_rows(laws: Laws) -> list[dict[str, str]]:
    """Return the rows of ``device-laws.csv``: a device each, with its factors and the errors of their logarithms."""
    names = dict.fromkeys(shares.machine.device for shares in observed() if shares.rate is not None)
    return [_device(name, laws) for name in names]


def _device(name: str, laws: Laws) -> dict[str, str]:
    rate, efficiency, gradient = (law.devices.get(name) for law in (laws.rate, laws.efficiency, laws.gradient))
    assert rate is not None
    of = efficiency.device_class if efficiency else _power_class(name)
    columns = {
        "device": name,
        "class": rate.device_class,
        "rate_machines": str(rate.machines),
        "device_measured_machines": str(efficiency.machines if efficiency else 0),
        "gradient_machines": str(gradient.machines if gradient else 0),
        "device_peak_factor": _factor(rate.offset),
        "device_efficiency_factor": _factor(efficiency.offset if efficiency else 0.0),
        "device_gradient_factor": _factor(gradient.offset if gradient else 0.0),
        "peak_error": f"{rate.standard_error:.{_DIGITS}f}",
        "efficiency_error": f"{laws.efficiency.standard_error(of, name):.{_DIGITS}f}",
        "gradient_error": f"{laws.gradient_errors.standard_error(ALL_MACHINES, name):.{_DIGITS}f}",
    }
    return columns


def _power_class(device: str) -> str:
    return next(shares.machine.power_class for shares in observed() if shares.machine.device == device)


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


def written(folder: Path) -> Mapping[str, str]:
    """Return what belongs into each file of a folder, by its name."""
    laws = fitted()
    classes, of_devices = class_rows(laws), device_rows(laws)
    return {
        "laws.csv": f"{_HEAD}{_csv(classes, list(classes[0]))}",
        "device-laws.csv": (
            f"{_HEAD}# Factors beside the mean of the class, and standard errors of their logarithms.\n"
            f"{_csv(of_devices, list(of_devices[0]))}"
        ),
        "devices.csv": devices_file((folder / "devices.csv").read_text(encoding="utf-8"), laws),
    }


if __name__ == "__main__":
    spaces = Path(str(files("dse.spaces"))) / "machines"
    for file_name, content in written(spaces).items():
        (spaces / file_name).write_text(content, encoding="utf-8")
        print(spaces / file_name)
