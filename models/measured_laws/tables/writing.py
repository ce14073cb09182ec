"""Measurements for other tools: tidy CSV, Extra-P text and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dse.errors import InputError
from dse.models.measured_laws.tables.table import Measurements

__all__ = ["write_measurements"]


def write_measurements(measurements: Measurements, path: str | Path) -> None:
    """Write measurements: ``.csv`` (tidy, nothing lost), ``.txt`` (Extra-P text) or ``.json`` (Extra-P).

    The formats of Extra-P have no units, so the unit stands in the name of the metric ("time [s]"), which
    `read_measurements` understands; they have no single ranks, no litmus, and one application: rows that cannot be
    written are refused, not left out.
    """
    path = Path(path)
    if path.exists():
        raise InputError("the file exists already; it is not overwritten", file=path, allowed="another name")
    if path.suffix == ".csv":
        names = ["application", "region", "metric", *measurements.parameters]
        columns = [*names, "repetition", "rank", "value", "unit", "litmus"]
        path.write_text(measurements.table[columns].to_csv(index=False, lineterminator="\n"), encoding="utf-8")
        return
    if path.suffix not in (".txt", ".json"):
        raise InputError(f"'{path.name}'", allowed="a name that ends in .csv, .txt (Extra-P) or .json (Extra-P)")
    table = measurements.table
    if len(measurements.applications) > 1 or table["rank"].notna().any():
        raise InputError("several applications or values of single ranks", allowed="a file that ends in .csv")
    by_region = _by_region(measurements)
    if path.suffix == ".json":
        blocks = {
            region: {
                metric: [{"point": list(point), "values": values} for point, values in points.items()]
                for metric, points in metrics.items()
            }
            for region, metrics in by_region.items()
        }
        document = {"parameters": list(measurements.parameters), "measurements": blocks}
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        return
    path.write_text(_as_text(measurements, by_region), encoding="utf-8")


_Found = dict[str, dict[str, dict[tuple[float, ...], list[float]]]]


def _by_region(measurements: Measurements) -> _Found:
    by_region: _Found = {}
    names = list(measurements.parameters)
    for (region, metric, unit), part in measurements.table.groupby(["region", "metric", "unit"], sort=False):
        points: Any = by_region.setdefault(region, {}).setdefault(f"{metric} [{unit}]", {})
        for point, value in zip(part[names].itertuples(index=False, name=None), part["value"], strict=True):
            points.setdefault(tuple(map(float, point)), []).append(float(value))
    return by_region


def _as_text(measurements: Measurements, by_region: _Found) -> str:
    every = list(dict.fromkeys(point for m in by_region.values() for points in m.values() for point in points))
    lines = [f"PARAMETER {name}" for name in measurements.parameters]
    lines.append("POINTS " + " ".join("(" + " ".join(map(repr, point)) + ")" for point in every))
    for region, metrics in by_region.items():
        for metric, points in metrics.items():
            if len(points) != len(every):
                raise InputError(
                    f"{metric} was not measured at every point", allowed="a file that ends in .csv or .json"
                )
            lines += [f"METRIC {metric}", f"REGION {region}"]
            lines += ["DATA " + " ".join(map(repr, points[point])) for point in every]
    return "\n".join(lines) + "\n"
