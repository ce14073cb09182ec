"""Every function of the model keeps the contract of model functions, and says unit and source."""

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.authoring.library.library import load_model
from dse.authoring.library.listing import available_models
from dse.units import check_si_unit

MODEL, PROCESSOR = load_model("node"), load_model("processor")
SHAPES = [(3, 1, 1), (1, 4, 1), (1, 1, 2)]
LIMITS = {
    "technology": (22e-9, 22e-9),
    "temperature": (300.0, 400.0),
    "frequency": (2.0e9, 2.8e9),
    "nominal_frequency": (2.5e9, 2.7e9),
    "supply_voltage": (0.65, 1.0),
    "voltage": (0.6, 1.0),
    "nominal_voltage": (0.8, 0.8),
    "threshold_voltage": (0.1, 0.2),
    "speed_exponent": (1.1, 1.3),
    "voltage_ratio": (0.75, 1.25),
    "dispatch_width": (2, 8),
    "in_order": (0, 0),
    "charged_l1_size": (2.0**14, 2.0**16),
    "l1_size": (2.0**14, 2.0**16),
    "l2_size": (2.0**18, 2.0**21),
    "catalogue_l2_size": (2.0**18, 2.0**19),
    "l3_size": (2.0**22, 2.0**26),
    "catalogue_l3_size": (2.0**22, 2.0**26),
    "l3_slice_size": (2.0**20, 2.0**24),
    "flit_size": (8.0, 64.0),
    "cache_line": (32.0, 128.0),
    "controller_bandwidth": (12.8e9, 38.4e9),
    "cores": (1, 32),
    "chip_area": (1e-5, 6e-4),
    "wafer_diameter": (0.2, 0.3),
    "defect_density": (0.0, 5000.0),
    "unlisted_area_share": (0.0, 0.5),
    "store_share": (0.0, 1.0),
    "l1_hit_fraction": (0.0, 1.0),
    "chip_yield": (0.1, 1.0),
    "dram_active_share": (0.0, 1.0),
    "dram_refresh_interval": (4000, 5000),
    "dram_refresh_cycles": (200, 300),
    "dram_active_cycles": (20, 40),
    "dram_precharge_cycles": (10, 20),
    "dram_clock": (1.0, 2.0),
    "run_time": (1e5, 2e5),
}
LIMITS |= {f"{part}_area": (1e-7, 1e-5) for part in ("core", "l2", "l3", "on_chip_network", "memory_interface")}
WHOLE = ("cores", "dispatch_width")
TOGETHER = ("supply_voltage", "l1_latency_cycles")  # refused where they do not vary with what they belong to


def draw(name, shape, rng):
    low, high = LIMITS.get(name, (0.5, 2.0))
    values = rng.uniform(low, high, shape)
    return 2 * np.ceil(values / 2) if name == "dispatch_width" else np.round(values) if name in WHOLE else values


def results(function, arguments):
    found = function.function(*arguments)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda function: f"{function.name} {function.provider or ''}")
def test_shapes_and_arguments(function):
    """Arrays of floats, no larger than the arguments broadcast to, in memory of their own; arguments stay."""
    rng = np.random.default_rng(7)
    for turn in range(3):
        together = any(name in TOGETHER for name in function.needs)
        shapes = [SHAPES[0] if together else SHAPES[(place + turn) % 3] for place in range(len(function.needs))]
        arguments = [draw(name, shape, rng) for name, shape in zip(function.needs, shapes, strict=True)]
        before = [value.copy() for value in arguments]
        for value in arguments:
            value.setflags(write=False)
        with np.errstate(all="raise"):
            found = results(function, arguments)
        assert len(found) == len(function.gives)
        whole = np.broadcast_shapes(*shapes) if shapes else (1,)
        for name, one in zip(function.gives, found, strict=True):
            assert isinstance(one, np.ndarray), name
            assert one.dtype == float, name
            assert np.broadcast_shapes(one.shape, whole) == whole, name
            assert np.isfinite(one).all(), name
            assert not any(np.shares_memory(one, value) for value in arguments), name
        for value, old in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(value, old)


@pytest.mark.parametrize(
    "function", [f for f in MODEL.functions if not f.points_only and f.needs], ids=lambda f: f.name
)
def test_ranges_contain_points(function):
    """What is not marked points_only runs on ranges, and the bounds hold."""
    rng = np.random.default_rng(11)
    one, other = ([draw(name, 200, rng) for name in function.needs] for _ in range(2))
    low = [np.minimum(a, b) for a, b in zip(one, other, strict=True)]
    high = [np.maximum(a, b) for a, b in zip(one, other, strict=True)]
    bounds = results(function, [Range(a, b) for a, b in zip(low, high, strict=True)])
    for weight in (0.0, 0.25, 0.5, 1.0):
        points = [np.clip(a * (1 - weight) + b * weight, a, b) for a, b in zip(low, high, strict=True)]
        for name, bounded, value in zip(function.gives, bounds, results(function, points), strict=True):
            assert np.all(bounded.low <= value), name
            assert np.all(value <= bounded.high), name


def test_only_lookups_are_points_only():
    names = {function.name for function in MODEL.functions if function.points_only}
    tables = {"core_tables", "l2_tables", "l3_tables", "mesh_tables", "controller_tables", "l2_time", "l3_time"}
    voltages = {"transistor_voltages", "dvfs_voltage", "given_voltage"}
    assert names == tables | voltages | {"charged_l1_size", "charged_units"}


def test_everything_has_unit_source_and_text():
    for function in MODEL.functions:
        assert function.source, function.name
        assert function.doc.split("\n")[0].endswith("."), function.name
        for name, unit in function.gives.items():
            check_si_unit(unit)
            assert name == name.lower()
    for name, item in {**MODEL.parameters, **MODEL.assumptions}.items():
        check_si_unit(item.unit)
        assert item.doc, name
    for name, item in MODEL.assumptions.items():
        assert len(item.source) > 10, name


def test_all_that_is_needed_is_given_or_declared():
    """By this model or by that of the processor, and nothing by both."""
    gives = [name for model in (MODEL, PROCESSOR) for function in model.functions for name in function.gives]
    declared = [name for model in (MODEL, PROCESSOR) for name in [*model.parameters, *model.assumptions, *model.tables]]
    for function in MODEL.functions:
        for name in (*function.needs, *function.sum_of):
            assert name in gives or name in declared, f"{function.name}: {name}"
    own = {name for function in MODEL.functions for name in function.gives}
    theirs = {name for function in PROCESSOR.functions for name in function.gives}
    assert not own & theirs
    assert not {*MODEL.parameters, *MODEL.assumptions} & {*PROCESSOR.parameters, *PROCESSOR.assumptions}
    used = {name for function in (*MODEL.functions, *PROCESSOR.functions) for name in function.needs}
    assert {*MODEL.parameters, *MODEL.assumptions} <= used


def test_slots():
    slots, defaults = {}, {}
    for function in MODEL.functions:
        if function.slot:
            slots.setdefault(function.slot, {}).setdefault(function.provider, set()).update(function.gives)
            if function.default:
                defaults[function.slot] = function.provider
    assert {slot: set(providers) for slot, providers in slots.items()} == {
        "supply": {"dvfs", "operating-points"},
        "core_order": {"out-of-order", "in-order"},
        "cache_latency": {"tables"},
        "wrong_path": {"front-end", "none"},
        "l3_slicing": {"per-core", "given"},
        "on_chip_network": {"mesh", "none"},
        "memory_interface": {"modules", "stacks"},
        "memory": {"types", "devices"},
        "processor_model": {"interaction", "independent"},
        "cache_organisation": {"fully-associative", "set-associative"},
    }
    assert defaults == {
        "supply": "dvfs",
        "core_order": "out-of-order",
        "cache_latency": "tables",
        "wrong_path": "front-end",
        "l3_slicing": "per-core",
        "on_chip_network": "mesh",
        "memory_interface": "modules",
        "memory": "types",
        "processor_model": "interaction",
        "cache_organisation": "fully-associative",
    }
    for slot, providers in slots.items():
        assert len({frozenset(gives) for gives in providers.values()}) == 1, slot


def test_the_model_is_listed():
    assert available_models()["node"].startswith("Nodes: power, energy, area and cost")
