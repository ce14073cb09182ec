"""The error of the law of sockets: of processes that it was fitted on, and of a space that offers another one."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from dse import Study
from dse.models.node_class.core_units import PROCESSES
from dse.models.node_class.sockets.table import sockets

DOCUMENT = {
    "name": "sockets",
    "models": ["node_class"],
    "objectives": [{"minimize": "socket_power"}, {"maximize": "core_peak_flop_rate"}],
    "use": {"node_class": "many-core"},
    "set": {
        "cores_per_socket": 64,
        "vector_bits": 512,
        "vector_pipes": 1,
        "private_cache": "1 MiB",
        "shared_cache": "0 B",
        "dram_units": 4,
    },
}


def spread(*processes):
    axes = {
        "wafer": {"part": "power/wafers.csv", "where": {"technology": list(processes)}},
        "core_frequency": {"values": ["2 GHz", "3 GHz"]},
        "memory": {"part": "processor/dram-types.csv", "where": {"dram_kind": ["DDR5"]}},
    }
    study = Study({**DOCUMENT, "space": {"axes": axes}})
    (unknown,) = [own for own in study.unknowns.every if own.quantity == "vector_power_factor"]
    return asdict(unknown)["spread"]


def test_the_processes_are_those_of_the_table():
    labels = {round(float(label) * 1e9) for label in sockets().rows(~sockets().blind).energy_class}
    assert labels == {round(process * 1e9) for process in PROCESSES}


@pytest.mark.parametrize(
    ("processes", "expected"),
    [(("7 nm", "5 nm"), 0.18), (("28 nm",), 0.18), (("20 nm",), 0.25), (("7 nm", "40 nm"), 0.25)],
)
def test_a_process_that_is_in_no_fit_makes_the_error_wider(processes, expected):
    assert np.isclose(spread(*processes), expected)
