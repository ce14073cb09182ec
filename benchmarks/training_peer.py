"""Cuts of one training beside `mlsysim` from PyPI: seconds of a step, and designs that each prices in a second.

Both are asked for Llama 3.1 405B on 8,192 H100 with NDR InfiniBand, 1,536 sequences of 8,192 tokens, 16-bit numbers,
nothing computed again. Here a design also has energy, memory of a device and what its time consists of.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peer_environment import MLSYSIM, Unavailable, ask
from benchmarks.report import Column, Section, number, seconds
from dse import Study
from dse.search.driver import search

__all__ = ["run"]

STUDY, DEVICES, BATCH, SEQUENCE = "training-llama-405b", 8192, 1536, 8192
CUTS = ((8, 16), (8, 8), (4, 16), (4, 8))
"""Devices along a layer, and along the depth; the rest are copies."""
_EFFICIENCY = 0.5  # of a device, where mlsysim has none of its own: its default
_REPEATS, _DESIGNS = 50, 20_000


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Price each cut by both, then many of them."""
    del designs
    study = Study.load(STUDY)
    tell("here")
    ours = [step_time(study, *cut) for cut in CUTS]
    numbers = np.random.default_rng(0).integers(0, study.space.size, _DESIGNS)
    study.compiled.quantities(numbers[:100])
    begun = time.process_time()
    study.compiled.quantities(numbers)
    rate = _DESIGNS / (time.process_time() - begun)
    begun = time.process_time()
    search(study.compiled)
    whole = time.process_time() - begun
    notes = [f"the whole study, {study.space.size:,} designs, exactly: {seconds(whole)} of processor time"]
    cuts = [{"tensor": tensor, "pipeline": pipeline} for tensor, pipeline in CUTS]
    asked = {"devices": DEVICES, "batch": BATCH, "sequence": SEQUENCE, "cuts": cuts}
    theirs: dict[str, Any] = {"times": [None] * len(CUTS), "rate": None}
    tell(f"mlsysim {MLSYSIM}")
    try:
        theirs = ask("mlsysim", MLSYSIM, "mlsysim_worker.py", asked | {"efficiency": _EFFICIENCY, "repeats": _REPEATS})
    except Unavailable as reason:
        notes.append(str(reason))
    rows = [
        {"cut": f"t{tensor} p{pipeline} d{DEVICES // (tensor * pipeline)}", "ours": own, "theirs": other}
        for (tensor, pipeline), own, other in zip(CUTS, ours, theirs["times"], strict=True)
    ]
    rows.append({"cut": "designs in a processor second", "ours_rate": rate, "theirs_rate": theirs["rate"]})
    notes += [
        f"mlsysim takes one share of the peak for all cuts ({_EFFICIENCY:g}, its default); here it follows from the "
        "widths of the products and the memory, fitted on two published runs (dse validate training)",
        "mlsysim hides 85 % of the exchange of gradients behind the backward pass, its default; here none is hidden "
        "(hidden_data_share = 0), but for up to half of it with ZeRO stage 3",
    ]
    return Section(
        "training-peer",
        f"Cuts of one training, beside mlsysim {MLSYSIM}",
        [
            Column("cut", "cut"),
            Column("ours", "a step, here", _or_dash(seconds)),
            Column("theirs", "a step, mlsysim", _or_dash(seconds)),
            Column("ours_rate", "here", _or_dash(number)),
            Column("theirs_rate", "mlsysim", _or_dash(number)),
        ],
        [{"ours": None, "theirs": None, "ours_rate": None, "theirs_rate": None} | row for row in rows],
        notes=notes,
    )


def _or_dash(write: Callable[[float], str]) -> Callable[[float | None], str]:
    return lambda value: "–" if value is None else "does not fit" if np.isinf(value) else write(value)


def step_time(study: Study, tensor: int, pipeline: int) -> float:
    """Return the shortest step of a cut that fits into memory, with 16-bit numbers and nothing computed again."""
    problem = study.compiled
    (product,) = problem.space.products
    rows = []
    for axis in product.axes:
        keep = np.ones(len(axis), dtype=bool)
        wanted = {"tensor_parallel": tensor, "pipeline_parallel": pipeline, "context_parallel": 1}
        for name, value in wanted.items():
            if name in axis.columns:
                keep &= axis.columns[name] == value
        if axis.name in _CHOSEN:
            keep &= np.array([label == _CHOSEN[axis.name] for label in axis.labels])
        rows.append(np.flatnonzero(keep))
    grid = np.meshgrid(*rows, indexing="ij")
    numbers = sum(row * stride for row, stride in zip(grid, product.strides, strict=True)).reshape(-1)
    (record,) = problem.quantities(numbers)
    met = np.all([record["values"][limit.quantity] for limit in problem.constraints], axis=0)
    times = np.broadcast_to(record["values"]["step_time"], numbers.shape)
    return float(times[np.broadcast_to(met, numbers.shape)].min(initial=np.inf))


_CHOSEN = {"recompute": "none", "precision": "bf16"}
