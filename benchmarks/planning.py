"""Planning three hundred alternatives: the probe run, the plans and the tables; and searching ten thousand."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import synthetic
from benchmarks.machine import peak_mib, run_alone, timed
from benchmarks.report import Column, Section, Target, seconds
from dse.authoring.library.library import model_of
from dse.evaluation.plan import make_plan
from dse.evaluation.problem import Objective, Problem, System
from dse.evaluation.product_evaluator import ProductEvaluator
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.run.disk.ledger import BlockLedger
from dse.search.driver import search
from dse.space.axes import Axis
from dse.space.design_space import Product, Space

ALTERNATIVES = {"full": 300, "small": 30}
MANY = {"full": 10_000, "small": 100}
SEARCHED_SECONDS = 20.0  # of the processor, for ten thousand
REPEATS = 5
FIXED = {"taper": 2.0, "direct_share": 0.5}


def alternatives(count: int, *, rows: int | None = None) -> Problem:
    """Return a space of many alternatives of three structures, each with axes of lengths of its own.

    With `rows`, the first six axes are of that length and the others of one.
    """
    rng = np.random.default_rng(3)
    (whole,) = synthetic.problem().space.products
    products, systems = [], []
    makers = [(axes, *_system(axes)) for axes in (whole.axes, _fixed(whole.axes), _parts(whole.axes))]
    for index in range(count):
        axes, system, fixed = makers[index % len(makers)]
        if rows is None:
            cut = tuple(_cut(axis, int(rng.integers(2, len(axis) + 1))) for axis in axes)
        else:
            cut = tuple(_cut(axis, rows if place < 6 else 1) for place, axis in enumerate(axes))
        products.append(Product(f"alternative {index}", cut, fixed))
        systems.append(system)
    objectives = tuple(Objective(name, "min") for name in ("time", "energy", "cost"))
    return Problem(Space(tuple(products)), tuple(systems), objectives)


def _fixed(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """Two of the axes are fixed."""
    return tuple(axis for axis in axes if axis.name not in FIXED)


def _parts(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """Radix and link bandwidth come together, as the columns of a part."""
    radix, link = (next(axis for axis in axes if axis.name == name) for name in ("radix", "link_bandwidth"))
    pairs = np.array([(a, b) for a in radix.columns["radix"] for b in link.columns["link_bandwidth"]])
    columns = {"radix": pairs[:, 0], "link_bandwidth": pairs[:, 1]}
    labels = tuple(f"switch {row}" for row in range(len(pairs)))
    part = Axis("switch", columns, {"radix": "1", "link_bandwidth": "B/s"}, synthetic.SYNTHETIC, labels)
    return (*(axis for axis in axes if axis.name not in ("radix", "link_bandwidth")), part)


def _cut(axis: Axis, count: int) -> Axis:
    columns = {name: values[:count] for name, values in axis.columns.items()}
    return Axis(axis.name, columns, axis.units, axis.source, axis.labels[:count] if axis.labels else None)


def _system(axes: tuple[Axis, ...]) -> tuple[System, dict[str, float]]:
    model = model_of(synthetic, "synthetic")
    supplied = {name: Input(name, unit, "axis", "study") for axis in axes for name, unit in axis.units.items()}
    fixed = {name: value for name, value in FIXED.items() if name not in supplied}
    supplied |= {name: Input(name, "1", "set", "study") for name in fixed}
    graph = resolve(["time", "energy", "cost"], models=[model], supplied=supplied)
    assumptions = {name: item.value for name, item in model.assumptions.items() if name in graph.inputs}
    return System(graph, assumptions, ()), fixed


def measure(count: int) -> dict[str, Any]:
    """Plan all alternatives with empty caches, then make their tables."""
    problem = alternatives(count)
    products = list(enumerate(problem.space.products))

    def plan() -> list[Any]:
        return [
            make_plan(problem.systems[i].graph, structures[i], product.shape, problem.results(i))
            for i, product in products
        ]

    def tabulate() -> list[ProductEvaluator]:
        systems = problem.systems
        return [
            ProductEvaluator(systems[i].graph, structures[i], plans[i], product, systems[i].assumptions)
            for i, product in products
        ]

    structures, probed, _ = timed(lambda: [problem.structure(i) for i, _ in products])
    plans, planned, _ = timed(plan)
    _, again, _ = timed(plan)
    evaluators, tabulated, _ = timed(tabulate)
    return {
        "alternatives": count,
        "structures": len({id(one) for one in structures}),
        "plans": len({id(one) for one in plans}),
        "designs": problem.space.size,
        "entries": int(sum(table.size for one in evaluators for table in one.cut.values())),
        "probe": probed,
        "plan": planned,
        "again": again,
        "tables": tabulated,
        "peak_mib": peak_mib(),
    }


def search_many(count: int) -> dict[str, Any]:
    """Plan and search many alternatives of 64 designs, with a ledger on the disk."""
    problem = alternatives(count, rows=2)
    with tempfile.TemporaryDirectory() as folder:
        ledger = BlockLedger(Path(folder) / "ledger")
        begun, own = time.perf_counter(), time.process_time()
        found = search(problem, ledger=ledger)
        seconds, own = time.perf_counter() - begun, time.process_time() - own
        ledger.close()
    return {"searched": own, "wall": seconds, "designs": problem.space.size, "exact": found.certificate.exact}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Measure in processes of their own, so that every repeat starts with empty caches."""
    count = ALTERNATIVES[designs]
    records = []
    for turn in range(REPEATS):
        tell(f"round {turn + 1} of {REPEATS}: {count} alternatives")
        records.append(run_alone({"alternatives": count}, "benchmarks.planning"))
    many = MANY[designs]
    tell(f"{many} alternatives are searched")
    searched = run_alone({"searched": many}, "benchmarks.planning")
    first = records[0]
    steps = {
        "probe": f"probe runs ({first['structures']} structures)",
        "plan": f"plans ({first['plans']} different ones)",
        "again": "the same plans once more",
        "tables": f"tables ({first['entries']:,} entries kept)",
    }
    typical = {name: median(record[name] for record in records) for name in steps}
    rows = [
        {"label": label, "name": name, "seconds": typical[name], "each": typical[name] / count}
        for name, label in steps.items()
    ]
    label = f"planned and searched, {many} of 64 designs (processor time)"
    rows.append({"label": label, "name": "many", "seconds": searched["searched"], "each": searched["searched"] / many})
    return Section(
        "planning",
        f"Planning {count} alternatives of a SYNTHETIC space ({first['designs']:,} designs); medians of {REPEATS}",
        [
            Column("label", "step"),
            Column("seconds", "all", seconds),
            Column("each", "one alternative", seconds),
        ],
        rows,
        [
            Target(f"{count} alternatives, probe and plan", typical["probe"] + typical["plan"], 1.0, "s", False),
            Target(f"{many} alternatives, planned and searched", searched["searched"], SEARCHED_SECONDS, "s", False),
        ],
        [],
        ["every repeat in a process of its own, with empty caches; each alternative has axes of lengths of its own"],
    )


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(search_many(asked["searched"]) if "searched" in asked else measure(asked["alternatives"])))
