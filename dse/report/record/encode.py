"""Arrays and the record of the page as JSON: base64 of little-endian numbers, as few bytes as their range allows."""

from __future__ import annotations

import base64
import math
import shlex

import numpy as np

from dse.authoring.watch.validation import validation_lines
from dse.report.record.details import Details
from dse.report.record.neighbours import Neighbours
from dse.report.record.references import ReferenceView
from dse.report.record.view import PageView, ShortView
from dse.study.build.labels import label_of

__all__ = ["encode_array", "encode_view"]

_WHOLE = (("u8", np.uint8), ("u16", np.uint16), ("u32", np.uint32), ("u64", np.uint64))
_PACKED = 4096  # entries from which on whole numbers are written with no more bits than the largest needs
_BITS = 53  # bits of a whole number that a script reads exactly
_PRECISE = 1_000_000  # bytes up to which a study's numbers are written in double precision


def encode_array(values: np.ndarray, kind: str = "f32") -> dict[str, object]:
    """Write an array.

    Parameters
    ----------
    values : ndarray
        Floats, or whole numbers >= 0, which get the smallest type that holds them; many get as many bits as the largest
        needs, packed from the lowest bit of the first byte on (``t`` is "bits", ``w`` their number).
    kind : {"f32", "f64"}
        How floats are written.

    Returns
    -------
    dict
        ``t`` (type), ``n`` (entries) and ``b`` (base64), or ``c``: the one value they all have, None for NaN.

    Examples
    --------
    >>> encode_array(np.array([1, 2, 300]))
    {'t': 'u16', 'n': 3, 'b': 'AQACACwB'}
    >>> packed = encode_array(np.arange(5000) % 5)
    >>> packed["t"], packed["w"], len(packed["b"])
    ('bits', 3, 2500)
    >>> encode_array(np.array([0.5, 0.5]))
    {'n': 2, 'c': 0.5}
    """
    array = np.asarray(values)
    count = len(array)
    if count and bool((array == array[0]).all() if array.dtype.kind != "f" else _constant(array)):
        value = array[0].item()
        if array.dtype.kind != "f" or math.isfinite(value) or math.isnan(value):
            return {"n": count, "c": None if isinstance(value, float) and math.isnan(value) else value}
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            raw = array.astype("<f4" if kind == "f32" else "<f8")
    else:
        largest = int(array.max()) if count else 0
        width = largest.bit_length()
        if count >= _PACKED and width <= _BITS and width not in (8, 16, 32):
            return {"t": "bits", "w": width, "n": count, "b": base64.b64encode(_packed(array, width)).decode("ascii")}
        kind, dtype = next(pair for pair in _WHOLE if largest <= np.iinfo(pair[1]).max)
        raw = array.astype(np.dtype(dtype).newbyteorder("<"))
    return {"t": kind, "n": count, "b": base64.b64encode(raw.tobytes()).decode("ascii")}


def _packed(array: np.ndarray, width: int) -> bytes:
    bits = (array.astype(np.uint64)[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8).reshape(-1), bitorder="little").tobytes()


def _constant(array: np.ndarray) -> bool:
    return bool(np.isnan(array).all()) if np.isnan(array[0]) else bool((array == array[0]).all())


def encode_view(view: PageView) -> dict[str, object]:
    """Return the record of the page as plain values for JSON; what the names mean stands at `PageView`."""
    kind = "f64" if len(view.numbers) * len(view.objectives) * 8 <= _PRECISE else "f32"
    front = int((view.kinds == 0).sum())
    return {
        "name": view.name,
        "labels": dict(view.labels),
        "exact": view.exact,
        "synthetic": view.synthetic,
        "alternatives": list(view.alternatives),
        "constraints": list(view.constraints),
        "numbers": encode_array(view.numbers),
        "places": encode_array(view.places),
        "kinds": encode_array(view.kinds),
        "violated": encode_array(view.violated + 1),
        "products": encode_array(view.products),
        "rows": {"drawn": len(view.numbers), "frontier": front, "details": view.details.rows if view.details else 0},
        "frontier": view.frontier,
        "complete": view.complete,
        "single": kind == "f32",
        "objectives": [
            {
                "quantity": o.quantity,
                "label": label_of(view.labels, o.quantity),
                "sense": o.sense,
                "unit": o.unit,
                "scale": o.scale,
                "shown": o.shown,
                "doc": o.doc,
                "best": o.best,
                "worst": o.worst,
                # The frontier keeps every digit, so that an export of it holds the numbers of frontier.parquet.
                "front": encode_array(o.values[:front], "f64"),
                "cloud": encode_array(o.values[front:], kind),
                "ranks": encode_array(o.ranks),
            }
            for o in view.objectives
        ],
        "axes": [
            {
                "name": axis.name,
                "label": label_of(view.labels, axis.name),
                "unit": axis.unit,
                "scale": axis.scale,
                "shown": axis.shown,
                "doc": axis.doc,
                "texts": None if axis.texts is None else list(axis.texts),
                "values": None if axis.values is None else encode_array(axis.values, "f64"),
                "codes": encode_array(axis.codes),
                "of": axis.of,
            }
            for axis in view.axes
        ],
        "validations": [
            {
                "axis": validation.axis,
                "name": validation.name,
                "parts": list(validation.parts),
                "texts": list(validation.texts),
                "codes": encode_array(validation.codes),
            }
            for validation in view.validations
        ],
        "extras": [
            {
                "name": extra.name,
                "label": label_of(view.labels, extra.name),
                "unit": extra.unit,
                "scale": extra.scale,
                "shown": extra.shown,
                "doc": extra.doc,
                "texts": None if extra.texts is None else list(extra.texts),
                "values": None if extra.values is None else encode_array(extra.values, "f64"),
            }
            for extra in view.extras
        ],
        "extrapolated": {"texts": list(view.outside), "codes": encode_array(view.extrapolated)},
        "details": _details(view.details) if view.details else None,
        "neighbours": _neighbours(view.neighbours) if view.neighbours else None,
        "sure": None if view.sure is None else encode_array(view.sure),
        "sure_words": view.sure_words,
        "picks": [{"name": pick.name, "told": pick.told, "row": pick.row} for pick in view.picks],
        "notes": list(view.notes),
        "missing": view.missing,
        "command": view.command,
        "place": view.place,
        "reference_units": {name: unit for reference in view.references for name, unit in reference.units.items()},
        "references": [_reference(reference, view.command) for reference in view.references],
        "short": _short(view.short),
        "errors": [list(known) for known in view.errors],
        "limit_lines": [line._asdict() for line in view.limit_lines],
        "pictures": [encode_array(np.array(picture.rows, dtype=np.int64)) for picture in view.pictures],
    }


def _short(short: ShortView) -> dict[str, object]:
    """Return where the lines of the short list lead, and what is told of their designs alone."""
    return {
        "rows": list(short.rows),
        "references": [line.reference for line in short.list.lines],
        "effects": [[[list(effect) for effect in part] for part in parts] for parts in short.effects],
    }


def _reference(reference: ReferenceView, command: str) -> dict[str, object]:
    record = reference.record
    explain = f"{command.removesuffix('--number')}--reference {shlex.quote(record['name'])}"
    return {
        **{key: record[key] for key in ("name", "reference", "parameters", "values", "constraints", "feasible")},
        "measured": {name: figure["value"] for name, figure in record["measured"].items()},
        "extrapolated": ", ".join(record["extrapolated"]),
        "synthetic": bool(record["synthetic"]),
        "notes": list(reference.notes),
        "stacks": list(reference.stacks),
        "command": explain if command else "",
        "validation": validation_lines(record["parameters"], record.get("validation", {})),
    }


def _details(details: Details) -> dict[str, object]:
    return {
        "stacks": [
            {
                "quantity": stack.quantity,
                "kind": stack.kind,
                "unit": stack.unit,
                "parts": list(stack.parts),
                "products": list(stack.products),
            }
            for stack in details.stacks
        ],
        "rates": [{**axis._asdict(), "products": list(products)} for axis, products in details.rates],
        "limits": [
            {"left": limit.left, "relation": limit.relation, "right": limit.right, "unit": limit.unit}
            for limit in details.limits
        ],
        "binding": details.binding,
        "columns": {name: encode_array(values) for name, values in details.columns.items()},
    }


def _neighbours(neighbours: Neighbours) -> dict[str, object]:
    return {
        "axes": list(neighbours.axes),
        "strides": neighbours.strides,
        "labels": list(neighbours.labels),
        "rows": encode_array(neighbours.rows),
        "counts": encode_array(neighbours.counts),
        "axis": encode_array(neighbours.axis),
        "label": encode_array(neighbours.label),
        "up": encode_array(neighbours.up.astype(np.int64)),
        "place": encode_array(neighbours.place + 1),
        "broken": encode_array(neighbours.broken + 1),
        "differences": [encode_array(column) for column in neighbours.differences.T],
    }
