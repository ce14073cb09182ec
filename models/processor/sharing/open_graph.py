"""A graph evaluated as far as its inputs are known: what no missing one reaches is evaluated once.

Threads that run together, and several programs, are the same graph again and again with other shares and latencies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.library.library import load_model
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve

__all__ = ["OpenGraph", "open_graph"]


def open_graph(
    wanted: Sequence[str],
    given: Collection[str],
    use: Mapping[str, str],
    *,
    source: str = "the caller",
    functions: Sequence[ModelFunction] = (),
) -> OpenGraph:
    """Resolve the graph of the family with holes.

    Parameters
    ----------
    wanted : sequence of str
        Quantities it is to give.
    given : collection of str
        The holes: quantities the caller gives, whether functions would give them or not.
    use : mapping of str to str
        The component of each slot.
    source : str
        Where what is given comes from.
    functions : sequence of ModelFunction
        They replace those of the same name.
    """
    family = load_model("processor")
    units = {name: unit for function in family.functions for name, unit in function.gives.items()}
    units |= {name: item.unit for name, item in {**family.parameters, **family.assumptions}.items()}
    supplied = {name: Input(name, units.get(name, "1"), "set", source) for name in given}
    models = [family.with_functions(*functions)]
    return OpenGraph(resolve(wanted, models=models, supplied=supplied, use=use, given=given))


class _Step(NamedTuple):
    """A function, the names of what it reads and gives, and of what nobody reads after it."""

    function: Callable[..., Any]
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    read_no_more: tuple[str, ...]


class OpenGraph:
    """Values of the inputs and targets of a graph, some of whose inputs may be missing.

    Parameters
    ----------
    graph : Graph

    Notes
    -----
    Nothing is changed: `fill` returns another one, so any number may start from the same values. Quantities that are no
    targets are let go of after their last use, so that the next ones go where memory is still in the caches.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.values: dict[str, Any] = {}
        self._known: frozenset[str] = frozenset()
        self._plans: dict[tuple[object, ...], tuple[_Step, ...]] = {}
        self._inputs_below: dict[str, frozenset[str]] = {}

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def fill(self, **inputs: Any) -> OpenGraph:
        """Return the graph with values of more inputs; those it does not read are let be."""
        return self.filled(inputs)

    def filled(self, inputs: Mapping[str, Any]) -> OpenGraph:
        """Return the graph with values of more inputs by name."""
        filled = OpenGraph.__new__(OpenGraph)
        filled.graph, filled._plans, filled._inputs_below = self.graph, self._plans, self._inputs_below
        filled._known = self._known.union(inputs)
        filled.values = {**self.values, **inputs}
        _run(self._plan(filled._known, None), filled.values)
        return filled

    def read(self, wanted: Sequence[str], **inputs: Any) -> list[Any]:
        """Return some quantities alone, with values of the inputs they still need."""
        names = tuple(wanted)
        values = {**self.values, **inputs}
        _run(self._plan(self._known.union(inputs), names), values)
        return [values[name] for name in names]

    def _plan(self, known: frozenset[str], wanted: tuple[str, ...] | None) -> tuple[_Step, ...]:
        """Return the calls to make once more inputs are known."""
        key = (self._known, known, wanted)
        if key not in self._plans:
            ready = [function for function in self.graph.functions if self._is_ready(function, known)]
            if wanted is None:
                waiting = [function for function in self.graph.functions if not self._below(function.needs) <= known]
                keep = {*self.graph.targets, *(need for function in waiting for need in function.needs)}
            else:
                asked = self.graph.below(wanted)
                ready = [function for function in ready if not asked.isdisjoint(function.gives)]
                keep = set(wanted)
            self._plans[key] = tuple(_steps(ready, keep.union(self.graph.inputs)))
        return self._plans[key]

    def _is_ready(self, function: ModelFunction, known: frozenset[str]) -> bool:
        """Tell whether a function can be called now, and could not before."""
        below = self._below(function.needs)
        return below <= known and (not below <= self._known or not self._known)

    def _below(self, names: Sequence[str]) -> frozenset[str]:
        """Return the inputs that quantities depend on."""
        inputs: frozenset[str] = frozenset()
        for name in names:
            if name not in self._inputs_below:
                function = self.graph.providers.get(name)
                self._inputs_below[name] = frozenset((name,)) if function is None else self._below(function.needs)
            inputs |= self._inputs_below[name]
        return inputs


def _steps(functions: Sequence[ModelFunction], keep: Collection[str]) -> list[_Step]:
    steps: list[_Step] = []
    later = set(keep)
    for function in reversed(functions):
        last = dict.fromkeys((*function.needs, *function.gives))
        steps.append(
            _Step(
                function.function,
                function.needs,
                tuple(function.gives),
                tuple(name for name in last if name not in later),
            )
        )
        later.update(last)
    return steps[::-1]


def _run(steps: Sequence[_Step], values: dict[str, Any]) -> None:
    for function, needs, gives, read_no_more in steps:
        result = function(*[values[name] for name in needs])
        if len(gives) == 1:
            values[gives[0]] = result
        else:
            values.update(zip(gives, result, strict=True))
        for name in read_no_more:
            del values[name]
