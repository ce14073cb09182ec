"""Every function of whole machines keeps the contract of model functions and says unit, source and text."""

from __future__ import annotations

import pytest

from dse.authoring.library.library import load_model
from dse.authoring.library.listing import available_models
from dse.units import check_si_unit

MODEL, NODES, SEARCH = (
    load_model(name) for name in ("system", "system.modelled_nodes", "applications.breadth_first_search")
)
FUNCTIONS = [f for model in (MODEL, NODES, SEARCH) for f in model.functions]
LIMITS = {
    **dict.fromkeys(
        ("inside_fraction", "leaving_fraction", "overlap_fraction", "polling_power_share", "process_share"), (0.0, 1.0)
    ),
    "power_usage_effectiveness": (1.0, 1.5),
    "graph_scale": (10, 30),
    "nodes": (1, 4096),
    "buffer_size": (1000.0, 5000.0),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.name} {f.provider or ''}")
def test_contract(function, check_contract, check_ranges):
    """Shapes, no mutation, and bounds that hold."""
    if function.name in (
        "class_processes",
        "all_messages_leave",
        "others_leave",
        "search_processes_per_node",
    ):  # refuses most numbers that are drawn at random
        return
    check_contract(function, limits=LIMITS, tables={})
    check_ranges(function, limits=LIMITS, tables={})


def test_only_refusals_and_profiles_are_points_only():
    messages = load_model("system.profiled_messages")
    names = {f.name for f in (*FUNCTIONS, *messages.functions) if f.points_only}
    refusing = {"class_processes", "all_messages_leave", "others_leave", "search_processes_per_node"}
    assert names == refusing | {"profiled_messages", "profile_processes_off"}


def test_everything_has_unit_source_and_text():
    for function in FUNCTIONS:
        assert function.source, function.name
        assert function.doc.split("\n")[0].endswith("."), function.name
        for unit in function.gives.values():
            check_si_unit(unit)
    for model in (MODEL, SEARCH):
        for name, item in {**model.parameters, **model.assumptions}.items():
            check_si_unit(item.unit)
            assert item.doc, name
        for name, item in model.assumptions.items():
            assert len(item.source) > 10, name


def test_all_that_is_needed_is_given_or_declared():
    models = [load_model(name) for name in ("network", "system", "processor", "node", "system.modelled_nodes")]
    known = {name for model in models for f in model.functions for name in f.gives}
    known |= {name for model in models for name in [*model.parameters, *model.assumptions, *model.tables]}
    for model in (MODEL, NODES):
        for function in model.functions:
            assert set(function.needs) | set(function.sum_of) <= known, function.name
    used = {name for function in MODEL.functions for name in function.needs}
    assert {*MODEL.parameters, *MODEL.assumptions} <= used


def test_options_are_off_by_default():
    values = {name: item.value for name, item in MODEL.assumptions.items()}
    assert values == {
        "overlap_fraction": 0.0,
        "eager_limit": 2.0**63,
        "polling_power_share": 0.0,
        "power_usage_effectiveness": 1.0,
        "processes_per_node": 1.0,
        "intra_node_copies": 2.0,
        "processes": 0.0,
        "process_share": 1.0,
        "node_cost_weight": 1.0,
        "network_planes": 1.0,
        "collective_time": 0.0,
        "collective_energy": 0.0,
    }
    defaults = {f.slot: f.provider for f in (*MODEL.functions, *load_model("network").functions) if f.default}
    wanted = {
        "message_pipelining": "serial",
        "switch_power": "constant",
        "link_power": "on-demand",
        "nic_power": "none",
    }
    assert wanted.items() <= defaults.items()


def test_it_is_listed_once():
    found = available_models()
    assert "Whole machines" in found["system"]
    assert not [name for name in found if name.startswith("system.")]
