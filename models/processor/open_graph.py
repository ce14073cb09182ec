"""A graph evaluated as far as its inputs are known: what no missing one reaches is evaluated once.

Threads that run together, and several programs, are the same graph again and again with other shares and latencies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dse.graph.graph import Graph

__all__ = ["OpenGraph"]


class _Step(NamedTuple):
    """A function, with the names of what it reads and gives."""

    function: Callable[..., Any]
    needs: tuple[str, ...]
    gives: tuple[str, ...]


class OpenGraph:
    """Values of a graph, some of whose inputs may be missing.

    Parameters
    ----------
    graph : Graph

    Notes
    -----
    Nothing is changed: `fill` returns another one, so any number may start from the same values.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.values: dict[str, Any] = {}
        self._known: frozenset[str] = frozenset()
        self._plans: dict[tuple, tuple[_Step, ...]] = {}
        self._inputs_below: dict[str, frozenset[str]] = {}

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def fill(self, **inputs: Any) -> OpenGraph:
        """Return the graph with values of more inputs; those it does not read are let be."""
        return self.filled(inputs)

    def filled(self, inputs: Mapping[str, Any]) -> OpenGraph:
        """Return the graph with values of more inputs by name."""
        found = OpenGraph.__new__(OpenGraph)
        found.graph, found._plans, found._inputs_below = self.graph, self._plans, self._inputs_below
        found._known = self._known.union(inputs)
        found.values = {**self.values, **inputs}
        _run(self._plan(found._known, None), found.values)
        return found

    def read(self, wanted: Sequence[str], **inputs: Any) -> list[Any]:
        """Return some quantities alone, with values of the inputs they still need."""
        names = tuple(wanted)
        values = {**self.values, **inputs}
        _run(self._plan(self._known.union(inputs), names), values)
        return [values[name] for name in names]

    def _plan(self, known: frozenset[str], wanted: tuple[str, ...] | None) -> tuple[_Step, ...]:
        """Return the functions that can be called once more inputs are known."""
        key = (self._known, known, wanted)
        if key not in self._plans:
            asked = None if wanted is None else self.graph.below(wanted)
            steps = []
            for function in self.graph.functions:
                below = self._below(function.needs)
                ready = below <= known and (not below <= self._known or not self._known)
                if ready and (asked is None or not asked.isdisjoint(function.gives)):
                    steps.append(_Step(function.function, function.needs, tuple(function.gives)))
            self._plans[key] = tuple(steps)
        return self._plans[key]

    def _below(self, names: Sequence[str]) -> frozenset[str]:
        """Return the inputs that quantities depend on."""
        found: frozenset[str] = frozenset()
        for name in names:
            if name not in self._inputs_below:
                function = self.graph.providers.get(name)
                self._inputs_below[name] = frozenset((name,)) if function is None else self._below(function.needs)
            found |= self._inputs_below[name]
        return found


def _run(steps: Sequence[_Step], values: dict[str, Any]) -> None:
    for function, needs, gives in steps:
        result = function(*[values[name] for name in needs])
        if len(gives) == 1:
            values[gives[0]] = result
        else:
            values.update(zip(gives, result, strict=True))
