"""The best ways to serve a model on an engine, within limits of a user: cuts together, and workers apart.

Every cut of ``serving.cuts`` that fits a scale-up domain is looked at, with 26 numbers of requests. Apart, workers
that decode and workers for prompts meet only in how many there are of each and in the smaller of their rates, so the
two halves are reduced first: what is as quick to a user, needs no more devices and ends no fewer requests stands for
what it beats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dse.authoring.library.library import find_enumeration
from dse.errors import InputError
from dse.evaluation.direct import evaluate_models
from dse.models.serving import catalogues
from dse.models.serving.frontier import on_frontier

__all__ = ["REQUESTS", "Served", "Task", "apart", "best_per_cut", "default_precision", "together"]

REQUESTS = np.unique(np.round(2.0 ** (np.arange(27) / 2.0)))
"""Rounded powers of the root of 2, 1 to 8,192."""
_RATIO = np.arange(1.0, 17.0)
_OF_ALL = (
    *("time_per_token", "user_token_rate", "serving_tokens_per_device", "time_to_first_token", "burst_first_token"),
    *("serving_memory", "serving_energy_per_token", "serving_device_power", "serving_devices", "cut_seen"),
)
_LIMITS = ("usable_serving_memory", "joined_devices", "most_requests")
_HALF = ("decoding_step_time", "time_per_token", "serving_memory", "decode_worker_limit", "usable_serving_memory")
_PROMPTS = ("prompt_worker_time", "prompt_memory", "prompt_usable_serving_memory")


def default_precision(architecture: str, device: str) -> str:
    """Return the precision a model is served in where none is asked for: that of its card, in 4 bits where they are."""
    if architecture.startswith("gpt-oss"):
        return "mxfp4"
    return "fp4" if catalogues.device(device)["peak_fp4"] > 0.0 else "fp8"


@dataclass(frozen=True)
class Task:
    """A model, an engine and what users ask.

    Attributes
    ----------
    architecture : str
        A row of ``serving/models.csv`` or ``training/models.csv``.
    device, stack, precision : str
        The engine: a row of ``serving/classes.csv``, software, a row of ``serving/precisions.csv``.
    input_tokens, output_tokens : float
        Means, not nominal lengths.
    user_rate : float
        Tokens a second that a user sees at least.
    first_token : float
        Seconds to the first token at most.
    largest : int
        Devices of a worker at most.
    given : mapping of str to float
        Other inputs of the model, in SI.
    """

    architecture: str
    device: str
    stack: str
    precision: str
    input_tokens: float
    output_tokens: float
    user_rate: float = 0.0
    first_token: float = float("inf")
    largest: int = 72
    given: Mapping[str, float] = field(default_factory=dict)

    def inputs(self) -> dict[str, float]:
        """Return the numbers of the model and of the engine, and what does not change with the cut."""
        asked = {"devices": [self.device], "stacks": [self.stack], "precisions": [self.precision]}
        seen = not self.given.get("unseen_pairs")
        rows = find_enumeration("serving.engines").rows(
            {**asked, "architecture": self.architecture, "calibrated_only": seen}
        )
        row = {name: float(values[0]) for name, values in rows.columns.items()}
        lengths = {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}
        return {**catalogues.architecture(self.architecture), **row, **lengths, **self.given}

    def cuts(self) -> tuple[Mapping[str, np.ndarray], Sequence[str]]:
        """Return the columns and labels of the cuts within a scale-up domain."""
        row = self.inputs()
        widest = int(min(self.largest, row["scale_up_devices"], row.get("domain_limit", 1e9)))
        rows = find_enumeration("serving.cuts").rows({"architecture": self.architecture, "largest": widest})
        return rows.columns, rows.labels


@dataclass(frozen=True)
class Served:
    """A way to serve a model, with what it gives in SI.

    Attributes
    ----------
    cut : str
        "g8 t1 d8 e8"; apart also the workers: "3 x g1 t1 d1 e1 + 2 x g8 t1 d8 e8".
    requests : int
        In flight on a worker that decodes.
    mode : str
        "together" or "apart".
    values : dict of str to float
        Quantities of the model, by name.
    """

    cut: str
    requests: int
    mode: str
    values: Mapping[str, float]


def together(task: Task) -> list[Served]:
    """Return every cut and number of requests that fits the memory and the limits, prompts and decoding together."""
    columns, labels = task.cuts()
    given: dict[str, object] = {**task.inputs(), "requests": REQUESTS[None, :]}
    given |= {name: values[:, None] for name, values in columns.items()}
    values = _evaluated((*_OF_ALL, *_LIMITS), given, "together")
    shape = (len(labels), len(REQUESTS))
    whole = {name: np.broadcast_to(value, shape) for name, value in values.items()}
    fits = whole["serving_memory"] <= whole["usable_serving_memory"]
    fits = fits & (columns["attention_copies"][:, None] <= REQUESTS) & _within(task, whole)
    return [
        Served(
            labels[cut], int(REQUESTS[batch]), "together", {name: float(whole[name][cut, batch]) for name in _OF_ALL}
        )
        for cut, batch in np.argwhere(fits).tolist()
    ]


def _within(task: Task, values: Mapping[str, np.ndarray]) -> np.ndarray:
    return (values["user_token_rate"] >= task.user_rate) & (values["time_to_first_token"] <= task.first_token)


def _evaluated(names: Sequence[str], given: Mapping[str, object], mode: str) -> dict[str, np.ndarray]:
    use = {"serving_stack": "of-engine", "serving_mode": mode}
    return evaluate_models(["serving"], list(names), given, use)


def apart(task: Task) -> list[Served]:
    """Return the ways to serve with workers of their own for prompts, 1 to 16 of each, that no other beats.

    Beaten is what has no more tokens per second of a device and of a user. Prompts are on the same engine.
    """
    columns, labels = task.cuts()
    decode, batch = _decode_half(task, columns)
    prompts = _prompt_half(task, columns)
    if not len(decode) or not len(prompts):
        return []
    pre, dec, many, decoding = (
        axis.reshape(-1) for axis in np.meshgrid(np.arange(len(prompts)), np.arange(len(decode)), _RATIO, _RATIO)
    )
    own, pre_cut, cut = batch[dec], prompts[pre], decode[dec]
    given: dict[str, object] = {**task.inputs(), "requests": own, "prompt_workers": many, "decode_workers": decoding}
    given |= {name: values[cut] for name, values in columns.items()}
    given |= {f"prompt_{name}": values[pre_cut] for name, values in columns.items()}
    values = _evaluated(_OF_ALL, given, "apart")
    whole = {name: np.broadcast_to(value, own.shape) for name, value in values.items()}
    places = np.flatnonzero(_within(task, whole))
    best = places[on_frontier(whole["user_token_rate"][places], whole["serving_tokens_per_device"][places])]
    return [
        Served(
            f"{many[place]:g} x {labels[pre_cut[place]]} + {decoding[place]:g} x {labels[cut[place]]}",
            int(own[place]),
            "apart",
            {name: float(whole[name][place]) for name in _OF_ALL},
        )
        for place in best.tolist()
    ]


def _decode_half(task: Task, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return cuts and requests of workers that decode, those left out that others beat."""
    given: dict[str, object] = {**task.inputs(), "requests": REQUESTS[None, :]}
    given |= {name: values[:, None] for name, values in columns.items()}
    same = {f"prompt_{name}": 1.0 for name in columns}
    values = _evaluated(_HALF, given | same | {"prompt_workers": 1.0, "decode_workers": 1.0}, "apart")
    shape = (len(columns["worker_devices"]), len(REQUESTS))
    whole = {name: np.broadcast_to(value, shape) for name, value in values.items()}
    fits = (whole["serving_memory"] <= whole["usable_serving_memory"]) & (
        whole["time_per_token"] * task.user_rate <= 1.0
    )
    fits = fits & (columns["attention_copies"][:, None] <= REQUESTS)
    cut, batch = np.nonzero(fits)
    # Few devices, quick to a user, many requests ended: what is no better in any adds nothing, whatever the prompts.
    table = np.stack(
        [columns["worker_devices"][cut], whole["time_per_token"][fits], -whole["decode_worker_limit"][fits]]
    )
    keep = _unbeaten(table)
    return cut[keep], REQUESTS[batch[keep]]


def _prompt_half(task: Task, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return cuts of workers for prompts, those left out that others beat."""
    given: dict[str, object] = {**task.inputs(), "requests": 8192.0, "prompt_workers": 1.0, "decode_workers": 1.0}
    given |= dict.fromkeys(columns, 1.0) | {f"prompt_{name}": values for name, values in columns.items()}
    values = _evaluated((*_PROMPTS, "prompt_own_step_time"), given, "apart")
    shape = columns["worker_devices"].shape
    whole = {name: np.broadcast_to(value, shape) for name, value in values.items()}
    places = np.flatnonzero(whole["prompt_memory"] <= whole["prompt_usable_serving_memory"])
    table = [columns["worker_devices"], whole["prompt_worker_time"], whole["prompt_own_step_time"]]
    result: np.ndarray = places[_unbeaten(np.stack(table)[:, places])]
    return result


def _unbeaten(table: np.ndarray) -> np.ndarray:
    """Return the columns of a table, less is better, that no other column beats; the first of equal ones."""
    order = np.lexsort(table[::-1])
    kept: list[int] = []
    for place in order.tolist():
        if not kept or not (table[:, kept] <= table[:, [place]]).all(axis=0).any():
            kept.append(place)
    return np.array(kept, dtype=int)


def best_per_cut(designs: Sequence[Served], rows: int) -> list[Served]:
    """Return of each cut the design with the most tokens per second of a device, the best cuts first.

    Raises
    ------
    InputError
        No design is within the limits.
    """
    if not designs:
        raise InputError(
            "no cut fits the memory and the limits",
            key="user_rate",
            allowed="a lower rate of a user, a later first token, devices of more memory, another precision",
        )
    order = sorted(designs, key=lambda design: -design.values["serving_tokens_per_device"])
    best: dict[str, Served] = {}
    for design in order:
        best.setdefault(f"{design.mode} {design.cut}", design)
    return list(best.values())[:rows]
