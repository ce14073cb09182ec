"""Every function of resilience keeps the contract of model functions."""

from dataclasses import replace

import pytest

from dse.authoring.library.library import load_model

MODEL = load_model("resilience")
LIMITS = {
    "checkpoint_efficiency": (0.1, 0.9),
    "availability": (0.1, 0.9),
    "maintenance_share": (0.0, 0.9),
    "waiting_power_share": (0.0, 1.0),
    "index_coded_share_of_values": (0.1, 1.0),
    "index_bits": (2, 16),
    "value_bits": (32, 64),
    "values_per_table": (1e5, 1e6),
    "compression_tolerance": (0.001, 0.005),
    "full_checkpoint_interval": (1, 100),
}
JOINING = [function for function in MODEL.functions if not function.points_only]


def by_name(function):
    """Take arguments by their names in the graph."""
    plain, needs = function.function, function.needs
    return replace(function, function=lambda **given: plain(*(given[name] for name in needs)))


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_shapes_and_arguments(function, check_contract):
    check_contract(by_name(function), limits=LIMITS, tables={})


@pytest.mark.parametrize("function", JOINING, ids=lambda function: function.name)
def test_ranges_contain_points(function, check_ranges):
    if len(function.gives) == 1:
        check_ranges(by_name(function), limits=LIMITS, tables={})


def test_slots():
    slots = {}
    for function in MODEL.functions:
        if function.slot:
            slots.setdefault(function.slot, set()).add(function.provider)
    assert {slot: sorted(providers) for slot, providers in slots.items()} == {
        "failure_rate": ["devices", "node-class", "nodes"],
        "node_class": ["accelerated", "many-core", "real-machine"],
        "compression": ["given", "index-coded", "tolerance"],
        "checkpoint_data": ["given", "share-of-memory"],
        "checkpoint_store": ["node-local", "shared", "two-level"],
        "checkpoint_compression": ["none", "overlapped", "serial"],
    }
