"""Printed energies, errors and caps of Hydro and EPOCH beside what curves through the printed runs give."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.measured_laws.kinds.energy.bounds import serial_growth_energy, weak_energy
from dse.models.measured_laws.kinds.energy.budget import fits_budget, max_nodes_under_budget, max_nodes_under_cap
from dse.models.measured_laws.kinds.energy.document import read_job_measurements
from dse.models.measured_laws.kinds.energy.history import history
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy, GustafsonEnergy
from dse.models.measured_laws.kinds.energy.node_spread import power_bounds

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "energy_scaling")
KWH = 3.6e6
THREE = "Hydro strong, line of three runs"
FOUR = "Hydro strong, line of four runs"
TWO = "Hydro weak, line of two runs"
CAP = "EPOCH strong, cap of 50 kW"
NODES, NODE_POWER, JOB_POWER, VENDOR_POWER = 311, 160.35, 49_869.45, 379.77
LEAST, MOST = 188.0, 229.0
"""Power of the nodes of an island of SuperMUC under MPrime [W]."""


def claims() -> list[Claim]:
    """Return every published figure, with what the models give."""
    return [*_strong(), *_weak(), *_cap(), *_growth(), *FIGURES.not_checkable()]


def _line(file: str, most: float = np.inf) -> FittedEnergy:
    """Return the curve through printed runs of a file, up to a number of nodes; also at these, the curve itself."""
    path = Path(str(files("dse.spaces"))) / "energy_scaling" / file
    measured = read_job_measurements(path).model.histories["energy"]
    nodes, values = np.array(measured.nodes), np.array(measured.values)
    kept = nodes <= most
    return FittedEnergy({"energy": history(nodes[kept], values[kept])}, stored=False)


def _kwh(model: FittedEnergy, nodes: int) -> float:
    return float(model.energy(nodes)) / KWH


def _energies(title: str, model: FittedEnergy) -> list[Claim]:
    """Return the claims on energies of a line, whose number of nodes stands in their titles."""
    energies = []
    for claim in FIGURES:
        named = re.fullmatch(rf"{re.escape(title)}: (?:energy|prediction).* on (\d+) nodes.*", claim)
        if named:
            energies.append(FIGURES.claim(claim, _kwh(model, int(named[1]))))
    return energies


def _strong() -> list[Claim]:
    three, four = _line("hydro-strong.csv", 220), _line("hydro-strong.csv")
    errors = [
        100.0 * abs(_kwh(four, int(row[1])) / float(FIGURES.value(claim)) - 1.0)
        for claim in FIGURES
        if (row := re.fullmatch(rf"{FOUR}: energy measured on (\d+) nodes", claim))
    ]
    budget = max_nodes_under_budget(four, 0.0, 7.5 * KWH, (1, 500))
    return [
        *_energies(THREE, three),
        FIGURES.claim(f"{THREE}: error of the fit", three.percent_error("energy")),
        FIGURES.claim(f"{FOUR}: error of the fit", four.percent_error("energy")),
        *_energies(FOUR, four),
        FIGURES.claim(f"{FOUR}: mean error of eight predictions", float(np.mean(errors))),
        FIGURES.claim(f"{FOUR}: largest error of eight predictions", max(errors)),
        FIGURES.claim(
            "Hydro strong, budget of 7.5 kWh, 1 to 500 nodes: least and most that fit", (budget.least, budget.nodes)
        ),
    ]


def _weak() -> list[Claim]:
    line = _line("hydro-weak.csv")
    most = {budget: max_nodes_under_budget(line, 100 * KWH, budget * KWH, (1, 1000)).nodes for budget in (120, 140)}
    job = fits_budget(line, 360, 100 * KWH, 120 * KWH)
    return [
        *_energies(TWO, line),
        *(FIGURES.claim(f"Hydro weak, 100 kWh used of {budget} kWh: most nodes", most[budget]) for budget in most),
        FIGURES.claim("Hydro weak, 100 kWh used of 120 kWh: left by a job of 360 nodes", job.left / KWH),
    ]


def _cap() -> list[Claim]:
    first_node = JOB_POWER - (NODES - 1) * NODE_POWER
    affine = GustafsonEnergy(1.0, first_node, NODE_POWER / first_node, 0.0)
    mean = MOST - (float(FIGURES.value(f"{CAP}: power if all 311 nodes were the worst")) - JOB_POWER) / NODES
    bounds = power_bounds(JOB_POWER, np.full(NODES, mean), LEAST, MOST)
    vendor = NODES * VENDOR_POWER
    return [
        FIGURES.claim(f"{CAP}: most nodes", max_nodes_under_cap(affine, 50e3, (1, 9216)).nodes),
        FIGURES.claim(f"{CAP}: power if all 311 nodes were the worst", bounds.most),
        FIGURES.claim(f"{CAP}: width of the bounds on 311 nodes", bounds.width),
        FIGURES.claim(f"{CAP}: power of 311 nodes by the vendor's figure", vendor),
        FIGURES.claim(f"{CAP}: vendor's figure over the bound of the worst nodes", vendor / bounds.most),
    ]


def _growth() -> list[Claim]:
    nodes, idle = np.arange(1.0, 9.0), 0.5
    energies = {
        "weak scaling in constant time where nothing is parallel": weak_energy(nodes, idle, 0.0),
        "weak scaling with a time that grows with the problem where nothing is parallel": serial_growth_energy(
            nodes, idle
        ),
    }
    return [
        FIGURES.claim(
            f"{title}: growth of the energy", "quadratic" if np.any(np.abs(np.diff(energy, 2)) > 1e-9) else "affine"
        )
        for title, energy in energies.items()
    ]
