"""Every function of the hybrid model keeps the contract of model functions."""

import pytest

from dse.authoring.library.library import load_model
from dse.models.hybrid import HybridModel

MODEL = load_model("hybrid")
LIMITS = {
    "nodes": (1, 20),
    "cores": (1, 8),
    "frequency": (1.2e9, 1.8e9),
    "cpu_utilisation": (0.0, 1.0),
    "uncontended_memory_share": (0.0, 1.0),
    "switch_utilisation": (0.0, 0.9),
}
TABLES = {
    name: table.where(program="SP") if name != "power" else table
    for name, table in HybridModel.of_sample("xeon").tables.items()
}
OPEN = {"channel_busy_time": (0.1, 0.4)}


def limits_of(function):
    return LIMITS | OPEN if function.provider == "T0" else LIMITS


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: function.name)
def test_shapes_and_arguments(function, check_contract):
    """The result has the broadcast shape of the arguments, shares no memory with them, and changes none."""
    check_contract(function, limits=limits_of(function), tables=TABLES)


@pytest.mark.parametrize(
    "function", [f for f in MODEL.functions if not f.points_only], ids=lambda function: function.name
)
def test_ranges_contain_points(function, check_ranges):
    """Functions without `points_only` run on ranges, and the bounds hold."""
    check_ranges(function, limits=LIMITS, tables=TABLES)


def test_declarations(check_declarations):
    """All that functions need is declared, documented and given once."""
    check_declarations(MODEL)


def test_model_has_its_slots():
    """Slots, providers and defaults are those of the documentation."""
    slots = {}
    for function in MODEL.functions:
        if function.slot:
            slots.setdefault(function.slot, {}).setdefault(function.provider, set()).update(function.gives)
    assert {slot: sorted(providers) for slot, providers in slots.items()} == {
        "memory_scaling": ["literal", "per-node"],
        "network_wait": ["as-printed", "pollaczek-khinchine"],
        "wait_total": ["message", "run"],
        "switch_channels": ["port", "shared"],
        "lambda_base": ["T", "T0"],
    }
    for providers in slots.values():
        assert len({frozenset(gives) for gives in providers.values()}) == 1
    defaults = {function.slot: function.provider for function in MODEL.functions if function.default}
    assert defaults == {
        "memory_scaling": "per-node",
        "network_wait": "pollaczek-khinchine",
        "wait_total": "run",
        "switch_channels": "port",
        "lambda_base": "T",
    }
