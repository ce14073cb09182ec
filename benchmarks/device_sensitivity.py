"""Which devices the frontier of the study exascale has when one figure of one device is another.

Unlike the rest of this package this looks at no clock, and at the study that comes with the project: its accelerated
alternatives, in which a row of ``spaces/machines/devices.csv`` is changed. Those of cores are left out, as the
frontier of the whole study has none and a device 10 % off brings none in (the guide has by how much they are beaten).
"""

from __future__ import annotations

import csv
import io
import math
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.machine import require
from benchmarks.report import Column, Section

if TYPE_CHECKING:
    import pandas as pd

    from dse.models.machines.laws.laws import Laws

Row = dict[str, str]

STUDY = "exascale"
FAILURE_FREE = "exascale-collectives"
BY_LAWS = "exascale-law"
WITHIN = 30e6
"""The limit of power [W] that one column asks for."""

TENTH = (1.1, 0.9)

READINGS: dict[str, tuple[str, ...]] = {
    "power drawn": ("device_power",),
    "share of peak, power with it": ("device_peak_factor",),
    "share of peak, power kept": ("device_peak_factor", "device_efficiency_factor"),
}
"""What is changed, and the columns that are scaled for it.

The law is of efficiency, so a device that sustains more draws more; its power stays only if the efficiency is more too.
A device without a machine draws what its class does, whatever its share: for it only the last is there.
"""

RERATED = ("MI300A", 550.0)
"""A device and another rated power of it [W], put in both tables, with the laws fitted anew."""

BEFORE: dict[str, float] = {
    "accelerator_peak_share": 0.7506,
    "accelerator_power_share": 0.966,
    "gradient_bandwidth_share": 0.6404,
}
"""One constant for all accelerators each: medians of one half of the machines, the laws before those by device."""

SMALL = ("MI300A", "GH200")
OBJECTIVES = ["wall_time", "machine_power", "machine_cost"]

_ACCELERATED = "accelerated"
_LATER = ("MI350X", "GB200", "Rubin")  # not measured, and of boards of eight or announced: they change no case
_SEEN_LATER = "H200"  # its first machine came after the steps
_DEVICES_PER_NODE = [2, 4, 6, 8]  # a free number: what decides among devices, whatever boards there are
_NODE_LIMIT = "node_thermal_design_power <= 15 kW"
_FIVE = "node_thermal_design_power <= 5 kW"
_UNKNOWN: Row = {
    "device_peak_factor": "1",
    "device_efficiency_factor": "1",
    "device_gradient_factor": "1",
    "device_measured_machines": "0",
}
_CLASSES = {
    "accelerator_peak_share": ("rate", "accelerator"),
    "accelerator_efficiency_share": ("efficiency", "accelerator"),
    "accelerator_power_share": ("power", "accelerator"),
    "gradient_bandwidth_share": ("gradient", "all machines"),
}


@dataclass(frozen=True)
class Case:
    """The study with other figures: rows of the catalogue of devices, values of assumptions, the limit of a node.

    `device` is of a case that changes one figure of one device, by its ``device_model``. `study` is one of those that
    have the same space: with collective operations and failures, without failures, and by the laws alone.
    """

    label: str
    rows: Sequence[Row]
    assumptions: Mapping[str, float] = field(default_factory=dict)
    node_limit: str = _NODE_LIMIT
    device: str = ""
    study: str = STUDY


def device_rows() -> list[Row]:
    """Return the catalogue of devices as it is written."""
    text = (Path(str(files("dse.spaces"))) / "machines" / "devices.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [row for row in rows if row["device_model"] not in _LATER]


def changed(rows: Iterable[Row], device: str, columns: Sequence[str], of: Callable[[float], float]) -> list[Row]:
    """Return the rows with columns of one device, as ``device_model`` has it, put through a function."""
    found = [dict(row) for row in rows]
    mine = [row for row in found if row["device_model"] == device]
    if not mine:
        raise KeyError(f"no device '{device}'; there are {', '.join(row['device_model'] for row in found)}")
    for row in mine:
        for column in columns:
            (heading,) = (name for name in row if name.partition(" [")[0] == column)
            row[heading] = repr(of(float(row[heading])))
    return found


def rated(rows: Iterable[Row], device: str, power: float) -> list[Row]:
    """Return the rows with another rated power of a device [W]."""
    return changed(rows, device, ["device_power"], lambda _: power)


def scaled(device: str, reading: str, factor: float) -> Case:
    """Return the study with a figure of a device times a factor; one of `READINGS`."""
    rows = changed(device_rows(), device, READINGS[reading], lambda value: value * factor)
    return Case(f"{device}: {reading} {100 * (factor - 1):+.0f} %", rows, device=device)


def rerated(device: str, power: float) -> Case:
    """Return the study with another rated power of a device in both tables and laws that are fitted anew."""
    from dse.models.machines.catalogue.catalogue import catalogue
    from dse.models.machines.laws.laws import fit
    from dse.models.machines.laws.measured_shares import measured_shares

    machines = [replace(one, device_power=power) if one.device == device else one for one in catalogue() if not one.fit]
    laws = fit(measured_shares(machines))
    return Case(f"{device} rated at {power:g} W in both tables, fitted anew", *_by_laws(laws, device, power))


def _by_laws(laws: Laws, device: str, power: float) -> tuple[list[Row], dict[str, float]]:
    """Return the catalogue and the assumptions as a fit gives them."""
    from dse.models.machines.laws.fitted_tables import device_rows as law_rows

    factors = {row["device"]: {name: row[name] for name in _UNKNOWN} for row in law_rows(laws)}
    rows = [{**row, **factors.get(row["device_model"], _UNKNOWN)} for row in rated(device_rows(), device, power)]
    means = {name: math.exp(getattr(laws, law).classes[of].mean) for name, (law, of) in _CLASSES.items()}
    return rows, {name: round(value, 4) for name, value in means.items()}


def steps() -> list[Case]:
    """Return the study from one constant for all accelerators to the laws by device, one change after the other."""
    new = device_rows()
    old = [row for row in new if row["device_measured_machines"] != "0" and row["device_model"] != _SEEN_LATER]
    alike = [{**row, **_UNKNOWN} for row in new]
    old_alike = [row for row in alike if row["device_model"] in {one["device_model"] for one in old}]
    gradient = {"gradient_bandwidth_share": BEFORE["gradient_bandwidth_share"]}
    law = "HPCG by device too: exascale-law"
    return [
        Case(
            "one constant for all, MI300A 550 W, 7 devices, 5 kW a node",
            rated(old_alike, *RERATED),
            BEFORE,
            _FIVE,
            study=BY_LAWS,
        ),
        Case("the same with MI300A 760 W", old_alike, BEFORE, _FIVE, study=BY_LAWS),
        Case("the same with 12 devices, 15 kW a node", alike, BEFORE, study=BY_LAWS),
        Case(
            "rate and efficiency by device, 7 devices, 5 kW a node",
            _gradient_alike(old),
            gradient,
            _FIVE,
            study=BY_LAWS,
        ),
        Case("the same with 12 devices, 15 kW a node", _gradient_alike(new), gradient, study=BY_LAWS),
        Case(law, new, study=BY_LAWS),
        Case("collective operations: exascale-collectives", new, study=FAILURE_FREE),
        as_it_is(),
    ]


def _gradient_alike(rows: Iterable[Row]) -> list[Row]:
    return [{**row, "device_gradient_factor": "1"} for row in rows]


def as_it_is() -> Case:
    """Return the study that comes with the project, the last of the `steps`."""
    return Case("checkpoints and failures: the study", device_rows())


def search(case: Case, *, whole: bool = False) -> pd.DataFrame:
    """Return the frontier of the study, a row per design: of its accelerated alternatives, or of the whole of it."""
    from dse import Study
    from dse.study.file.headings import bundled_studies

    document = tomllib.loads(bundled_studies()[case.study].read_text(encoding="utf-8"))
    if not whole:
        document["space"]["exclude"] = [f"node != '{_ACCELERATED}'"]
    axes = document["space"]["choices"]["node"][_ACCELERATED]["axes"]
    del axes["board"], document["labels"]["board"]
    axes |= {"device": {"part": "machines/devices.csv"}, "devices_per_node": {"values": _DEVICES_PER_NODE}}
    document["constraints"][document["constraints"].index(_NODE_LIMIT)] = case.node_limit
    document["set"] |= case.assumptions
    del document["references"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "machines" / "devices.csv"  # a file beside the study goes before the catalogue
        place.parent.mkdir()
        place.write_text(_csv(case.rows), encoding="utf-8")
        return Study(document, folder=Path(folder)).run(trust=False).frontier


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def described(label: str, frontier: pd.DataFrame) -> dict[str, Any]:
    """Return a row of the table: devices by count, and which has the least of what; SI, None where there is none."""
    within = frontier[frontier["machine_power"] <= WITHIN]
    time = next(name for name in ("wall_time", "mix_time") if name in frontier)
    counts = Counter(frontier["device"])
    record = {"label": label, "designs": len(frontier), "devices": dict(sorted(counts.items(), key=_most_first))}
    for name, some, quantity in (
        ("least_power", frontier, "machine_power"),
        ("least_time", frontier, time),
        ("least_time_within", within, time),
    ):
        best = some.loc[some[quantity].idxmin()] if len(some) else None
        record[name] = None if best is None else {"device": str(best["device"]), "value": float(best[quantity])}
    return record


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def cases(designs: str) -> list[Case]:
    """Return every change of a tenth, of all devices or for a quick look of the two on the frontier most."""
    rows = device_rows()
    if designs == "small":
        return [scaled(device, "power drawn", factor) for device in SMALL for factor in TENTH]
    found = []
    for row in rows:
        measured = row["device_measured_machines"] != "0"
        some = [one for one in READINGS if measured or one != "share of peak, power with it"]
        found += [scaled(row["device_model"], reading, factor) for reading in some for factor in TENTH]
    return found


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search the study as it is, on its way there, and with one figure changed at a time."""
    tell("the study as it is")
    shipped = search(as_it_is())
    asserted = []
    if designs == "full":
        hardest = scaled("MI300A", "share of peak, power kept", 0.9)
        for case in (as_it_is(), hardest):
            tell(f"the whole study: {case.label}")
            same = np.array_equal(*(search(case, whole=whole)[OBJECTIVES].to_numpy() for whole in (True, False)))
            require(same, f"frontiers of all and of the accelerated alternatives, {case.label}")
            asserted.append(f"frontiers of all and of the accelerated alternatives, {case.label}: every bit")
    rows = []
    for case in [*(steps() if designs == "full" else [as_it_is()]), rerated(*RERATED), *cases(designs)]:
        tell(case.label)
        rows.append(described(case.label, search(case)) | {"device": case.device})
    told = described("", shipped)["devices"]
    shown = [row for row in rows if not row["device"] or row["devices"] != told]
    alike = [str(row["label"]) for row in rows if row["device"] and row["devices"] == told]
    return Section(
        "device-sensitivity",
        f"Devices on the frontier of the study {STUDY}, one figure changed at a time",
        [
            Column("label", "changed"),
            Column("designs", "designs"),
            Column("devices", "devices by count", _counts),
            Column("least_power", "least power", partial(_best, scale=1e-6, unit="MW")),
            Column("least_time", "least time", partial(_best, scale=1.0, unit="s")),
            Column("least_time_within", f"within {WITHIN / 1e6:.0f} MW", partial(_best, scale=1.0, unit="s")),
        ],
        shown,
        [],
        asserted,
        [
            "the study and its parts are those that come with the project, not synthetic",
            "laws and their constants stay as they are, but for the line that says fitted anew",
            f"{len(alike)} of {len(rows)} cases have the devices of the study, each as often, and are left out",
            f"whatever is changed: {', '.join(_never(rows, shown)) or 'none'}",
        ],
    )


def _never(rows: Sequence[Mapping[str, Any]], shown: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the devices of which no change is shown."""
    return [
        name
        for name in dict.fromkeys(row["device"] for row in rows if row["device"])
        if name not in {row["device"] for row in shown}
    ]


def _counts(devices: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in devices.items())


def _best(one: Mapping[str, Any] | None, *, scale: float, unit: str) -> str:
    return "–" if one is None else f"{one['device']} {one['value'] * scale:.1f} {unit}"
