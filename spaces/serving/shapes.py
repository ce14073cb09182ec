"""Every cut of a worker that serves, cards of models, and engines, as the rows of axes.

A study asks for them so::

    axes.cut.enumerate = "serving.cuts"
    axes.cut.given = { architecture = "gpt-oss-120b", largest = 72 }
    axes.engine.enumerate = "serving.engines"
    axes.engine.given = { devices = ["H100 SXM", "B200 SXM"], stacks = ["vllm", "trt"], precisions = ["mxfp4"] }

What does not fit the memory stays in: that is a constraint, and no shape. A candidate that is refused counts under
the first reason that applies.
"""

from __future__ import annotations

from itertools import product
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dse.authoring.declare.enumerations import Enumerated, enumeration, refuse_many
from dse.errors import InputError
from dse.models.serving import catalogues
from dse.models.serving.inputs.constants import STACKS
from dse.models.serving.seen import pairs_seen

__all__ = ["architectures", "cuts", "engines", "prompt_cuts", "prompt_engines"]

_SOURCE = "ours: what divides"
_NARROWEST = 128  # columns of a part of an expert
_LARGEST = 4096
_CUT = ("worker_devices", "attention_tensor", "attention_copies", "expert_parallel")

_Count = Annotated[int, Field(ge=1, le=10**7)]


class Card(BaseModel):
    """The numbers of an architecture that say how it can be cut."""

    model_config = ConfigDict(extra="forbid", strict=True)

    heads: _Count
    kv_heads: _Count
    experts: Annotated[int, Field(ge=0, le=10**6)] = 0
    expert_ffn: Annotated[int, Field(ge=0, le=10**7)] = 0


Named = Annotated[
    str | Card,
    Field(
        description="a row of serving/models.csv or training/models.csv, or { heads, kv_heads, experts, expert_ffn }"
    ),
]
Largest = Annotated[
    int, Field(ge=1, le=_LARGEST, description=f"a whole number from 1 to {_LARGEST}: devices of a worker")
]
Names = Annotated[Annotated[list[str], Field(min_length=1, max_length=100)], Field(description="a list of names")]
Model = Annotated[str, Field(description="a row of serving/models.csv or training/models.csv, or nothing")]
Seen = Annotated[bool, Field(description="true or false: whether pairs without a measured row are refused")]


@enumeration(source=_SOURCE)
def cuts(*, architecture: Named, largest: Largest = 72) -> Enumerated:
    """Every cut of a worker of 1 to `largest` devices: all share the attention or each has a copy, ranks of experts."""
    return _cuts(architecture, largest, "")


@enumeration(source=_SOURCE)
def prompt_cuts(*, architecture: Named, largest: Largest = 72) -> Enumerated:
    """Every cut of a worker for prompts, as `cuts`; its columns begin with "prompt_"."""
    return _cuts(architecture, largest, "prompt_")


def _cuts(architecture: str | Card, largest: int, prefix: str) -> Enumerated:
    card = architecture if isinstance(architecture, Card) else _of_catalogue(architecture)
    devices = np.arange(1, largest + 1)
    ranks = [np.flatnonzero(count % devices == 0) + 1 for count in devices.tolist()]
    refuse_many(2 * sum(map(len, ranks)))
    worker, experts = np.repeat(devices, [len(own) for own in ranks]), np.concatenate(ranks)
    # All share the attention, then a copy on each; of one device the two are the same.
    tensor = np.concatenate([worker, np.ones_like(worker[worker > 1])])
    experts = np.concatenate([experts, experts[worker > 1]])
    worker = np.concatenate([worker, worker[worker > 1]])
    keep, refused = _sifted(card, tensor, experts, worker)
    if not keep.any():
        why = "; ".join(f"{count:,} × {reason}" for reason, count in refused.items() if count)
        raise InputError(f"no cut is left of {len(keep):,} considered: {why}", key="largest")
    order = np.lexsort((experts[keep], -tensor[keep], worker[keep]))
    rows = {
        name: values[keep][order]
        for name, values in zip(_CUT, (worker, tensor, worker // tensor, experts), strict=True)
    }
    labels = [f"g{g} t{t} d{d} e{e}" for g, t, d, e in zip(*(rows[name].tolist() for name in _CUT), strict=True)]
    return Enumerated({prefix + name: values for name, values in rows.items()}, labels, len(keep), refused)


def _of_catalogue(name: str) -> Card:
    row = catalogues.architecture(name)
    return Card(**{key: int(row[key]) for key in Card.model_fields})


def _sifted(
    card: Card, tensor: np.ndarray, experts: np.ndarray, worker: np.ndarray
) -> tuple[np.ndarray, dict[str, int]]:
    """Return which candidates are kept, and how many were refused, by the first reason that applies."""
    kv, parts = card.kv_heads, worker // experts
    reasons = [
        ("heads do not divide", (card.heads % tensor != 0) | ((kv % tensor != 0) & (tensor % kv != 0))),
        ("experts do not divide", (experts > 1) & ((card.experts == 0) | (card.experts % experts != 0))),
        ("experts cut too narrow", (card.experts > 0) & (card.expert_ffn < _NARROWEST * parts)),
    ]
    keep, refused = np.ones(len(tensor), dtype=bool), {}
    for reason, broken in reasons:
        refused[reason] = int((keep & broken).sum())
        keep &= ~broken
    return keep, refused


@enumeration(source="cards of models, as their rows say")
def architectures(*, names: Names) -> Enumerated:
    """Cards of models by name, those of training with the columns that serving adds."""
    rows = [catalogues.architecture(name) for name in names]
    for name, row in zip(names, rows, strict=True):
        if row.get("window_layers", 0.0) > row["layers"]:
            raise InputError(f"'{name}' has more layers with a window than layers", key="window_layers")
    columns = sorted({key for row in rows for key in row})
    cards = {key: np.array([row.get(key, 0.0) for row in rows]) for key in columns}
    return Enumerated(cards, names, len(names))


@enumeration(source="data sheets and cards, as their rows say")
def engines(
    *, devices: Names, stacks: Names, precisions: Names, architecture: Model = "", calibrated_only: Seen = True
) -> Enumerated:
    """Every device with every software and precision; refused: without the precision, or no row of that pair.

    `architecture` says whose rows the error of an engine is taken from.
    """
    return _engines((devices, stacks, precisions), architecture, calibrated_only, "")


@enumeration(source="data sheets and cards, as their rows say")
def prompt_engines(*, devices: Names, stacks: Names, precisions: Names, calibrated_only: Seen = True) -> Enumerated:
    """As `engines`, of workers for prompts; its columns begin with "prompt_engine_"."""
    return _engines((devices, stacks, precisions), "", calibrated_only, "prompt_engine_")


def _engines(asked: tuple[list[str], ...], architecture: str, seen: bool, prefix: str) -> Enumerated:
    rows, labels, refused = [], [], {"the device lacks the precision": 0, "no row of the software on this class": 0}
    if architecture:
        catalogues.architecture(architecture)  # which refuses a name that is not known
    considered = list(product(*asked))
    for device, stack, precision in considered:
        row = catalogues.engine(device, stack, precision)
        if not catalogues.has_precision(row):
            refused["the device lacks the precision"] += 1
        elif seen and not pairs_seen()[int(row["stack"]), int(row["device_class"])]:
            refused["no row of the software on this class"] += 1
        else:
            rows.append(row | {"error_case": catalogues.error_case(device, stack, precision, architecture)})
            labels.append(f"{device} {stack} {precision}")
    if not rows:
        pairs = [f"{stack} on {of}" for s, stack in enumerate(STACKS) for of in catalogues.classes_seen(s)]
        raise InputError(
            f"no engine is left of {len(considered)}: {'; '.join(f'{n} × {why}' for why, n in refused.items() if n)}",
            key="stacks",
            allowed=f"pairs that have rows ({', '.join(pairs)}), or calibrated_only = false",
        )
    columns = {
        prefix + key: np.array([row[key] for row in rows]) for key in rows[0] if catalogues.is_input(prefix + key)
    }
    if not prefix:
        columns |= {"unseen_time_factor": np.ones(len(rows)), "unseen_pairs": np.full(len(rows), 0.0 if seen else 1.0)}
    validations = [catalogues.validation_of(row["error_case"]) for row in rows]
    return Enumerated(columns, labels, len(considered), refused, validations=validations)
