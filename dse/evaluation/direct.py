"""Quantities of models at arrays of their inputs, without a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from dse.arithmetic.exact_floats import as_float64
from dse.authoring.declare.declaration import Assumption, Parameter
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve

__all__ = ["evaluate_models"]


def evaluate_models(
    models: Sequence[str], targets: Sequence[str], values: Mapping[str, object], use: Mapping[str, str] | None = None
) -> dict[str, np.ndarray]:
    """Evaluate quantities at arrays of what they depend on.

    Parameters
    ----------
    models : sequence of str
        Models of the library or of installed packages, as a study names them.
    targets : sequence of str
        Quantities wanted.
    values : mapping of str to array_like
        Parameters, and assumptions that are to differ from their defaults; SI numbers that broadcast.
    use : mapping of str to str, optional
        The component chosen for each slot.

    Returns
    -------
    dict of str to ndarray
        The targets, each of the smallest shape it depends on.

    Raises
    ------
    InputError
        A value that no model declares; and as `dse.graph.resolve.resolve`: a missing quantity, an unknown component.

    Examples
    --------
    >>> evaluate_models(["network"], ["path_switches"], {"mesh_switches": 6, "nodes_per_switch": 10,
    ...     "node_link_bandwidth": 7e9, "switch_link_bandwidth": 7e9}, {"topology": "full-mesh"})
    {'path_switches': array([1.84745763])}
    """
    graph, assumed = _resolved(tuple(models), tuple(targets), tuple(values), tuple((use or {}).items()))
    given = {name: values.get(name, assumed.get(name)) for name in graph.inputs}
    quantities = graph.evaluate({name: np.atleast_1d(_number(name, value)) for name, value in given.items()})
    return {name: quantities[name] for name in targets}


def _number(name: str, value: object) -> np.ndarray:
    try:
        return as_float64(value)
    except ValueError as error:
        raise InputError(f"'{name}' {error}", allowed="numbers that are float64") from None


@lru_cache(maxsize=64)
def _resolved(
    models: tuple[str, ...], targets: tuple[str, ...], names: tuple[str, ...], use: tuple[tuple[str, str], ...]
) -> tuple[Graph, dict[str, float]]:
    """Return the graph with the named inputs, and the values of the assumptions."""
    loaded = [load_model(name) for name in models]
    declared: dict[str, Parameter | Assumption] = {}
    for model in loaded:
        declared |= {**model.parameters, **model.assumptions}
    for name in names:
        if name not in declared:
            raise InputError(f"no model has '{name}'", allowed=sorted(declared), wrong=name, candidates=declared)
    supplied = {name: Input(name, declared[name].unit, "set", "the caller") for name in names}
    graph = resolve(targets, models=loaded, supplied=supplied, use=dict(use))
    return graph, {name: item.value for name, item in declared.items() if isinstance(item, Assumption)}
