"""How far real machines with a part were off what is computed of them: what is not known of designs with the part.

A part is linked to the systems beside the space that its validation text names. Their measured over computed figures,
with 1 among them, are the interval of the part. A part without such a machine has the widest interval of those that
have one: less is known of it, not more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from dse.evaluation.reference_systems import ReferenceSystem
from dse.evaluation.unknowns import Unknown
from dse.space.design_space import Space

__all__ = ["machine_errors"]


def machine_errors(space: Space, references: Callable[[], Sequence[ReferenceSystem]]) -> list[Unknown]:
    """Return an unknown for each part axis and quantity of which real machines with the parts were measured.

    Parameters
    ----------
    space : Space
    references : callable
        Gives the systems beside it.
    """
    texts: dict[str, dict[str, str]] = {}
    for product in space.products:
        for axis in product.axes:
            if axis.validations:
                own = texts.setdefault(axis.validated, {})
                own.update({name: axis.validation(row) for row, name in enumerate(axis.names(axis.validated) or [])})
    if not texts:
        return []
    ratios: dict[str, dict[str, float]] = {}
    for system in references():
        for quantity, figure in system.measured.items():
            computed = system.values.get(quantity)
            if isinstance(computed, float) and computed > 0.0 and np.isfinite(figure["value"] / computed):
                ratios.setdefault(quantity, {})[system.name] = figure["value"] / computed
    unknowns = []
    for axis_name, own in texts.items():
        for quantity, measured in ratios.items():
            rows, machines = _intervals(own, measured)
            if rows and any(low < high for low, high in rows.values()):
                low, high = min(low for low, _ in rows.values()), max(high for _, high in rows.values())
                source = f"measured over computed of {', '.join(machines)}"
                if len(rows) < len(own):
                    source += f"; {len(own) - len(rows)} of {len(own)} parts have no machine and the widest interval"
                unknowns.append(Unknown(quantity, low, high, scope="each", axis=axis_name, rows=rows, source=source))
    return unknowns


def _intervals(texts: dict[str, str], ratios: dict[str, float]) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Return the deviations of each part that a text links to machines, and these machines."""
    rows: dict[str, tuple[float, float]] = {}
    machines: dict[str, None] = {}
    for label, text in texts.items():
        named = [name for name in ratios if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        if named:
            off = [ratios[name] - 1.0 for name in named]
            rows[label] = (min(0.0, *off), max(0.0, *off))
            machines.update(dict.fromkeys(named))
    return rows, list(machines)
