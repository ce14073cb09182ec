"""The machines of the table as rows of an axis: ``machine = { enumerate = "real_machines", given = {} }``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from dse.authoring.declare.enumerations import Enumerated, enumeration
from dse.authoring.table import read_table
from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import Machine, catalogue, read_machines
from dse.models.machines.catalogue.device_laws import law_errors
from dse.models.machines.catalogue.figures import columns, figure_of
from dse.models.machines.catalogue.parts import cost_columns
from dse.models.machines.laws.comparison import judged
from dse.models.node_class.sockets.table import has_matrix_units

__all__ = ["real_machines"]

_Some = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
Names = Annotated[_Some | None, Field(description="a list of names of machines in spaces/machines/systems.csv")]


TableFile = Annotated[
    Annotated[str, Field(min_length=1)] | None,
    Field(description="the path of a table with the columns of spaces/machines/systems.csv"),
]
Measured = Annotated[bool, Field(description="true, false")]
_LAWS = ("rate", "power", "efficiency")
_MEASURED = {
    "machine_linpack_flop_rate": "linpack_flop_rate",
    "machine_linpack_power": "power",
    "machine_gradient_flop_rate": "gradient_flop_rate",
}


@enumeration(source="spaces/machines/systems.csv, each row with its source and confidence")
def real_machines(*, names: Names = None, measured: Measured = False, table: TableFile = None) -> Enumerated:
    """Every real machine, or those that are named, of which all that the model needs was published.

    With ``measured``, for the references of a study: all whose nodes are known, NaN for what else is not, with measured
    figures in the columns `machine_linpack_flop_rate`, `machine_linpack_power` and `machine_gradient_flop_rate` (NaN
    where HPCG ran on other nodes than HPL), how far laws may be off each, and whether its cores have matrix units. With
    ``table``, those of another table instead, with the laws of the project.
    """
    machines = list(catalogue() if table is None else read_machines(Path(table)))
    known = [machine.name for machine in machines]
    for name in names or ():
        if name not in known:
            raise InputError(f"there is no machine '{name}'", key="names", allowed=known, wrong=name, candidates=known)
    machines = [machine for machine in machines if names is None or machine.name in names]
    by_parameter = columns(machines)
    whole = np.all([np.isfinite(values) for values in by_parameter.values()], axis=0)
    if measured:
        by_parameter |= cost_columns(machines)
        by_parameter |= {name: figure_of(machines, attribute) for name, attribute in _MEASURED.items()}
        by_parameter |= law_errors(machines)
        outer = [has_matrix_units(machine.processor_model) for machine in machines]
        by_parameter["machine_matrix_units"] = np.array(outer, dtype=float)
        by_parameter |= _left_out(machines, own=table is None)
        elsewhere = figure_of(machines, "gradient_nodes") != by_parameter["machine_nodes"]
        by_parameter["machine_gradient_flop_rate"][elsewhere] = np.nan
        whole = np.isfinite(by_parameter["machine_nodes"])
    kept = [machine for machine, keep in zip(machines, whole, strict=True) if keep]
    return Enumerated(
        {name: values[whole] for name, values in by_parameter.items()},
        [machine.name for machine in kept],
        considered=len(machines),
        refused={"something the model needs was not published": int((~whole).sum())},
        sources=[machine.source for machine in kept],
        confidences=[machine.confidence for machine in kept],
    )


@cache
def _known() -> dict[tuple[str, str], tuple[float, float]]:
    """Return what laws without each machine of the project's table give over what was measured, and their distance."""
    path = Path(str(files("dse.spaces"))) / "machines" / "left-out.csv"
    table = read_table(path, name="spaces/machines/left-out.csv")
    columns = (table["machine"], table["law"], table["law_over_measured"], table["standard_errors"])
    rows = zip(*columns, strict=True)
    return {(str(name), str(law)): (float(ratio), float(errors)) for name, law, ratio, errors in rows}


def _left_out(machines: Sequence[Machine], *, own: bool) -> dict[str, np.ndarray]:
    """Return by law the columns of `_known`; of another table than the project's they are computed."""
    known = _known()
    if not own:
        shares = judged(machines)
        known = {(entry.machine.name, entry.law): (entry.share / entry.measured, entry.deviations) for entry in shares}
    columns = {}
    for law in _LAWS:
        pairs = np.array([known.get((machine.name, law), (np.nan, np.nan)) for machine in machines]).reshape(-1, 2)
        columns[f"machine_left_out_{law}"], columns[f"machine_left_out_{law}_errors"] = pairs.T
    return columns
