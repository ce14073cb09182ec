"""SYNTHETIC spaces of 10^13 designs and more, for `benchmarks.search`: made up, they describe no real machine.

Two are sums hidden in one function, of which the frontier follows part by part; one has the shape of the training of a
large model: parallelisms that all network dimensions share, beside parts that only add up. Not synthetic: the study
exascale as it was, whose rows can be compared with those of earlier versions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dse.api import Study
from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.problem import Constraint, Objective, Problem, System
from dse.graph.expression import parse
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.search.frontier.pareto import nondominated
from dse.space.axes import Axis
from dse.space.design_space import Product, Space

__all__ = [
    "axis_of",
    "coupled",
    "exascale",
    "exascale_fine",
    "finer_many_cores",
    "function_of",
    "known_frontier",
    "known_sharing",
    "problem_of",
    "separable",
    "sharing",
    "training",
]

SYNTHETIC = "synthetic: made up for the benchmark"


def problem_of(
    alternatives: Sequence[Sequence[Axis]],
    functions: Sequence[ModelFunction],
    targets: Sequence[str],
    limits: Sequence[str] = (),
) -> Problem:
    """Put a problem together from plain functions; all quantities without unit, all objectives minimised.

    Each alternative has other values on axes of the same names.
    """
    supplied = {name: Input(name, "1", "axis", "study") for axis in alternatives[0] for name in axis.columns}
    units = {**dict.fromkeys(supplied, "1"), **{name: "1" for function in functions for name in function.gives}}
    constraints, extra = [], []
    for place, text in enumerate(limits):
        expression, name = parse(text, units), f"constraint_{place}"
        extra.append(ModelFunction(name, expression, expression.needs, {name: "bool"}, text))
        constraints.append(Constraint(text, name, expression))
    graph = resolve(
        [*targets, *(one.quantity for one in constraints)], models=[], supplied=supplied, extra=[*functions, *extra]
    )
    names = ["", *(f"alternative {place}" for place in range(1, len(alternatives)))]
    return Problem(
        Space(tuple(Product(name, tuple(axes)) for name, axes in zip(names, alternatives, strict=True))),
        (System(graph, {}, tuple(constraints)),) * len(alternatives),
        tuple(Objective(name, "min") for name in targets),
    )


def function_of(name: str, needs: str, compute: Callable[..., Any]) -> ModelFunction:
    return ModelFunction(name, compute, tuple(needs.split()), {name: "1"}, SYNTHETIC)


def axis_of(name: str, **columns: Sequence[float]) -> Axis:
    arrays = {column: np.asarray(values, dtype=float) for column, values in columns.items()}
    return Axis(name, arrays, dict.fromkeys(arrays, "1"), SYNTHETIC)


# ---- sums hidden in one function ------------------------------------------------------------------------------------


def _sum(*terms: Any) -> Any:
    return reduce(lambda total, term: total + term, terms)


def _most(*terms: Any) -> Any:
    return reduce(np.maximum, terms)


def _parts(parts: int, rows: int, most: bool) -> dict[str, np.ndarray]:
    rng = np.random.default_rng([parts, rows])
    time = np.round(rng.uniform(1.0, 10.0, (parts, rows)), 2)
    cost = np.round(20.0 / time + rng.uniform(0.0, 4.0, (parts, rows)), 2)
    return {"time": time, "cost": cost, **({"peak": np.round(rng.uniform(0, 9, (parts, rows)), 1)} if most else {})}


def separable(parts: int, rows: int, *, most: bool = False) -> Problem:
    """Return a space of `rows ** parts` designs: the sums of two columns of each part, and the maximum of a third."""
    given = _parts(parts, rows, most)
    axes = [
        axis_of(f"part_{part}", **{f"{name}_{part}": table[part] for name, table in given.items()})
        for part in range(parts)
    ]
    functions = [
        function_of(name, " ".join(f"{name}_{part}" for part in range(parts)), _most if name == "peak" else _sum)
        for name in given
    ]
    return problem_of([axes], functions, [*given])


def known_frontier(parts: int, rows: int, *, most: bool = False) -> np.ndarray:
    """Return the objective vectors of the frontier of `separable`, part after part (Bellman's principle), each once."""
    given = _parts(parts, rows, most)
    found = np.zeros((1, len(given)))
    for part in range(parts):
        own = np.stack([table[part] for table in given.values()], axis=1)
        both = found[:, None] + own
        if most:
            both[:, :, -1] = np.maximum(found[:, None, -1], own[:, -1])
        both = both.reshape(-1, len(given))
        found = both[nondominated(both, keep_ties=False)]
    return np.asarray(np.unique(found, axis=0))


# ---- parts that share axes ------------------------------------------------------------------------------------------

_SIDE, _PARTS = 8, 4


def _terms(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return time and cost by part, value of the shared axes and row: each value has other good rows."""
    rng = np.random.default_rng([_SIDE, rows])
    time = rng.integers(1, 1000, (_PARTS, _SIDE * _SIDE, rows)).astype(float)
    return time, np.round(1e5 / time) + rng.integers(0, 20_000, time.shape)


def sharing(rows: int) -> Problem:
    """Return a space of `64 * rows ** 4` designs: four parts whose time and cost depend on two axes that all share.

    Time and cost add the parts up in different orders, so that no sum of two parts stands for both.
    """
    time, cost = _terms(rows)
    axes = [axis_of("a", a=range(_SIDE)), axis_of("b", b=range(_SIDE))]
    axes += [axis_of(f"row_{part}", **{f"row_{part}": range(rows)}) for part in range(_PARTS)]

    def looked_up(name: str, part: int, table: np.ndarray) -> ModelFunction:
        def compute(a: Any, b: Any, row: Any) -> Any:
            return table[(a * _SIDE + b).astype(int), row.astype(int)]

        needs, quantity = ("a", "b", f"row_{part}"), f"{name}_{part}"
        return ModelFunction(quantity, compute, needs, {quantity: "1"}, SYNTHETIC, points_only=True)

    functions = [looked_up("time", part, time[part]) for part in range(_PARTS)]
    functions += [looked_up("cost", part, cost[part]) for part in range(_PARTS)]
    functions.append(function_of("time", "time_0 time_1 time_2 time_3", lambda p, q, r, s: (p + q) + (r + s)))
    functions.append(function_of("cost", "cost_0 cost_2 cost_1 cost_3", lambda p, r, q, s: (p + r) + (q + s)))
    return problem_of([axes], functions, ["time", "cost"])


def known_sharing(rows: int) -> np.ndarray:
    """Return the objective vectors of the frontier of `sharing`, each once, value by value of the shared axes."""
    time, cost = _terms(rows)
    found = []
    for value in range(_SIDE * _SIDE):
        own = np.zeros((1, 2))
        for part in range(_PARTS):
            row = np.stack([time[part, value], cost[part, value]], axis=1)
            both = (own[:, None] + row[nondominated(row, keep_ties=False)]).reshape(-1, 2)
            own = both[nondominated(both, keep_ties=False)]
        found.append(own)
    every = np.concatenate(found)
    return np.asarray(np.unique(every[nondominated(every, keep_ties=False)], axis=0))


# ---- the exascale study, many cores only, in finer steps ------------------------------------------------------------


def coupled(rows: int) -> Problem:
    """Return six axes of which every objective mixes all: no partial sum stands for two, and the frontier is dense.

    SYNTHETIC. With 24 values of each 315,446 of 1.9e8 designs are on the frontier, with 48 1,282,807 of 1.2e10.
    """
    rng = np.random.default_rng(rows)
    names = [f"a{place}" for place in range(6)]
    axes = [axis_of(name, **{name: np.sort(rng.uniform(1, 10, rows))}) for name in names]
    needs = " ".join(names)
    functions = [
        function_of(
            "time", needs, lambda a, b, c, d, e, f: 1e3 / (a * b) + c * d / (a + e) + 40 / (f * e) + 9 / (a * f)
        ),
        function_of("power", needs, lambda a, b, c, d, e, f: a * a * b + 0.3 * d * f + c / d * e + b * f),
        function_of("cost", needs, lambda a, b, c, d, e, f: a + 2 * b + 30 / c + d + e * f + 5 / (d * e)),
    ]
    return problem_of([axes], functions, ["time", "power", "cost"])


# ---- the study exascale as it was before boards and matrix units came -----------------------------------------------

EARLIER = Path(__file__).parent / "studies" / "exascale-before-boards.toml"


def _earlier(name: str, **many_core: dict[str, Any]) -> dict[str, Any]:
    document = tomllib.loads(EARLIER.read_text(encoding="utf-8"))
    document["name"] = name
    document["space"]["choices"]["node"]["many-core"]["axes"].update(many_core)
    return document


def exascale() -> Problem:
    """Return that study: 1.1e10 designs."""
    return Study(_earlier("exascale-before-boards"), folder=EARLIER.parent).problem()


def exascale_fine() -> Problem:
    """Return that study with the steps that the study exascale-fine had then: 1.1e12 designs."""
    document = _earlier(
        "exascale-fine-before-boards",
        cores_per_socket={"values": [32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192]},
        core_frequency={"range": ["1 GHz", "3.5 GHz"], "step": "0.05 GHz"},
        private_cache={"values": ["512 KiB", "768 KiB", "1 MiB", "1.5 MiB", "2 MiB"]},
        shared_cache={"values": ["0 B", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]},
        dram_units={"values": [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20]},
    )
    return Study(document, folder=EARLIER.parent).problem()


def finer_many_cores() -> Problem:
    """Return the many-core alternatives of that study in finer steps still: 4.6e13 designs."""
    document = _earlier(
        "many-core-finer",
        cores_per_socket={"range": [32, 192], "step": 4},
        core_frequency={"range": ["1 GHz", "3.5 GHz"], "step": "0.02 GHz"},
        private_cache={"linspace": ["512 KiB", "2048 KiB", 12]},
        shared_cache={"linspace": ["0 KiB", "4096 KiB", 9]},
        dram_units={"values": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20]},
    )
    del document["space"]["choices"]["node"]["accelerated"], document["references"], document["labels"]
    return Study(document, folder=EARLIER.parent).problem()


# ---- training of a large model --------------------------------------------------------------------------------------

PARAMETERS, TOKENS, LAYERS, WIDTH, LENGTH, SEQUENCES = 1e12, 8.4e6, 128, 25_600, 2_048, 4_096


def _states(tensor: Any, pipeline: Any, data: Any, zero: Any) -> Any:
    """Bytes of weights, gradients and optimiser of a device; ZeRO spreads one after the other over the data axis."""
    optimiser = np.where(zero >= 1, 12.0 / data, 12.0)
    gradients = np.where(zero >= 2, 2.0 / data, 2.0)
    weights = np.where(zero >= 3, 2.0 / data, 2.0)
    return PARAMETERS / (tensor * pipeline) * (optimiser + gradients + weights)


def _activations(micro_batch: Any, tensor: Any, sequence: Any, recompute: Any, schedule: Any, interleave: Any) -> Any:
    """Bytes of activations of a device: as many micro-batches are in flight as there are stages."""
    spread = np.where(sequence > 0, tensor, 1.0 + 0.7 * (tensor - 1.0))
    in_flight = np.where(schedule > 0, 1.0 + 1.0 / interleave, 2.0)
    return 34.0 * LENGTH * WIDTH * LAYERS * micro_batch / spread * (1.0 - 0.9 * recompute) * in_flight


def _ring(bandwidth: Any, links: Any, steps: Any) -> Any:
    """Seconds a byte takes over one dimension of the network."""
    return steps / (bandwidth * links)


def training() -> Problem:
    """Return a space of 1.2e14 ways to train a large model: time of a step, power and cost."""
    twos = [2.0**k for k in range(11)]
    axes = [
        axis_of("tensor", tensor=twos[:7]),
        axis_of("pipeline", pipeline=twos[:7]),
        axis_of("data", data=twos),
        axis_of("micro_batch", micro_batch=twos[:6]),
        axis_of("zero", zero=[0, 1, 2, 3]),
        axis_of("recompute", recompute=[0, 0.5, 1]),
        axis_of("sequence", sequence=[0, 1]),
        axis_of("interleave", interleave=twos[:4]),
        axis_of("chunks", chunks=twos[:8]),
        axis_of("schedule", schedule=[0, 1]),
        axis_of(
            "device",
            rate=[1.25e14, 3.12e14, 1.91e14, 3.83e14, 9.9e14, 1.3e15, 2.25e15, 8e14],
            memory=[3.2e10, 8e10, 6.4e10, 1.28e11, 8e10, 1.92e11, 1.92e11, 1.41e11],
            device_power=[300, 400, 350, 560, 700, 750, 1200, 600],
            price=[4, 10, 7, 13, 28, 25, 45, 22],
        ),
    ]
    for place in (1, 2, 3):
        axes += [
            axis_of(
                f"kind_{place}",
                **{
                    f"links_{place}": [1, 2, 3, 4],
                    f"hops_{place}": [4, 2, 1.5, 1],
                    f"link_price_{place}": [0.1, 0.3, 0.6, 1.2],
                },
            ),
            axis_of(f"bandwidth_{place}", **{f"bandwidth_{place}": [12.5e9 * 1.5**k for k in range(12)]}),
            axis_of(
                f"collective_{place}", **{f"steps_{place}": [2.0, 1.5, 1.1], f"latency_{place}": [1e-6, 3e-6, 9e-6]}
            ),
        ]
    functions = [
        function_of("devices", "tensor pipeline data", lambda t, p, d: t * p * d),
        function_of("micro_batches", "data micro_batch", lambda d, b: SEQUENCES / (d * b)),
        function_of("states", "tensor pipeline data zero", _states),
        function_of("activations", "micro_batch tensor sequence recompute schedule interleave", _activations),
        function_of("needed", "states activations", lambda states, activations: states + activations),
        function_of(
            "compute",
            "devices rate micro_batch tensor recompute",
            lambda n, rate, b, t, r: 6 * PARAMETERS * TOKENS * (1 + r / 3) / (n * rate * 0.6 * b / (b + 0.1 * t)),
        ),
        function_of("bubble", "pipeline interleave micro_batches", lambda p, v, m: (p - 1) / (v * m)),
        function_of(
            "tensor_bytes",
            "tensor pipeline micro_batch micro_batches sequence",
            lambda t, p, b, m, s: LAYERS / p * 8 * LENGTH * WIDTH * b * m * (t - 1) / t * (1 + 0.1 * s),
        ),
        function_of(
            "pipeline_bytes",
            "pipeline micro_batch micro_batches interleave tensor",
            lambda p, b, m, v, t: np.minimum(p - 1, 1) * 4 * LENGTH * WIDTH * b * m * v / t,
        ),
        function_of(
            "data_bytes",
            "tensor pipeline data zero",
            lambda t, p, d, z: 4 * PARAMETERS / (t * p) * (d - 1) / d * np.where(z >= 3, 1.5, 1.0),
        ),
        *(function_of(f"second_{k}", f"bandwidth_{k} links_{k} steps_{k}", _ring) for k in (1, 2, 3)),
        *(
            function_of(
                f"start_{k}", f"latency_{k} hops_{k} chunks", lambda latency, hops, n: latency * hops * n * LAYERS
            )
            for k in (1, 2, 3)
        ),
        function_of(
            "time",
            "compute bubble tensor_bytes second_1 start_1 pipeline_bytes second_2 start_2 data_bytes second_3 start_3 "
            "chunks",
            lambda c, bubble, tb, s1, l1, pb, s2, l2, db, s3, l3, n: (
                c * (1 + bubble) + (tb * s1 + l1) + (pb * s2 + l2) + np.maximum(db * s3 / n, db * s3 - 0.5 * c) + l3
            ),
        ),
        *(
            function_of(
                f"link_power_{k}", f"bandwidth_{k} links_{k}", lambda bandwidth, links: 4e-10 * bandwidth * links
            )
            for k in (1, 2, 3)
        ),
        *(
            function_of(
                f"link_cost_{k}",
                f"bandwidth_{k} link_price_{k}",
                lambda bandwidth, price: price * (bandwidth / 1e11) ** 0.8,
            )
            for k in (1, 2, 3)
        ),
        function_of(
            "power",
            "devices device_power link_power_1 link_power_2 link_power_3",
            lambda n, own, one, two, three: n * (own + (one + two + three)),
        ),
        function_of(
            "cost",
            "devices price link_cost_1 link_cost_2 link_cost_3",
            lambda n, own, one, two, three: n * (own + (one + two + three)),
        ),
    ]
    limits = ["needed <= memory", "micro_batches >= 1", "power <= 20000000"]
    problem = problem_of([axes], functions, ["time", "power", "cost"], limits)
    assert problem.space.size == prod(len(axis) for axis in axes)
    return problem
