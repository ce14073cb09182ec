"""The variants, each run in a process of its own: ``python -m benchmarks.variants '{"variant": "plain", ...}'``.

The last line printed is a JSON record: seconds, processor seconds, peak MiB, and the answer to be compared.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import moocore  # noqa: F401  (so that its import is not timed)

from benchmarks import flat, loop
from benchmarks.machine import peak_mib, timed
from benchmarks.native import Native
from benchmarks.synthetic import Made
from dse.api import Study
from dse.evaluation.problem import Problem
from dse.evaluation.product_evaluator import Blocks
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Space

Answer = dict[str, Any]


def searched(problem: Problem, order: dict[str, Any]) -> Answer:
    """Search the whole space, planning, tables and the exact frontier included."""
    jobs = order.get("jobs", 1)
    factory = Made(order["node_values"]) if jobs > 1 else None
    found = search(problem, SearchOptions(method=order["method"], jobs=jobs), factory=factory)
    return {
        "designs": found.certificate.designs,
        "evaluated": int(found.certificate.evaluated),
        "frontier": len(found.numbers),
        "digest": digest(found),
    }


def one_alternative(study: str, name: str) -> Problem:
    """Return the problem of a study with one of its alternatives only."""
    whole = Study.load(study).problem()
    index = [product.name for product in whole.space.products].index(name)
    return Problem(Space((whole.space.products[index],)), (whole.systems[index],), whole.objectives, whole.seed)


def digest(found: Any) -> str:
    """Return the hash of the bytes of a frontier."""
    return hashlib.sha256(found.numbers.tobytes() + found.values.tobytes()).hexdigest()


def factored(problem: Problem, order: dict[str, Any]) -> Answer:
    """Evaluate the objectives of every design block by block, as the plain search does, without a filter."""
    product = ExhaustiveProduct(problem, 0)
    blocks = Blocks(product.evaluator, product.steps)
    for linear in range(prod(product.counts)):
        blocks.evaluate(blocks.ranges(blocks.index(linear)))
    return {"designs": product.evaluator.size}


def in_chunks(problem: Problem, order: dict[str, Any]) -> Answer:
    """Evaluate the same functions on flat arrays in chunks."""
    flat.walk(problem, order["first"], order["designs"], order["chunk"])
    return {"designs": order["designs"]}


def native(problem: Problem, order: dict[str, Any]) -> Answer:
    """Evaluate every quantity in a C loop."""
    sums = Native(Path(order["library"])).sums(problem, order["loop"], order["first"], order["designs"])
    return {"designs": order["designs"], "sums": sums.tolist()}


def python(problem: Problem, order: dict[str, Any]) -> Answer:
    """Evaluate every quantity in a Python loop."""
    loop.walk(problem, order["designs"])
    return {"designs": order["designs"]}


VARIANTS: dict[str, Callable[[Problem, dict[str, Any]], Answer]] = {
    "searched": searched,
    "factored": factored,
    "flat": in_chunks,
    "native": native,
    "python": python,
}


def main() -> None:
    order = json.loads(sys.argv[1])
    if "study" in order:
        problem = one_alternative(order["study"], order["alternative"])
    else:
        problem = Made(order["node_values"]).problem()
    answer, seconds, cpu_seconds = timed(lambda: VARIANTS[order["variant"]](problem, order))
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mib": peak_mib(), **answer}))


if __name__ == "__main__":
    main()
