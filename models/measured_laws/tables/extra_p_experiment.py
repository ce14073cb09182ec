"""Experiments that Extra-P stored: ``.extra-p``, a zip of a JSON document and of arrays of repeated values."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.lib import format as npy

from dse.errors import InputError, shown
from dse.models.measured_laws.tables.extra_p_json import decoded, expected
from dse.models.measured_laws.tables.rows import Row, number_of, parameter_value

__all__ = ["read_extra_p_experiment"]

_LARGEST = 200_000_000
_INDEX, _VALUES = b"Extra-P INDEX\0\0\0", b"Extra-P VALUES\0\0"
_STATISTICS = ("mean", "median")


def read_extra_p_experiment(data: bytes, name: str) -> tuple[list[Row], list[str]]:
    """Read an experiment: each repetition where the values were kept, else the mean of each point.

    Parameters
    ----------
    data : bytes
    name : str
        Of the file, for messages.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as held:
            if sum(entry.file_size for entry in held.infolist()) > _LARGEST:
                raise InputError("is too large when unpacked", file=name, allowed=f"up to {_LARGEST / 1e6:g} MB")
            document = decoded(held.read("experiment.json").decode("utf-8-sig"), name)
            return _rows(expected(document, dict, "the document", name), held, name)
    except (zipfile.BadZipFile, zlib.error, KeyError, UnicodeDecodeError, struct.error, EOFError) as error:
        text = str(error) or type(error).__name__
        raise InputError(f"is no experiment of Extra-P, or is cut: {text}", file=name) from None


def _rows(document: Any, held: zipfile.ZipFile, name: str) -> tuple[list[Row], list[str]]:
    parameters = [
        expected(value, str, "parameters", name)
        for value in expected(document.get("parameters"), list, "parameters", name)
    ]
    rows: list[Row] = []
    means = 0
    for path, metrics in expected(document.get("measurements"), dict, "measurements", name).items():
        for metric, points in expected(metrics, dict, f"measurements.{path}", name).items():
            for number, point in enumerate(expected(points, list, f"measurements.{path}.{metric}", name)):
                where = f"measurements.{path}.{metric}[{number}]"
                at = _coordinate(expected(point, dict, where, name), parameters, where, name)
                values, is_mean = _values(point, held, where, name)
                means += is_mean
                for repetition, value in enumerate(values, 1):
                    measured = number_of(value, where, name)
                    rows.append(Row(where, metric, at, measured, region=path, repetition=repetition, file=name))
    notes = [f"{means} points have no repetitions in the file: their means are taken"] if means else []
    return rows, notes


def _coordinate(point: dict[str, Any], parameters: list[str], where: str, name: str) -> dict[str, float]:
    place = point.get("coordinate")
    values = place.get("values") if isinstance(place, dict) else place
    values = expected(values, list, f"{where}.coordinate", name)
    if len(values) != len(parameters):
        raise InputError(f"{len(values)} coordinates", file=name, key=where, allowed=f"{len(parameters)}")
    return {
        key: parameter_value(key, value, f"{where}.coordinate", name)
        for key, value in zip(parameters, values, strict=True)
    }


def _values(point: dict[str, Any], held: zipfile.ZipFile, where: str, name: str) -> tuple[list[float], bool]:
    place = point.get("values")
    if place is not None:
        numbers = expected(place, list, f"{where}.values", name)
        if len(numbers) != 2 or not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise InputError(shown(place), file=name, key=f"{where}.values", allowed="chunk and place")
        return _array(held, *numbers).reshape(-1).tolist(), False
    for statistic in _STATISTICS:
        if point.get(statistic) is not None:
            return [point[statistic]], True
    raise InputError("no values", file=name, key=where, allowed="values, mean or median")


def _array(held: zipfile.ZipFile, chunk: int, place: int) -> np.ndarray:
    index = held.read(f"values/{chunk}.indx")
    if not index.startswith(_INDEX):
        raise zipfile.BadZipFile(f"values/{chunk}.indx is no index")
    (start,) = struct.unpack_from("<Q", index, len(_INDEX) + 8 * (place + 1))
    values = held.read(f"values/{chunk}.vals")
    if not values.startswith(_VALUES) or start >= len(values):
        raise zipfile.BadZipFile(f"values/{chunk}.vals is cut")
    try:
        return np.asarray(npy.read_array(io.BytesIO(values[start:]), allow_pickle=False), dtype=float)
    except (ValueError, TypeError) as error:
        raise zipfile.BadZipFile(str(error)) from None
