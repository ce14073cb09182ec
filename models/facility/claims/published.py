"""Published energies and greenhouse gases of machines and runs beside what the models give for the same inputs.

They check formulas and units, as the inputs are the publishers' own; none says that an intensity or footprint is right.
"""

from __future__ import annotations

from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.facility.energy import mean_machine_power, use_energy
from dse.models.facility.greenhouse_gases import (
    carbon,
    electricity_carbon,
    embodied_carbon,
    nodes_embodied_carbon,
    switches_embodied_carbon,
)

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "facility")
_HOUR, _KWH, _TONNE = 3600.0, 3.6e6, 1e3


def claims() -> list[Claim]:
    """Return every published figure of facilities, with what the models give."""
    return [*_training(), *_archer2()]


def _energy(machine_power: float, use_time: float, effectiveness: float = 1.0) -> float:
    """Energy of a machine that always works [J]."""
    energy: float = use_energy(mean_machine_power(machine_power, 1.0, 1.0, 1.0), effectiveness, use_time)
    return energy


def _training() -> list[Claim]:
    bloom = _energy(400.0, 1_082_990 * _HOUR)
    french = 57e-3 / _KWH
    dynamic = electricity_carbon(bloom, french)
    idle = electricity_carbon(256_646 * _KWH, french)
    gpt = _energy(10_000 * 330.0, 14.8 * 24 * _HOUR, 1.10)
    return [
        FIGURES.claim("energy of training BLOOM", bloom / _KWH),
        FIGURES.claim("greenhouse gases of training BLOOM", dynamic / _TONNE),
        FIGURES.claim("greenhouse gases of the idle machine beside BLOOM", idle / _TONNE),
        FIGURES.claim(
            "greenhouse gases of BLOOM with idle time and making the machine", carbon(dynamic + idle, 11.2e3) / _TONNE
        ),
        FIGURES.claim("energy of training GPT-3", gpt / (1e3 * _KWH)),
        FIGURES.claim("greenhouse gases of training GPT-3", electricity_carbon(gpt, 0.429 / _KWH) / _TONNE),
    ]


def _archer2() -> list[Claim]:
    nodes = nodes_embodied_carbon(5860, 1100.0)
    switches = switches_embodied_carbon(768, 1, 280.0)
    whole = embodied_carbon(nodes, switches, 770e3)
    return [
        FIGURES.claim("greenhouse gases of making the nodes of ARCHER2", nodes),
        FIGURES.claim("greenhouse gases of making the switches of ARCHER2", switches),
        FIGURES.claim("greenhouse gases of making ARCHER2", whole),
        FIGURES.claim("greenhouse gases of making ARCHER2 per hour of a node", whole / (5860 * 6 * 365 * 24)),
    ]
