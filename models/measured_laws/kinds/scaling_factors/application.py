"""Fitted factors in a study: the provider ``fitted`` of the slot ``application_efficiency`` of whole machines.

Load balance and serialisation are the application's and come from the fit; transfer is the network's, which the
machine's own models give. The fitted transfer stands beside it as `fitted_transfer_efficiency`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import document_parameter, quantity
from dse.errors import InputError
from dse.models.measured_laws.kinds.scaling_factors.fitted_file import read_factors_fit
from dse.models.sources import ROSAS_2014

__all__: list[str] = []

_FITTED: dict[str, Any] = {"slot": "application_efficiency", "provider": "fitted"}
_HAIR = 1e-9

scaling_factors = document_parameter(
    read=read_factors_fit, doc="Fitted load balance, serialisation and transfer of a program"
)


@quantity(
    unit="1",
    name="application_efficiency",
    source=f"{ROSAS_2014}, Eqs. 2 and 3: LB Ser, fitted over the number of ranks",
    points_only=True,
    **_FITTED,
)
def fitted_application_efficiency(scaling_factors, machine_processes, class_size, progress_modelled):
    """Load balance times serialisation at the processes of the machine."""
    if "Ser" not in scaling_factors.factors:
        raise InputError(
            f"Ser and Trf of '{scaling_factors.name}' are not separated, and a machine has its own transfer",
            key="tables.scaling_factors",
            allowed="factors with an ideal time",
        )
    if scaling_factors.times == "measured" and np.any(progress_modelled):
        raise InputError(
            "measured factors have the waiting for progress in them, and it would be counted twice",
            key="use.progress",
            allowed='progress = "off", or factors of a replay',
        )
    if np.any(np.abs(class_size - machine_processes) > _HAIR * machine_processes):
        raise InputError(
            "fitted factors are of all processes, and the study has several classes",
            key="use.application_efficiency",
            allowed='one class of processes, or "none"',
        )
    ranks = np.asarray(machine_processes, dtype=float)
    return scaling_factors.factors["LB"].at(ranks) * scaling_factors.factors["Ser"].at(ranks)


@quantity(unit="1", source=f"{ROSAS_2014}, Eq. 4, fitted over the number of ranks", points_only=True)
def fitted_transfer_efficiency(scaling_factors, machine_processes):
    """Transfer of the fit, on the network that was measured; it is shown, and not used."""
    if "Trf" not in scaling_factors.factors:
        raise InputError(
            "Ser and Trf are not separated", key="tables.scaling_factors", allowed="factors with an ideal time"
        )
    return scaling_factors.factors["Trf"].at(np.asarray(machine_processes, dtype=float))


@quantity(unit="1", source=f"{ROSAS_2014}, Eq. 4: T_ideal / (T_ideal + T_network) of the machine")
def transfer_efficiency(occupied_time, class_time):
    """Transfer on the network of the machine."""
    return occupied_time / class_time
