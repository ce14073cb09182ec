"""Every function of the family keeps the contract of model functions, and its bounds hold on ranges."""

from dataclasses import replace

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.search.driver import SearchOptions, search

from .test_quantities import BARE

MODEL = load_model("slower")
MODULES = [load_model(f"slower.{name}") for name in ("instruction_mix", "simple_power")]
FUNCTIONS = [function for model in (MODEL, *MODULES) for function in model.functions]
LIMITS = {
    "uncontended_cycles": (1.0, 3.0),
    "busy_cycles": (3.0, 4.0),
    "shared_memory_accesses": (0.0, 0.01),
    "memory_service_cycles": (1.0, 90.0),
    "slower_memory_response_cycles": (90.0, 200.0),
    "messages_per_instruction": (1e-4, 0.1),
    "slower_latency_cycles": (10.0, 9000.0),
    "paid_overhead_cycles": (0.0, 500.0),
    "running_tasks": (1, 20),
    "memory_sharers": (1, 20),
    "memory_waits_here": (0, 1),
    "tasks_switch": (0, 1),
    "near_task_knee": (0, 1),
    "squared_core_cycles": (2.0, 20.0),
    "missed_level_cycles": (0.0, 11.0),
    "network_fraction": (0.0, 0.2),
    "memory_fraction": (0.0, 0.5),
    "mix_l1_hit_fraction": (0.5, 1.0),
    "mix_l2_hit_fraction": (0.5, 1.0),
    "frequency": (1e9, 3e9),
    "availability": (0.5, 1.0),
}
NOTED = ("slower_node_rate", "slower_time", "efficiency")
"""They read what marks designs, and compute nothing from it."""


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.name not in NOTED], ids=lambda function: function.label)
def test_shapes_and_arguments(function, check_contract):
    def in_order(**given):
        whole = ("running_tasks", "memory_sharers") if "fixed_point" in function.name else ()
        return function(*(np.rint(given[name]) if name in whole else given[name] for name in function.needs))

    check_contract(replace(function, function=in_order), limits=LIMITS, tables={})


@pytest.mark.parametrize(
    "function", [f for f in FUNCTIONS if not f.points_only and f.needs], ids=lambda function: function.label
)
def test_ranges_contain_points(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations(check_declarations):
    check_declarations(MODEL)


def test_the_bound_is_searched_by_ranges(tmp_path):
    """Every method finds the same frontier by the bound, which no fixed point is needed for."""
    text = BARE.format(use="", accesses=0.002).replace('"slower_node_rate"', '"slower_rate_bound"')
    begin, end = text.index("also = ["), text.index("[[objectives]]")
    text = text[:begin] + text[end:].replace('"energy_per_instruction"', '"slower_memory"')
    unread = ("instructions =", "nodes =", "availability =", "load_imbalance =", "frequency =", "node_")
    text = "\n".join(line for line in text.splitlines() if not line.startswith(unread))
    file = tmp_path / "bound.toml"
    file.write_text(text, encoding="utf-8")
    problem = Study.load(file).problem()
    assert all(not function.points_only for function in problem.systems[0].graph.functions)
    found = [search(problem, SearchOptions(method=method)) for method in ("exhaustive", "bundles")]
    np.testing.assert_array_equal(found[0].numbers, found[1].numbers)
    np.testing.assert_array_equal(found[0].values, found[1].values)
