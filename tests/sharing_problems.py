"""Systems made up for the tests of groups that share axes: parts whose terms depend on axes that all of them read."""

from __future__ import annotations

from typing import Any

import numpy as np
from engine_problems import Case, Limit, function, part

from dse.search.driver import SearchResult
from dse.space.design_space import Product

__all__ = ["random_sharing", "shares", "total"]

_FORMS = [
    lambda s, x, y: s * x + y,
    lambda s, x, y: (s - 2.0) * x + y,
    lambda s, x, y: np.where(s > 2.0, x, 5.0 - y),
    lambda s, x, y: np.maximum(s, x) * y,
]


def total(*terms: Any) -> Any:
    """Return the sum of terms, from the first to the last."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def random_sharing(rng: np.random.Generator) -> Case:
    """One or two axes that two or three parts share, each of which has one or two axes of its own."""
    shared, parts = int(rng.integers(1, 3)), int(rng.integers(2, 4))
    axes = [part(f"s{i}", **{f"s{i}": rng.integers(0, 5, rng.integers(2, 4)).astype(float)}) for i in range(shared)]
    functions, terms = [], {"f0": [], "f1": []}
    for place in range(parts):
        own = []
        for name in "pq"[: int(rng.integers(1, 2 if parts == 3 else 3))]:
            columns = {f"{name}{place}{kind}": rng.integers(0, 6, 4).astype(float) for kind in "xy"}
            axes.append(part(f"{name}{place}", **columns))
            own += [*columns]
        for objective, names in terms.items():
            needs = [f"s{rng.integers(shared)}", *map(str, rng.choice(own, 2, replace=False))]
            functions.append(function(f"{objective}_{place}", " ".join(needs), _FORMS[rng.integers(len(_FORMS))]))
            names.append(f"{objective}_{place}")
    for objective, names in terms.items():
        needs = [*names, "s0"] if rng.random() < 0.3 else names
        functions.append(function(objective, " ".join(needs), total))
    limits = [Limit("f1 <= 30", lambda values: values["f1"] <= 30)] if rng.random() < 0.4 else []
    if rng.random() < 0.3:
        limits.append(Limit("f0_0 <= 12", lambda values: values["f0_0"] <= 12))
    order = rng.permutation(len(axes))
    senses = {name: str(rng.choice(["min", "max"])) for name in terms}
    return Case([Product("", tuple(axes[place] for place in order))], functions, senses, limits)


def shares(result: SearchResult) -> bool:
    """Tell whether groups of a search shared axes."""
    return any("of each value of the shared axes" in text for text in result.certificate.groups)
