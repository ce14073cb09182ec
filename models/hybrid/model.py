"""The hybrid model from Python, without a study file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Assumption, Parameter
from dse.authoring.library.library import Model, load_model
from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve
from dse.models.hybrid import inputs

__all__ = ["RESULTS", "HybridModel"]

RESULTS = (
    "run_time",
    "energy",
    "useful_computation_ratio",
    "compute_time",
    "memory_time",
    "memory_service_time",
    "memory_wait_time",
    "network_service_time",
    "network_wait_time",
    "switch_utilisation",
)


class HybridModel:
    """Time and energy of the programs in three tables, for one system.

    Parameters
    ----------
    baselines, messages, power : Table
        As `dse.authoring.table.read_table` reads them with the columns that `dse.models.hybrid` declares; one
        system, any number of programs in a column ``program``.

    Examples
    --------
    >>> model = HybridModel.of_sample("xeon")
    >>> result = model.evaluate(nodes=16, cores=8, frequency=1.8e9, program="SP")
    >>> round(float(result["run_time"]), 4)
    5.3429
    """

    def __init__(self, baselines: Table, messages: Table, power: Table) -> None:
        self.tables = {"baselines": baselines, "messages": messages, "power": power}
        self._of_program: dict[str | None, dict[str, Table]] = {}
        self._graphs: dict[tuple[tuple[str, str], ...], Graph] = {}

    @classmethod
    def of_sample(cls, system: str) -> HybridModel:
        """Return the model of the synthetic sample data for ``"xeon"`` or ``"arm"``; these are not measurements."""
        folder = Path(str(files("dse.spaces"))) / "hybrid"
        declared = {"baselines": inputs.baselines, "messages": inputs.messages, "power": inputs.power}
        tables = {
            name: read_table(folder / f"{name}.csv", columns=table.columns, name=f"hybrid/{name}.csv")
            for name, table in declared.items()
        }
        return cls(**{name: table.where(system=system) for name, table in tables.items()})

    def evaluate(
        self,
        nodes: Any,
        cores: Any,
        frequency: Any,
        program: str | None = None,
        memory_bandwidth_scale: float = 1.0,
        service_scv: float = 1.0,
        channels: str = "port",
        *,
        use: Mapping[str, str] | None = None,
    ) -> dict[str, np.ndarray]:
        """Evaluate configurations.

        Parameters
        ----------
        nodes, cores, frequency : array_like
            Configurations, arrays that broadcast; the frequency in Hz.
        program : str, optional
            A program of the tables; not needed where they hold only one.
        memory_bandwidth_scale : float
            What-if factor on the memory bandwidth.
        service_scv : float
            Squared coefficient of variation of the service time of a message.
        channels : {"port", "shared"}
            Component of the slot ``switch_channels``.
        use : dict of str to str, optional
            Components of other slots of `dse.models.hybrid`.

        Returns
        -------
        dict of str to ndarray
            The quantities of `RESULTS` in SI, each of the broadcast shape of the configurations.

        Raises
        ------
        InputError
            A program that is not in the tables, a value outside its limits, a configuration outside the tables.
        """
        given = {"nodes": nodes, "cores": cores, "frequency": frequency}
        given |= {"memory_bandwidth_scale": memory_bandwidth_scale, "service_scv": service_scv}
        points = {name: _checked(name, value) for name, value in given.items()}
        shape = np.broadcast_shapes(*(np.shape(value) for value in (nodes, cores, frequency)))
        graph = self._graph({"switch_channels": channels, **(use or {})})
        values = graph.evaluate({**points, **self._tables(program)})
        return {name: np.broadcast_to(values[name], shape or (1,)).reshape(shape) for name in RESULTS}

    def _tables(self, program: str | None) -> dict[str, Table]:
        if program not in self._of_program:
            tables = dict(self.tables)
            for name in ("baselines", "messages") if program is not None else ():
                tables[name] = tables[name].where(program=program)
            self._of_program[program] = tables
        return self._of_program[program]

    def _graph(self, use: dict[str, str]) -> Graph:
        key = tuple(sorted(use.items()))
        if key not in self._graphs:
            model = load_model("hybrid")
            self._graphs[key] = resolve(RESULTS, models=[model], supplied=_supplied(model), use=use)
        return self._graphs[key]


def _supplied(model: Model) -> dict[str, Input]:
    given = {name: Input(name, item.unit, "set", "the caller", item.doc) for name, item in model.parameters.items()}
    return given | {name: Input(name, "1", "table", "the caller", item.doc) for name, item in model.tables.items()}


def _checked(name: str, value: Any) -> np.ndarray:
    """Return the values as an array of at least one dimension, or say which is wrong."""
    declared = getattr(inputs, name)
    array = np.atleast_1d(np.asarray(value, dtype=float))
    wrong = ~declared.allows(array)
    if wrong.any():
        raise InputError(f"{array[wrong].flat[0]:g}", key=name, allowed=_limits(declared))
    return array


def _limits(declared: Parameter | Assumption) -> str:
    if declared.above is not None:
        limits = f"numbers above {declared.above:g}"
    elif declared.minimum is not None:
        limits = f"{'whole ' if declared.integer else ''}numbers from {declared.minimum:g} up"
    else:
        limits = "finite numbers"
    return limits if declared.maximum is None else f"{limits}, at most {declared.maximum:g}"
