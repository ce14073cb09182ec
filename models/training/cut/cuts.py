"""The best ways to cut a model over so many devices, and how they change with the size of the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.authoring.library.library import find_enumeration
from dse.errors import InputError
from dse.evaluation.direct import evaluate_models
from dse.models.training.catalogues import part

__all__ = ["MEMORY_PARTS", "PRECISIONS", "STACKS", "STEP_PARTS", "Cut", "Task", "best_cuts", "best_per_scale"]

STACKS = ("unfused", "fused", "overlapped")
PRECISIONS = ("bf16", "fp8", "fp4")
STEP_PARTS = ("pipeline_time", "bubble_time", "last_head_time", "data_exchange_time", "optimizer_time")
MEMORY_PARTS = ("state_memory", "embedding_memory", "activation_memory", "logit_memory")
_ALSO = (
    "step_time",
    "training_memory",
    "usable_device_memory",
    "tokens_per_second",
    "model_flop_utilisation",
    "device_busy_share",
)
_CHUNKS = [1, 2, 4, 8]


@dataclass(frozen=True)
class Task:
    """A model to be trained on a kind of device.

    Attributes
    ----------
    architecture, device : str
        Rows of ``spaces/training/models.csv`` and ``devices.csv``.
    batch : int
        Sequences of a step.
    precision : str
        Of the products: one of `PRECISIONS`.
    stack : str
        One of `STACKS`.
    zero_stage : int
        0 to 3.
    largest_micro_batch : int
        Sequences of a micro-batch, powers of two up to this.
    """

    architecture: str
    device: str
    batch: int
    precision: str = "bf16"
    stack: str = "overlapped"
    zero_stage: int = 1
    largest_micro_batch: int = 4

    def __post_init__(self) -> None:
        for key, value, allowed in (
            ("precision", self.precision, PRECISIONS),
            ("stack", self.stack, STACKS),
            ("zero", self.zero_stage, (0, 1, 2, 3)),
        ):
            if value not in allowed:
                names = [str(value) for value in allowed]
                raise InputError(f"'{value}'", key=key, allowed=names, wrong=str(value), candidates=names)

    def inputs(self) -> dict[str, float]:
        """Return the numbers of the model and of the device, and what does not change with the cut."""
        inputs = {**part("models", self.architecture), **part("devices", self.device)}
        inputs |= {"matmul_precision": float(PRECISIONS.index(self.precision)), "zero_stage": float(self.zero_stage)}
        if not inputs[f"peak_{self.precision}"]:
            raise InputError(
                f"the device '{self.device}' has no {self.precision}",
                key="precision",
                allowed=[name for name in PRECISIONS if inputs[f"peak_{name}"]],
            )
        return inputs | {"batch": float(self.batch)}


@dataclass(frozen=True)
class Cut:
    """A way to cut the model, with what it takes in SI.

    Attributes
    ----------
    label : str
        "t8 p8 d64 c2 e1 v8 b1"; with " full" where layers are computed again.
    devices : int
    values : dict of str to float
        `STEP_PARTS`, `MEMORY_PARTS`, step time, memory, tokens per second, utilisation.
    """

    label: str
    devices: int
    values: Mapping[str, float]


def best_cuts(task: Task, devices: int, rows: int = 5) -> list[Cut]:
    """Return the fastest cuts that fit the memory, the fastest first.

    Every cut of the enumeration ``training.parallelism`` is looked at, with nothing and with whole layers computed
    again, and with sequence parallelism where tensor parallelism is.

    Parameters
    ----------
    task : Task
    devices : int
    rows : int
        How many, at most.

    Raises
    ------
    InputError
        A name that is not known, no cut at all, or none that fits the memory.
    """
    cuts = find_enumeration("training.parallelism").rows(
        {
            "architecture": task.architecture,
            "devices": devices,
            "batch": task.batch,
            "chunks": _CHUNKS,
            "largest_micro_batch": task.largest_micro_batch,
        }
    )
    values: dict[str, object] = {**task.inputs(), **{name: column[:, None] for name, column in cuts.columns.items()}}
    values["sequence_parallel"] = np.where(cuts.columns["tensor_parallel"] > 1.0, 1.0, 0.0)[:, None]
    values["recomputation"] = np.array([[0.0, 2.0]])
    targets = list(dict.fromkeys((*_ALSO, *STEP_PARTS, *MEMORY_PARTS)))
    given = evaluate_models(["training"], targets, values, {"training_stack": task.stack})
    shape = (cuts.kept, 2)
    whole = {name: np.broadcast_to(given[name], shape).reshape(-1) for name in targets}
    fits = whole["training_memory"] <= whole["usable_device_memory"]
    if not fits.any():
        least = float(whole["training_memory"].min())
        raise InputError(
            f"no cut of {task.architecture} over {devices} devices fits: the least takes {least / 1e9:.4g} GB of each, "
            f"and {float(whole['usable_device_memory'][0]) / 1e9:.4g} GB are usable",
            key="devices",
            allowed="more devices, devices of more memory, a higher ZeRO stage",
        )
    order = np.argsort(np.where(fits, whole["step_time"], np.inf), kind="stable")[: min(rows, int(fits.sum()))]
    return [
        Cut(
            cuts.labels[place // 2] + (" full" if place % 2 else ""),
            devices,
            {name: float(values[place]) for name, values in whole.items()},
        )
        for place in order.tolist()
    ]


def best_per_scale(task: Task, counts: Sequence[int]) -> list[Cut]:
    """Return the fastest cut for each number of devices, those left out that no cut fits or divides."""
    best = []
    for devices in counts:
        try:
            best += best_cuts(task, devices, rows=1)
        except InputError:
            continue
    return best
