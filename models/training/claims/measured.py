"""Measured runs of ``spaces/training/measured.csv``, each computed again from what it was."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.table import read_table
from dse.errors import InputError
from dse.evaluation.direct import evaluate_models
from dse.models.training.catalogues import catalogue
from dse.models.training.claims.inputs import device_of, number, run_inputs

__all__ = ["Run", "computed", "constant_rate", "runs"]

_QUANTITIES = {
    "step_time": "step_time",
    "forward time of a layer": "layer_forward_time",
    "backward time of a layer": "layer_backward_time",
    "state_memory": "state_memory",
    "activation_memory": "activation_memory",
    "activation memory of a layer over that with no recomputation and sp 0": "layer_activation_bytes",
    "model operations per second and device": "tokens_per_second",
    "time between unplanned interruptions": "training_mean_time_between_failures",
    "energy of the nodes": "energy of the nodes",
}
_UNITS = {"s": ("s", 1.0), "GiB": ("B", 2.0**30), "%": ("1", 0.01), "Tflop/s": ("1/s", 1e12), "MJ": ("J", 1e6)}
_SHARE = "activation memory of a layer over that with no recomputation and sp 0"
_RATE = "model operations per second and device"
_ENERGY = "energy of the nodes"
_MTBF = "time between unplanned interruptions"
_STACKS = ("unfused", "fused", "overlapped")
_PLAIN = {"stage_slots": 0.0, "gradient_bytes": 4.0, "scale_out_share": 0.70}


@dataclass(frozen=True)
class Run:
    """A row: what was published, in SI, and what the run was."""

    id: str
    table: str
    quantity: str
    published: float
    unit: str
    role: str
    source: str
    note: str
    cells: Mapping[str, str]


def runs(file: Path | None = None) -> list[Run]:
    """Read measured runs.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/training/measured.csv``, and of ``devices.csv`` where a row overrides a
        figure of its device. Default: that one.

    Raises
    ------
    InputError
        A column that is missing or not known, or a cell that is not known, by row.
    """
    own = Path(str(files("dse.spaces"))) / "training" / "measured.csv"
    table = read_table(file or own, name=str(file or "spaces/training/measured.csv"), empty=True)
    needed = ("id", "table", "model", "device", "devices", "quantity", "unit", "value", "role")
    for column in needed:
        table[column]  # which names what is missing
    columns = [*read_table(own, name=str(own), empty=True).columns, *catalogue("devices").columns]
    for column in table.columns:
        if column not in columns:
            problem = f"no column '{column}'"
            raise InputError(problem, file=table.name, allowed=columns, wrong=column, candidates=columns)
    measured = []
    for row, line in enumerate(table.lines.tolist()):
        cells = {name: _text(values[row]) for name, values in table.columns.items()}
        if cells.get("duration"):
            cells["duration"] = repr(float(cells["duration"]))
        for key, known in (("quantity", _QUANTITIES), ("unit", _UNITS), ("stack", (*_STACKS, ""))):
            if cells.get(key, "") not in known:
                raise InputError(
                    f"'{cells[key]}'", file=table.name, key=f"line {line}, {key}", allowed=list(known), wrong=cells[key]
                )
        try:
            float(cells["value"] or "none")
        except ValueError:
            place = f"line {line}, value"
            raise InputError(f"'{cells['value']}'", file=table.name, key=place, allowed="a number") from None
        unit, factor = _UNITS[cells["unit"]]
        value, note = float(cells["value"]) * factor, cells.get("note", "")
        role, source = cells["role"], cells.get("source", "") or "the table gives none"
        measured.append(Run(cells["id"], cells["table"], cells["quantity"], value, unit, role, source, note, cells))
    return measured


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return "" if math.isnan(number) else f"{number:.12g}"


def computed(measured: Sequence[Run]) -> list[float]:
    """Return what the model gives for each run, in SI.

    Raises
    ------
    InputError
        What a run lacks or has wrong, with its id.
    """
    answers: dict[int, float] = {}
    for stack in _STACKS:
        places = [place for place, run in enumerate(measured) if run.cells.get("stack") == stack]
        if not places:
            continue
        rows = [_inputs(measured[place]) for place in places]
        values = {name: np.array([row.get(name, _PLAIN.get(name, np.nan)) for row in rows]) for name in _all_keys(rows)}
        targets = sorted({_QUANTITIES[measured[place].quantity] for place in places})
        given = evaluate_models(["training"], targets, values, {"training_stack": stack})
        factors = {_SHARE: 1.0 / _whole_activations(values, stack), _RATE: _printed_operations(values)}
        for at, place in enumerate(places):
            quantity = measured[place].quantity
            value = np.broadcast_to(given[_QUANTITIES[quantity]], len(places))[at]
            answers[place] = float(value * np.broadcast_to(factors.get(quantity, np.ones(1)), len(places))[at])
    for place, run in enumerate(measured):
        if run.quantity == _ENERGY:
            answers[place] = _energy(run)
        elif run.quantity == _MTBF:
            given = evaluate_models(
                ["training"],
                ["training_mean_time_between_failures"],
                dict.fromkeys(("tensor_parallel", "pipeline_parallel", "context_parallel"), 1.0)
                | {"data_parallel": _number(run, "devices")},
            )
            answers[place] = float(given["training_mean_time_between_failures"][0])
        elif place not in answers:
            raise InputError("the run has no stack", key=run.id, allowed=list(_STACKS))
    return [answers[place] for place in range(len(measured))]


def _whole_activations(values: Mapping[str, np.ndarray], stack: str) -> np.ndarray:
    """Return the activations of a layer with nothing computed again and no sequence parallelism [B]."""
    plain = {**values, "recomputation": np.zeros(1), "sequence_parallel": np.zeros(1)}
    name = "layer_activation_bytes"
    return evaluate_models(["training"], [name], plain, {"training_stack": stack})[name]


def _printed_operations(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return model operations per token and device as the Llama 3 paper counts them: 6 P, and half of the scores."""
    names = ["model_active_parameters", "step_flop", "step_flop_causal", "batch", "sequence", "training_devices"]
    given = evaluate_models(["training"], [*names[:3], names[5]], values) | {key: values[key] for key in names[3:5]}
    active, whole, causal, batch, sequence, devices = (given[name] for name in names)
    return np.asarray((6.0 * active + (whole - causal) / (batch * sequence)) / devices)


def _all_keys(rows: Sequence[Mapping[str, float]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in (*row, *_PLAIN)))


def _inputs(run: Run) -> dict[str, float]:
    try:
        return run_inputs(run.cells)
    except InputError as error:
        raise error.within(key=run.id) from None


def _number(run: Run, key: str) -> float:
    try:
        return number(run.cells, key)
    except InputError as error:
        raise error.within(key=run.id) from None


def _energy(run: Run) -> float:
    """Return the energy of the nodes of a run whose meters and busy share were logged [J]."""
    try:
        given = device_of(run.cells)
    except InputError as error:
        raise error.within(key=run.id) from None
    devices, busy = _number(run, "devices"), _number(run, "busy")
    given |= {"machine_devices": devices, "training_devices": devices, "device_busy_share": busy}
    return _node_power(given) * _number(run, "duration") * _number(run, "meter_factor")


def _node_power(given: Mapping[str, float]) -> float:
    from dse.authoring.library.library import load_model

    model = load_model("training")
    by_name = {function.name: function for function in model.functions}
    known = {**{name: item.value for name, item in model.assumptions.items()}, **given}
    parts = (by_name["training_device_power"], by_name["training_host_power"])
    return float(sum(part(*(known[need] for need in part.needs)) for part in parts))


def constant_rate(measured: Sequence[Run]) -> list[float | None]:
    """Return what one constant rate per device gives for each run, None where that means nothing.

    The constant is the best one: the geometric mean, over the runs of a table, of model operations per second and
    device; of an energy, of watts per device.
    """
    work = [_work(run) for run in measured]
    means: dict[str, float] = {}
    for table in dict.fromkeys(run.table for run in measured):
        of = [
            math.log(flops / run.published)
            for flops, run in zip(work, measured, strict=True)
            if flops is not None and run.table == table
        ]
        if len(of) > 1:
            means[table] = math.exp(sum(of) / len(of))
    return [
        None if flops is None or run.table not in means else flops / means[run.table]
        for flops, run in zip(work, measured, strict=True)
    ]


def _work(run: Run) -> float | None:
    """Return what is proportional to a figure at one constant rate per device."""
    if run.quantity == _ENERGY:
        return _number(run, "devices") * _number(run, "duration")
    if run.quantity == _RATE:
        return 1.0
    if run.quantity != "step_time":
        return None
    flop = evaluate_models(["training"], ["step_flop"], _of_step(_inputs(run)))["step_flop"][0]
    return float(flop) / _number(run, "devices")


def _of_step(values: Mapping[str, float]) -> dict[str, float]:
    from dse.authoring.library.library import load_model

    known = load_model("training").parameters
    return {name: value for name, value in values.items() if name in known}
