"""The catalogues of serving as inputs of the model: rows by name, those of training and those that serving adds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.library import load_model
from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.models.serving.inputs.constants import CLASSES, STACKS
from dse.models.serving.seen import pairs_seen

__all__ = [
    "DEVICES",
    "architecture",
    "architectures",
    "catalogue",
    "class_of",
    "classes_seen",
    "device",
    "devices",
    "engine",
    "error_case",
    "has_precision",
    "is_input",
    "precision",
    "prompts",
    "stack_number",
    "validation_of",
    "worker",
]


@cache
def catalogue(name: str) -> Table:
    """Return a catalogue of ``spaces``: "serving/models"; cells of numbers that are empty are NaN."""
    path = Path(str(files("dse.spaces"))) / f"{name}.csv"
    return read_table(path, name=f"spaces/{name}.csv", empty=True)


@cache
def _known() -> frozenset[str]:
    model = load_model("serving")
    return frozenset({**model.parameters, **model.assumptions})


@cache
def _rows(name: str) -> Mapping[str, dict[str, float]]:
    """Return the rows of a catalogue by name: the quantities that the model declares, in SI."""
    table = catalogue(name)
    columns = [key for key in table.columns if key in _known() and table[key].dtype.kind == "f"]
    return {
        str(label): {key: float(table[key][row]) for key in columns} for row, label in enumerate(table["name"].tolist())
    }


@cache
def architectures() -> Mapping[str, dict[str, float]]:
    """Return all cards of models: those of training, and in place of them those that serving adds to."""
    return {**_rows("training/models"), **_rows("serving/models")}


@cache
def devices() -> Mapping[str, dict[str, float]]:
    """Return all devices that belong to a class, with it."""
    known = {**_rows("training/devices"), **_rows("serving/devices")}
    return {name: {**known[name], **of_class} for name, of_class in _rows("serving/classes").items()}


def _row(rows: Mapping[str, dict[str, float]], name: str, key: str) -> dict[str, float]:
    if name not in rows:
        raise InputError(f"no '{name}'", key=key, allowed=list(rows), wrong=name, candidates=list(rows))
    return dict(rows[name])


def architecture(name: str) -> dict[str, float]:
    """Return the card of a model; raises `InputError` with the nearest name."""
    return _row(architectures(), name, "architecture")


def device(name: str) -> dict[str, float]:
    """Return the row of a device with its class; raises `InputError` with the nearest name."""
    return _row(devices(), name, "device")


def precision(name: str) -> dict[str, float]:
    """Return the row of a precision; raises `InputError` with the nearest name."""
    return _row(_rows("serving/precisions"), name, "precision")


def class_of(name: str) -> str:
    """Return the class of a device."""
    return CLASSES[int(device(name)["device_class"])]


def stack_number(name: str) -> float:
    """Return the number of a stack; raises `InputError` with the nearest name."""
    if name not in STACKS:
        raise InputError(f"no '{name}'", key="stack", allowed=list(STACKS), wrong=name, candidates=list(STACKS))
    return float(STACKS.index(name))


def engine(of_device: str, of_stack: str, of_precision: str) -> dict[str, float]:
    """Return the columns of an engine: a device, its software and a precision."""
    return {**device(of_device), **precision(of_precision), "stack": stack_number(of_stack)}


def worker(tensor: float = 1.0, experts: float = 1.0, copies: float = 1.0) -> dict[str, float]:
    """Return the columns of a cut: t devices share the attention, d have copies, e ranks of experts."""
    return {
        "worker_devices": float(tensor * copies),
        "attention_tensor": float(tensor),
        "attention_copies": float(copies),
        "expert_parallel": float(experts),
    }


def prompts(columns: Mapping[str, float]) -> dict[str, float]:
    """Return the columns of a cut as those of the workers for prompts."""
    return {f"prompt_{name}": value for name, value in columns.items()}


def is_input(name: str) -> bool:
    """Return whether a study can give a quantity."""
    return name in _known()


def has_precision(row: Mapping[str, float]) -> bool:
    """Return whether the device of an engine has the peaks of its precision."""
    own = row["expert_precision_hopper"] if row["device_class"] == 0.0 else row["expert_precision"]
    peaks = [row[name] for name in ("peak_bf16", "peak_fp8", "peak_fp4")]
    return peaks[int(row["attention_precision"])] > 0.0 and peaks[int(own)] > 0.0


def classes_seen(stack: int) -> list[str]:
    """Return the classes of devices on which a stack was measured."""
    return [name for place, name in enumerate(CLASSES) if pairs_seen()[stack, place]]


@cache
def error_case(of_device: str, of_stack: str, of_precision: str, of_architecture: str = "") -> float:
    """Return the row of ``errors.csv`` that speaks of an engine; the last one where none does."""
    table = catalogue("serving/errors")
    same = (table["device"] == of_device) & (table["stack"] == of_stack) & (table["precision"] == of_precision)
    if of_architecture:
        same = same & (table["architecture"] == of_architecture)
    return float(np.flatnonzero(same)[0]) if same.any() else float(len(table) - 1)


def validation_of(case: float) -> str:
    """Return how far times of an engine were off, in words, and whether the nearest row is the better guess."""
    table, row = catalogue("serving/errors"), int(case)
    median, wide, near = (100.0 * float(table[key][row]) for key in ("median", "percentile_90", "nearest_median"))
    which = f"{table['rows'][row]:g} {table['kind'][row]} rows"
    words = f"time per token of {which}: {median:.1f} % off, 9 of 10 within {wide:.1f} %"
    if near < median:
        words += f"; the nearest measured row is the better guess: {near:.1f} %"
    return words


DEVICES = tuple(str(name) for name in np.asarray(catalogue("serving/classes")["name"]).tolist())
"""Devices that have a class."""
