"""The JSON of Extra-P, and its JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dse.errors import InputError, shown
from dse.models.measured_laws.tables.extra_p_text import DEFAULT_METRIC
from dse.models.measured_laws.tables.rows import Row, number_of, parameter_value

__all__ = ["decoded", "expected", "read_extra_p_json", "read_extra_p_lines"]


def decoded(text: str, name: str, key: str | None = None) -> Any:
    """Return what a text of JSON holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON: {error}", file=name, key=key) from None


def expected(value: Any, kind: type, key: str, name: str) -> Any:
    """Return a value of a document, after seeing that it is of a kind."""
    if not isinstance(value, kind):
        words: dict[type, str] = {dict: "a table of names", list: "a list", str: "a text"}
        raise InputError(shown(value), file=name, key=key, allowed=words[kind])
    return value


def read_extra_p_json(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read ``{"parameters": [...], "measurements": {region: {metric: [{"point": [...], "values": [...]}]}}}``.

    A file of JSON lines that is called .json is read as such.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].lstrip().startswith("{") and lines[0].rstrip().endswith("}"):
        return read_extra_p_lines(text, name)
    document = expected(decoded(text, name), dict, "the document", name)
    if "params" in document and "value" in document:
        return read_extra_p_lines(text, name)
    for key in ("parameters", "measurements"):
        if key not in document:
            raise InputError(f"no key '{key}'", file=name, allowed="parameters, measurements")
    parameters = [
        expected(parameter, str, "parameters", name)
        for parameter in expected(document["parameters"], list, "parameters", name)
    ]
    rows = []
    for region, metrics in expected(document["measurements"], dict, "measurements", name).items():
        for metric, points in expected(metrics, dict, f"measurements.{region}", name).items():
            place = f"measurements.{region}.{metric}"
            for number, measurement in enumerate(expected(points, list, place, name)):
                where = f"{place}[{number}]"
                point = expected(expected(measurement, dict, where, name).get("point"), list, f"{where}.point", name)
                values = expected(measurement.get("values"), list, f"{where}.values", name)
                if len(point) != len(parameters):
                    raise InputError(f"{len(point)} coordinates", file=name, key=where, allowed=f"{len(parameters)}")
                at = {
                    key: parameter_value(key, value, f"{where}.point", name)
                    for key, value in zip(parameters, point, strict=True)
                }
                if not values:
                    raise InputError("no values", file=name, key=where)
                for repetition, value in enumerate(values, 1):
                    measured = number_of(value, f"{where}.values", name)
                    rows.append(Row(where, metric, at, measured, region=region, repetition=repetition, file=name))
    return rows, []


def read_extra_p_lines(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read a line ``{"params": {...}, "value": ..., "callpath": ..., "metric": ...}`` per value."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"line {number}"
        document: Mapping[str, Any] = expected(decoded(line, name, where), dict, where, name)
        for key in document:
            if key not in (known := ("params", "value", "callpath", "metric")):
                raise InputError(
                    f"unknown key '{key}'", file=name, key=where, allowed=known, wrong=key, candidates=known
                )
        at = {
            key: parameter_value(key, value, f"{where}, {key}", name)
            for key, value in expected(document.get("params"), dict, f"{where}, params", name).items()
        }
        value = number_of(document.get("value"), f"{where}, value", name)
        metric = expected(document.get("metric", DEFAULT_METRIC), str, f"{where}, metric", name)
        region = expected(document.get("callpath", ""), str, f"{where}, callpath", name)
        rows.append(Row(where, metric, at, value, region=region, file=name))
    return rows, []
