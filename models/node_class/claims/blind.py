"""LX2, the blind test of the law of sockets, with each reading of what is not known of it.

Its process is undisclosed (press: SMIC N+3, which a teardown puts between 7 and 5 nm), and so is the clock its cores
are built for (a core of the same house on N+3 is sold at 2.75 GHz). Both readings were taken from press on another
chip before the power was compared, and stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dse.authoring.library.claims import Listing
from dse.models.node_class.sockets.law import SocketLaw
from dse.models.node_class.sockets.table import Sockets, sockets

__all__ = ["READINGS", "blind_listing", "blind_records", "blind_socket"]


class Reading(NamedTuple):
    """One reading: the energy class of the process [m] and the clock its cores are built for [Hz]."""

    energy_class: float
    built_for: float


READINGS = (
    Reading(6e-9, 2.75e9),
    Reading(5e-9, 2.75e9),
    Reading(7e-9, 2.75e9),
    Reading(6e-9, 1.55e9),
    Reading(6e-9, 3.5e9),
)
"""The reading that was fixed, then the others."""


def blind_socket(reading: Reading = READINGS[0]) -> Sockets:
    """Return LX2 under a reading."""
    table = sockets()
    entry = table.rows(table.blind)
    return replace(
        entry,
        energy_class=np.full(len(entry), reading.energy_class),
        top_clock=np.full(len(entry), reading.built_for),
    )


def blind_records(law: SocketLaw) -> list[dict[str, Any]]:
    """Return what the law gives under each reading."""
    records = []
    for reading in READINGS:
        entry = blind_socket(reading)
        power = float(law.power(entry)[0])
        records.append(
            {
                "energy_class": reading.energy_class,
                "built_for": reading.built_for,
                "power": power,
                "rated": float(entry.rated_power[0]),
                "error": power / float(entry.rated_power[0]) - 1.0,
                "parts": {name: float(values[0]) for name, values in law.parts(entry).items()},
            }
        )
    return records


def blind_listing(law: SocketLaw) -> Listing:
    """Return the readings for people."""
    rows = [
        (
            f"{1e9 * entry['energy_class']:g} nm",
            f"{entry['built_for'] / 1e9:g} GHz",
            f"{entry['rated']:.0f} W",
            f"{entry['power']:.0f} W",
            f"{100 * entry['error']:+.0f} %",
            "the fixed reading" if place == 0 else "",
        )
        for place, entry in enumerate(blind_records(law))
    ]
    headings = ("process", "built for", "rated", "by the law", "error", "")
    return Listing("LX2, blind: readings of what is not known", headings, rows, right=(2, 3, 4))
