"""Exact formulas of a metric: what the source of a program says, checked against every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dse.errors import InputError
from dse.graph.expression import Expression, names_in, parse
from dse.models.workload.extrapolation.metrics import Key, name_of, unit_of
from dse.units import same_dimension

__all__ = ["WITHIN", "Formula", "read_formulas"]

WITHIN = 0.01
"""Largest relative error of a formula in a run."""


@dataclass(frozen=True)
class Formula:
    """A metric as an expression of sizes and parameters; `error` is its largest relative error in the runs."""

    text: str
    error: float = 0.0

    @cached_property
    def expression(self) -> Expression:
        """The expression, all of whose names are plain numbers."""
        return parse(self.text, dict.fromkeys(names_in(self.text), "1"))

    def at(self, point: Mapping[str, float]) -> float:
        """Return the metric for sizes and parameters by name."""
        given = (np.array([float(point[name])]) for name in self.expression.needs)
        return float(np.asarray(self.expression(*given)).reshape(-1)[0])


def read_formulas(
    texts: Sequence[str],
    metrics: Sequence[Key],
    names: Sequence[str],
    runs: Sequence[Mapping[str, float]],
    measured: Mapping[Key, Sequence[float | None]],
    within: float = WITHIN,
) -> dict[Key, Formula]:
    """Read ``METRIC = EXPRESSION`` and check it against the runs.

    Parameters
    ----------
    texts : sequence of str
    metrics : sequence of Key
        Those that runs have.
    names : sequence of str
        Sizes and parameters.
    runs : sequence of mapping
        The value of each name in each run.
    measured : mapping of Key to sequence of (float or None)
        The metric in each run, None where it has none.
    within : float
        Largest relative error.

    Raises
    ------
    InputError
        No such metric or name, another unit, the same metric twice, an error beyond `within`.
    """
    known = {name_of(key): key for key in metrics}
    formulas: dict[Key, Formula] = {}
    for text in texts:
        name, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not expression:
            allowed = 'METRIC = EXPRESSION, such as "comm.p2p.sent_bytes = 1200 B * cells**(2/3)"'
            raise InputError(f"'{text}'", key="--law", allowed=allowed)
        if name not in known:
            raise InputError(
                f"no run has a metric '{name}'", key="--law", allowed=list(known)[:12], wrong=name, candidates=known
            )
        key = known[name]
        if key in formulas:
            raise InputError(f"'{name}' has two formulas", key="--law", allowed="one for each metric")
        try:
            parsed = parse(expression, dict.fromkeys(names, "1"))
        except InputError as error:
            raise error.within(key="--law") from None
        if parsed.unit != unit_of(key) and not (parsed.unit != "bool" and same_dimension(parsed.unit, unit_of(key))):
            raise InputError(
                f"'{name}' is in [{unit_of(key)}], and '{expression}' in [{parsed.unit}]",
                key="--law",
                allowed=f"an expression in [{unit_of(key)}], such as 8 {unit_of(key)} * {names[0]}",
            )
        formula = Formula(expression)
        errors = [
            (abs(formula.at(run) - value) / abs(value) if value else abs(formula.at(run)), run)
            for run, value in zip(runs, measured[key], strict=True)
            if value is not None
        ]
        worst, where = max(errors, key=lambda pair: pair[0])
        if not worst <= within:
            values_text = ", ".join(f"{parameter} = {value:g}" for parameter, value in where.items())
            raise InputError(
                f"'{name} = {expression}' is {100 * worst:.3g} % off at {values_text}",
                key="--law",
                allowed=f"at most {100 * within:g} % in every run (--law-within)",
            )
        formulas[key] = Formula(expression, float(f"{worst:.3g}"))
    return formulas
