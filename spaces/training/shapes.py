"""Every way to cut a transformer over devices, and the dimensions of a network for them, as the rows of axes.

A study asks for the cuts so::

    axes.parallelism.enumerate = "training.parallelism"
    axes.parallelism.given = { architecture = "llama3.1-405b", devices = 8192, batch = 1536 }

``devices`` is one number, or several: ``{ values = [4096, 8192] }``, ``{ powers_of_two = [1024, 16384] }``. Then the
cuts of each number follow one another, and a number that leaves none is left out.

Without ``devices`` there is no column of data parallelism: it is what the machine of a design leaves
 (``use.data_parallelism = "from-machine"``). What does not fit the memory stays in: that is a
constraint, and no shape. A candidate that is refused counts under the first reason that applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dse.authoring.declare.enumerations import Enumerated, enumeration, refuse_many
from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.models.sources import COSMIC_2025, NARAYANAN_2021
from dse.models.training.machine.dimension_costs import ALGORITHMS, LARGEST_DIMENSION, TOPOLOGIES

__all__ = [
    "boards_of_both",
    "devices_of_both",
    "dimension_algorithm",
    "dimension_sizes",
    "dimension_topology",
    "parallelism",
]

_SOURCE = f"{NARAYANAN_2021}; ours: what divides"
_DIMENSIONS = 4
_NEAR = 64  # batches on either side that are tried where none is left

_Count = Annotated[int, Field(ge=1, le=10**7)]


class Architecture(BaseModel):
    """The numbers of an architecture that say how it can be cut."""

    model_config = ConfigDict(extra="forbid", strict=True)

    layers: _Count
    hidden: _Count
    heads: _Count
    kv_heads: _Count
    ffn: _Count
    sequence: _Count
    experts: Annotated[int, Field(ge=0, le=10**6)] = 0


Named = Annotated[
    str | Architecture,
    Field(description="a row of training/models.csv, or { layers, hidden, heads, kv_heads, ffn, sequence, experts }"),
]
_Some = Annotated[list[_Count], Field(min_length=1, max_length=1000)]
_Values = Annotated[dict[Literal["values"], _Some], Field(min_length=1)]
_Powers = Annotated[
    dict[Literal["powers_of_two"], Annotated[list[_Count], Field(min_length=2, max_length=2)]], Field(min_length=1)
]
Devices = Annotated[
    _Count | _Values | _Powers | None,
    Field(
        description="a whole number >= 1: t p c d is so many; or { values = [ … ] }, or "
        "{ powers_of_two = [lowest, highest] }"
    ),
]
Count = Annotated[_Count, Field(description="a whole number >= 1")]
Counts = Annotated[
    Annotated[list[_Count], Field(min_length=1, max_length=100)], Field(description="a list of whole numbers >= 1")
]
Place = Annotated[Literal[1, 2, 3, 4], Field(description="1, 2, 3, 4: which dimension")]
Topologies = Annotated[
    Annotated[list[Literal["ring", "full", "switch"]], Field(min_length=1)], Field(description="ring, full, switch")
]
Algorithms = Annotated[
    Annotated[list[Literal["ring", "direct", "halving", "tree"]], Field(min_length=1)],
    Field(description="ring, direct, halving, tree"),
]
Sizes = Annotated[
    Annotated[list[_Count], Field(min_length=1, max_length=10)],
    Field(description=f"a list of powers of two from 2 to {LARGEST_DIMENSION}"),
]


@enumeration(source=_SOURCE)
def parallelism(
    *,
    architecture: Named,
    batch: Count,
    devices: Devices = None,
    largest_tensor: Count = 64,
    largest_pipeline: Count = 64,
    largest_context: Count = 16,
    experts: Counts = [1],  # noqa: B006 (read only)
    chunks: Counts = [1],  # noqa: B006
    largest_micro_batch: Count = 8,
) -> Enumerated:
    """Every cut: t, p and c that divide the devices, e of the experts, v chunks, b sequences of a micro-batch.

    t, p and c are divisors of the number of devices; without it, powers of two and divisors of layers or heads.
    """
    shape = architecture if isinstance(architecture, Architecture) else _of_catalogue(architecture)
    largest = (largest_tensor, largest_pipeline, largest_context)
    lists = (sorted(set(experts)), sorted(set(chunks)))
    counts = _counts(devices)
    kept: list[dict[str, np.ndarray]] = []
    considered, refused, nothing = 0, dict[str, int](), []
    for count in counts:
        cuts = _cuts(shape, count, largest, lists, largest_micro_batch)
        keep, reasons = _sifted(shape, cuts, batch, count)
        considered += len(keep)
        refused = {reason: refused.get(reason, 0) + number for reason, number in reasons.items()}
        if not keep.any():
            nothing.append((cuts, count, reasons))
            continue
        columns = dict(zip(_COLUMNS, (column[keep] for column in cuts), strict=True))
        if count is not None:
            columns["data_parallel"] = count // (cuts[0] * cuts[1] * cuts[2])[keep]
        kept.append(columns)
    if not kept:
        cuts, count, reasons = nothing[0]
        _refuse_all(shape, cuts, batch, count, reasons)
    columns = {name: np.concatenate([own[name] for own in kept]) for name in kept[0]}
    return Enumerated(columns, _labels(columns), considered, refused, naming=cut_name)


def _counts(
    devices: int | dict[Literal["values"], list[int]] | dict[Literal["powers_of_two"], list[int]] | None,
) -> Sequence[int | None]:
    """Return the numbers of devices, in rising order."""
    if devices is None or isinstance(devices, int):
        return [devices]
    ((kind, numbers),) = devices.items()
    if kind == "values":
        return sorted(set(numbers))
    low, high = numbers
    powers = [1 << k for k in range(high.bit_length()) if low <= 1 << k <= high]
    if not powers:
        raise InputError(f"no power of two from {low} to {high}", key="devices", allowed="powers_of_two = [1024, 8192]")
    return powers


_COLUMNS = (
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "pipeline_chunks",
    "micro_batch",
)


@cache
def _models() -> Table:
    return read_table(Path(str(files("dse.spaces"))) / "training" / "models.csv", name="training/models.csv")


def _of_catalogue(name: str) -> Architecture:
    table = _models()
    names = [str(one) for one in table["name"]]
    if name not in names:
        raise InputError(f"no architecture '{name}'", key="architecture", allowed=names, wrong=name, candidates=names)
    row = names.index(name)
    return Architecture(**{key: int(table[key][row]) for key in Architecture.model_fields})


def _powers(largest: int) -> list[int]:
    return [1 << k for k in range(largest.bit_length()) if 1 << k <= largest]


def _cuts(
    shape: Architecture,
    devices: int | None,
    largest: tuple[int, int, int],
    lists: tuple[list[int], list[int]],
    largest_micro_batch: int,
) -> list[np.ndarray]:
    """Return the candidates, a column each of t, p, c, e, v, b."""
    tensor, pipeline, context = (_sizes(shape, devices, most) for most in largest)
    t, p, c = (axis.reshape(-1) for axis in np.meshgrid(tensor, pipeline, context, indexing="ij"))
    if devices is not None:
        divides = devices % (t * p * c) == 0
        t, p, c = t[divides], p[divides], c[divides]
    rest = np.array(list(product(*lists, _powers(largest_micro_batch))), dtype=np.int64)
    refuse_many(len(t) * len(rest))
    return [np.repeat(one, len(rest)) for one in (t, p, c)] + [np.tile(rest[:, k], len(t)) for k in range(3)]


def _sizes(shape: Architecture, devices: int | None, most: int) -> np.ndarray:
    whole = np.arange(1, most + 1)
    if devices is not None:
        even: np.ndarray = devices % whole == 0
    else:
        even = ((whole & (whole - 1)) == 0) | (shape.layers % whole == 0) | (shape.heads % whole == 0)
    sizes: np.ndarray = whole[even]
    return sizes


def _sifted(
    shape: Architecture, cuts: list[np.ndarray], batch: int, devices: int | None
) -> tuple[np.ndarray, dict[str, int]]:
    """Return which candidates are kept, and how many were refused, by the first reason that applies."""
    t, p, c, e, v, b = cuts
    kv = shape.kv_heads
    no = np.zeros(len(t), dtype=bool)
    reasons = [
        ("heads do not divide", (shape.heads % t != 0) | ((kv % t != 0) & (t % kv != 0))),
        ("widths do not divide", (shape.ffn % t != 0) | (shape.hidden % t != 0)),
        ("more chunks than layers", p * v > shape.layers),
        ("chunks of one stage", (v > 1) & (p == 1)),
        ("sequence does not divide", (c > 1) & (shape.sequence % (2 * c) != 0)),
        ("experts do not divide", (e > 1) & ((shape.experts == 0) | (shape.experts % e != 0))),
    ]
    if devices is not None:
        d = devices // (t * p * c)
        reasons[-1] = (reasons[-1][0], reasons[-1][1] | ((e > 1) & (d % e != 0)))
        reasons.append(("batch does not divide", batch % (d * b) != 0))
        rounds = batch // np.maximum(d * b, 1)
        reasons.append(("interleaving needs a multiple of the stages", (v > 1) & (rounds % p != 0)))
    refused, keep = {}, ~no
    for reason, broken in reasons:
        refused[reason] = int((keep & broken).sum())
        keep &= ~broken
    return keep, refused


def _refuse_all(
    shape: Architecture, cuts: list[np.ndarray], batch: int, devices: int | None, refused: dict[str, int]
) -> None:
    """Say that no row is left, why, and which batches near the one asked for leave some, and most."""
    why = "; ".join(f"{count:,} × {reason}" for reason, count in refused.items() if count)
    message = f"no row is left of {len(cuts[0]):,} considered: {why or 'nothing was to be looked at'}"
    if devices is not None and refused.get("batch does not divide"):
        counts = {
            other: int(_sifted(shape, cuts, other, devices)[0].sum())
            for other in range(max(1, batch - _NEAR), batch + _NEAR + 1)
        }
        leave = [other for other, count in counts.items() if count]
        if leave:
            nearest = min(leave, key=lambda one: abs(one - batch))
            most = max(leave, key=lambda one: (counts[one], -abs(one - batch)))
            told = "; ".join(f"{one} leaves {counts[one]:,}" for one in dict.fromkeys((nearest, most)))
            raise InputError(f"{batch}: {message}", key="batch", allowed=told)
    raise InputError(message)


_CUTS = {
    "tensor_parallel": "tensor",
    "pipeline_parallel": "pipeline",
    "data_parallel": "data",
    "context_parallel": "context",
    "expert_parallel": "expert",
    "pipeline_chunks": "chunks",
    "micro_batch": "micro-batch",
}


def _labels(columns: dict[str, np.ndarray]) -> list[str]:
    order = ["tensor_parallel", "pipeline_parallel", "data_parallel", "context_parallel", "expert_parallel"]
    order += ["pipeline_chunks", "micro_batch"]
    letters = [letter for letter, name in zip("tpdcevb", order, strict=True) if name in columns]
    rows = zip(*(columns[name].tolist() for name in order if name in columns), strict=True)
    return [" ".join(f"{letter}{value}" for letter, value in zip(letters, row, strict=True)) for row in rows]


def cut_name(**cut: int) -> str:
    """Name a cut by what is more than one.

    Examples
    --------
    >>> cut_name(tensor_parallel=8, pipeline_parallel=16, data_parallel=64, micro_batch=1)
    'tensor 8, pipeline 16, data 64'
    """
    words = [f"{name} {cut[key]}" for key, name in _CUTS.items() if cut.get(key, 1) > 1]
    return ", ".join(words) or "not cut"


@enumeration(source="spaces/machines/devices.csv and spaces/training/devices.csv, joined by name")
def devices_of_both() -> Enumerated:
    """The devices that both catalogues have: those of machines, with what training in 16 bits asks of them."""
    machines, training = _table("machines", "devices"), _table("training", "devices")
    names, other = ([str(one) for one in table["name"]] for table in (machines, training))
    both = [name for name in names if name in other]
    rows = [names.index(name) for name in both], [other.index(name) for name in both]
    columns = {name: training[name][rows[1]] for name in _TRAINED}
    columns |= {
        name: values[rows[0]]
        for name, values in machines.columns.items()
        if machines.units[name] != "text" and name != "year"
    }
    lacking = [name for name in names if name not in other]
    reason = f"no row of training/devices.csv: {', '.join(lacking)}"
    sources = [
        f"{machines['source'][first]}; {training['source'][second]}" for first, second in zip(*rows, strict=True)
    ]
    confidences = [str(training["confidence"][second]) for second in rows[1]]
    return Enumerated(columns, both, len(names), {reason: len(lacking)}, sources, confidences)


@enumeration(source="spaces/machines/boards.csv, with devices.csv and spaces/training/devices.csv, joined by name")
def boards_of_both() -> Enumerated:
    """The boards that are sold with a device that both catalogues have."""
    devices, boards = devices_of_both.function(), _table("machines", "boards")
    labels = [str(label) for label in devices.labels]
    kept = [
        place
        for place, (device, sold) in enumerate(zip(boards["device"], boards["sold"], strict=True))
        if str(device) in labels and str(sold) == "yes"
    ]
    of_board = {name: boards[name][kept] for name in _BOARDS}
    parts = [str(boards["device"][place]) for place in kept]
    rows = [labels.index(part) for part in parts]
    columns = {name: values[rows] for name, values in devices.columns.items()} | of_board
    refused = {"not sold, or with a device that one of the catalogues has not": len(boards) - len(kept)}
    sources = [f"{boards['source'][place]}; {devices.sources[row]}" for place, row in zip(kept, rows, strict=True)]
    confidences = [
        f"board {boards['confidence'][place]}; {devices.confidences[row]}"
        for place, row in zip(kept, rows, strict=True)
    ]
    names = [str(boards["name"][place]) for place in kept]
    return Enumerated(columns, names, len(boards), refused, sources, confidences, joined="device", parts=parts)


_BOARDS = ("devices_per_node", "host_power", "host_memory_power", "nics_max")
_TRAINED = (
    "peak_bf16",
    "matmul_share_bf16",
    "core_share_forward",
    "core_share_backward",
    "scale_up_bandwidth",
    "scale_up_devices",
)


@cache
def _table(family: str, name: str) -> Table:
    return read_table(Path(str(files("dse.spaces"))) / family / f"{name}.csv", name=f"{family}/{name}.csv", empty=True)


@enumeration(source=f"{COSMIC_2025}: four dimensions of powers of two")
def dimension_sizes(*, devices: Count, sizes: Sizes = [4, 8, 16]) -> Enumerated:  # noqa: B006 (read only)
    """Every order of four sizes whose product is the number of devices."""
    wrong = [one for one in sizes if one & (one - 1) or not 2 <= one <= LARGEST_DIMENSION]
    if wrong:
        allowed = f"powers of two from 2 to {LARGEST_DIMENSION}"
        raise InputError(f"{wrong[0]} is no size of a dimension", key="sizes", allowed=allowed)
    every = np.array(list(product(sorted(set(sizes)), repeat=_DIMENSIONS)), dtype=np.int64)
    together = every.prod(axis=1)
    keep = together == devices
    if not keep.any():
        nearest = int(together[np.argmin(np.abs(together - devices))])
        raise InputError(
            f"{devices}: no {_DIMENSIONS} sizes have that product", key="devices", allowed=f"such as {nearest}"
        )
    columns = {f"dimension_{place + 1}_devices": every[keep, place] for place in range(_DIMENSIONS)}
    labels = ["x".join(map(str, row)) for row in every[keep].tolist()]
    return Enumerated(columns, labels, len(every), {"the product is another number of devices": int((~keep).sum())})


@enumeration(source=f"{COSMIC_2025}: what joins the devices of a dimension")
def dimension_topology(
    *,
    dimension: Place,
    topologies: Topologies = ["ring", "full", "switch"],  # noqa: B006 (read only)
) -> Enumerated:
    """The topology of a dimension: a ring, links of each device to all, or a switch."""
    chosen = list(dict.fromkeys(topologies))
    numbers = np.array([TOPOLOGIES.index(one) for one in chosen])
    return Enumerated({f"dimension_{dimension}_topology": numbers}, chosen, len(chosen))


@enumeration(source=f"{COSMIC_2025}: how collectives go through a dimension")
def dimension_algorithm(
    *,
    dimension: Place,
    algorithms: Algorithms = ["ring", "direct", "halving", "tree"],  # noqa: B006 (read only)
) -> Enumerated:
    """The algorithm of collective operations in a dimension."""
    chosen = list(dict.fromkeys(algorithms))
    numbers = np.array([ALGORITHMS.index(one) for one in chosen])
    return Enumerated({f"dimension_{dimension}_algorithm": numbers}, chosen, len(chosen))
