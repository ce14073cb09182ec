"""Every quantity of every component of the slot ``topology`` against the public functions."""

from typing import Any

import numpy as np
import pytest
from example_counts import ALL_EXAMPLES, sampled_product

from dse import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.models.network import effective_bandwidth, link_loads, mean_path, network_parts
from dse.models.network.patterns.process_grid import most_square

from .test_neighbours import rule

MODEL = load_model("network")
BANDWIDTHS = {
    "node_link_bandwidth": 7e9,
    "switch_link_bandwidth": 3e9,
    "upper_link_bandwidth": 2.5e9,
    "global_link_bandwidth": 2e9,
}
LATENCIES = {
    "node_link_latency": 2.5e-9,
    "switch_link_latency": 12e-9,
    "upper_link_latency": 20e-9,
    "global_link_latency": 100e-9,
    "cable_latency": 4e-9,
}
SHARES = {
    "optical_node_share": 0.125,
    "optical_switch_share": 0.75,
    "optical_upper_share": 0.5,
    "optical_local_share": 0.25,
    "optical_global_share": 1.0,
    "optical_cabinet_share": 0.375,
}
NODE, SWITCH, UPPER, GLOBAL = BANDWIDTHS
# By topology: the quantity behind each symbol. Written anew, so that the components' own table is compared with it.
SYMBOLS: dict[str, dict[str, Any]] = {
    "full-mesh": {"a": "mesh_switches", "p": "nodes_per_switch", "b0": NODE, "b1": SWITCH},
    "fat-tree-2-level": {
        **{"m1": "tree_children_1", "m2": "tree_children_2", "w0": "tree_uplinks_0", "w1": "tree_uplinks_1"},
        **{"b0": NODE, "b1": SWITCH},
    },
    "fat-tree-3-level": {
        **{"m1": "tree_children_1", "m2": "tree_children_2", "m3": "tree_children_3"},
        **{"w0": "tree_uplinks_0", "w1": "tree_uplinks_1", "w2": "tree_uplinks_2"},
        **{"b0": NODE, "b1": SWITCH, "b2": UPPER},
    },
    "torus": {"p": "nodes_per_switch", "b0": NODE, "b": SWITCH},
    "hyperx": {"p": "nodes_per_switch", "b0": NODE, "b": SWITCH},
    "dragonfly": {
        **{"a": "group_switches", "p": "nodes_per_switch", "h": "global_ports", "g": "groups"},
        **{"b0": NODE, "bl": SWITCH, "bg": GLOBAL},
    },
    "slim-fly": {"q": "field_order", "p": "nodes_per_switch", "b0": NODE, "b1": SWITCH},
    "skywalk": {
        **{"s": "skywalk_switches", "c": "cabinets", "k": "switch_degree", "p": "nodes_per_switch"},
        **{"seed": "wiring_seed", "row": "cabinets_per_row", "width": "cabinet_width", "depth": "cabinet_depth"},
        **{"slack": "cable_slack", "inside": "inside_cable", "b0": NODE, "b1": SWITCH},
    },
}
OPTICAL = {  # the share of each class of links
    "node": "optical_node_share",
    "switch": "optical_switch_share",
    "level 1-2": "optical_switch_share",
    "level 2-3": "optical_upper_share",
    "local": "optical_local_share",
    "global": "optical_global_share",
    "cabinet": "optical_cabinet_share",
    "between": "optical_switch_share",
} | {f"dimension {number}": "optical_switch_share" for number in range(1, 7)}

DESIGNS: dict[str, list[dict[str, float]]] = {  # of 64 nodes and others; transposes and bit patterns fit 16, 64, 256
    "full-mesh": [
        {"mesh_switches": 16, "nodes_per_switch": 4},
        {"mesh_switches": 8, "nodes_per_switch": 8},
        {"mesh_switches": 1, "nodes_per_switch": 16},
        {"mesh_switches": 6, "nodes_per_switch": 10},
    ],
    "fat-tree-2-level": [
        {"tree_children_1": 8, "tree_children_2": 8, "tree_uplinks_0": 1, "tree_uplinks_1": 4},
        {"tree_children_1": 16, "tree_children_2": 4, "tree_uplinks_0": 2, "tree_uplinks_1": 3},
        {"tree_children_1": 15, "tree_children_2": 4, "tree_uplinks_0": 1, "tree_uplinks_1": 2},
    ],
    "fat-tree-3-level": [
        {
            **{"tree_children_1": 4, "tree_children_2": 4, "tree_children_3": 4},
            **{"tree_uplinks_0": 1, "tree_uplinks_1": 2, "tree_uplinks_2": 2},
        },
        {
            **{"tree_children_1": 4, "tree_children_2": 8, "tree_children_3": 2},
            **{"tree_uplinks_0": 2, "tree_uplinks_1": 4, "tree_uplinks_2": 1},
        },
        {
            **{"tree_children_1": 6, "tree_children_2": 3, "tree_children_3": 5},
            **{"tree_uplinks_0": 1, "tree_uplinks_1": 2, "tree_uplinks_2": 3},
        },
    ],
    "torus": [
        {"dimension_1": 4, "dimension_2": 4, "nodes_per_switch": 4},
        {"dimension_1": 8, "dimension_2": 4, "dimension_3": 2, "nodes_per_switch": 1},
        {"dimension_1": 4, "dimension_2": 2, "nodes_per_switch": 2, "links_in_ring_of_two": 1},
        {"dimension_1": 3, "dimension_2": 2, "dimension_4": 5, "nodes_per_switch": 2},
    ],
    "hyperx": [
        {"dimension_1": 4, "dimension_2": 4, "nodes_per_switch": 4},
        {"dimension_1": 8, "dimension_2": 4, "dimension_3": 2, "nodes_per_switch": 1},
        {"dimension_1": 6, "dimension_2": 2, "nodes_per_switch": 2},
        {"dimension_1": 3, "dimension_2": 2, "dimension_4": 5, "nodes_per_switch": 2},
    ],
    "dragonfly": [
        {"group_switches": 4, "nodes_per_switch": 2, "global_ports": 2, "groups": 9},
        {"group_switches": 4, "nodes_per_switch": 2, "global_ports": 7, "groups": 8},
        {"group_switches": 4, "nodes_per_switch": 2, "global_ports": 2, "groups": 2},
        {"group_switches": 1, "nodes_per_switch": 8, "global_ports": 7, "groups": 8},
    ],
    "slim-fly": [{"field_order": 5, "nodes_per_switch": 2}, {"field_order": 5, "nodes_per_switch": 3}],
    "skywalk": [
        {"skywalk_switches": 32, "cabinets": 8, "switch_degree": 5, "nodes_per_switch": 2},
        {"skywalk_switches": 16, "cabinets": 16, "switch_degree": 4, "nodes_per_switch": 1, "wiring_seed": 7},
        {
            **{"skywalk_switches": 20, "cabinets": 4, "switch_degree": 6, "nodes_per_switch": 3, "wiring_seed": 2},
            **{"cabinets_per_row": 2, "cabinet_width": 0.8, "cable_slack": 1.5, "inside_cable": 1.25},
        },
    ],
}
FLOOR = {
    **{"wiring_seed": 1, "cabinets_per_row": 8, "cabinet_width": 0.6, "cabinet_depth": 2.1},
    **{"cable_slack": 2.0, "inside_cable": 2.0},
}
PATTERNS: dict[str, tuple[str, str, dict[str, Any]]] = {  # component of the slot: prefix, pattern, its parameters
    "uniform": ("uniform", "uniform", {}),
    "uniform-without-self": ("uniform_without_self", "uniform", {"include_self": False}),
    "shift": ("shift", "shift", {"step": 13}),
    "neighbour-2d": ("neighbour_2d", "nearest-neighbour", {"grid": 2}),
    "neighbour-3d": ("neighbour_3d", "nearest-neighbour", {"grid": 3}),
    "complement": ("complement", "complement", {}),
    "transpose": ("transpose", "transpose", {}),
    "bit-reversal": ("bit_reversal", "bit-reversal", {}),
    "butterfly": ("butterfly", "butterfly", {}),
    "exchange": ("exchange", "exchange", {"exchange_bit": 3}),
    "tornado": ("tornado", "tornado", {}),
}
EVERY = tuple(PATTERNS)
COMPONENTS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    **{topology: (topology, {}, EVERY) for topology in SYMBOLS},
    "hyperx-dimension-order": ("hyperx", {"routing": "dimension-order"}, EVERY),
    "skywalk-fewest-links": ("skywalk", {"routing": "fewest-links"}, EVERY),
    "full-mesh-as-printed": ("full-mesh", {"equations": "printed"}, ("uniform", "shift", "neighbour-2d")),
    "fat-tree-2-level-as-printed": ("fat-tree-2-level", {"equations": "printed"}, ("uniform", "shift", "neighbour-2d")),
    "fat-tree-3-level-as-printed": ("fat-tree-3-level", {"equations": "printed"}, ("uniform", "shift", "neighbour-2d")),
    "torus-as-printed": ("torus", {"equations": "printed"}, ("uniform",)),
    "hyperx-as-printed": ("hyperx", {"equations": "printed"}, ("uniform", "neighbour-2d")),
}
PARTS = ("nodes", "switches", "node_links", "switch_links", "electrical_links", "optical_links", "radix", "diameter")
SUFFIXES = ("bandwidth", "routed", "bottleneck", "link_latency", "links", "optical_links")
CLASSES = {
    "full-mesh": ("node", "switch"),
    "fat-tree-2-level": ("node", "level 1-2"),
    "fat-tree-3-level": ("node", "level 1-2", "level 2-3"),
    "torus": ("node", "dimension 1"),
    "hyperx": ("node", "dimension 1"),
    "dragonfly": ("node", "local", "global"),
    "slim-fly": ("node", "switch"),
    "skywalk": ("node", "cabinet", "between"),
}
WITHOUT_CLOSED_FORM = ("skywalk",)


def si(name: str, value: Any) -> Any:
    """The value as a study has it."""
    units = {"bandwidth": "B/s", "latency": "s", "power": "W", "energy": "J/B"}
    metres = {"cabinet_width": "m", "cabinet_depth": "m", "cable_slack": "m", "inside_cable": "m"}
    unit = {**metres, "cable_latency": "s/m"}.get(name) or units.get(name.split("_")[-1])
    return value if unit is None or isinstance(value, str) else f"{value!r} {unit}"


def study_of(component: str, values: dict[str, Any], also, use: dict[str, str] | None = None) -> Study:
    """A study of one design that has a value for every link of its topology."""
    topology = COMPONENTS[component][0]
    links = [name for symbol, name in SYMBOLS[topology].items() if symbol in ("b", "b0", "b1", "b2", "bl", "bg")]
    fixed = {name: BANDWIDTHS[name] for name in links}
    if any(name.endswith(("_latency", "_energy")) for name in also):
        fixed |= {name: value for name, value in LATENCIES.items() if name.replace("latency", "bandwidth") in links}
        if topology == "skywalk":  # its links have the latency of their cables
            del fixed["switch_link_latency"]
            fixed["cable_latency"] = LATENCIES["cable_latency"]
        fixed |= {OPTICAL[one]: SHARES[OPTICAL[one]] for one in CLASSES[topology]}
    fixed |= values
    (axis, value), *rest = fixed.items()
    return Study(
        {
            "name": "one",
            "models": ["network"],
            "objectives": [{"maximize": "bisection_bandwidth"}],
            "also": ["optical_links", *also],
            "use": {"topology": component, **(use or {})},
            "set": {name: si(name, value) for name, value in rest},
            "space": {"axes": {axis: {"values": [si(axis, value)]}}},
        }
    )


def parameters(topology: str, values: dict[str, float]) -> dict[str, Any]:
    """The same design by the symbols of the public functions, latencies included."""
    given = {"tree_uplinks_0": 1, **FLOOR, **BANDWIDTHS, **LATENCIES, **values}
    found = {symbol: given[name] for symbol, name in SYMBOLS[topology].items()}
    latencies = {"b" + end: "l" + end for end in ("", "0", "1", "2", "l", "g")}
    found |= {
        latencies[symbol]: given[name.replace("bandwidth", "latency")]
        for symbol, name in SYMBOLS[topology].items()
        if symbol in latencies
    }
    if topology == "skywalk":
        found["lm"] = given["cable_latency"]
        del found["l1"]
    if topology in ("torus", "hyperx"):
        found["d"] = [values.get(f"dimension_{number}", 1) for number in range(1, 7)]
    if topology == "torus":
        found["double_link_at_2"] = values.get("links_in_ring_of_two", 2) == 2
    return found


def pattern_parameters(component: str, par: dict[str, Any], pattern: str) -> dict[str, Any]:
    topology, how, _ = COMPONENTS[component]
    extra = PATTERNS[pattern][2]
    if "grid" not in extra:
        return extra
    grid = most_square(int(network_parts(topology, par).nodes), extra["grid"])
    tiles = () if (topology, how) == ("hyperx", {"equations": "printed"}) else rule(topology, par, grid)
    return {"grid": grid, "tiles": tiles}


def steps(*patterns: str) -> dict[str, int]:
    """What a study gives patterns beside the machine."""
    given = {"shift": {"shift_step": 13}, "exchange": {"exchange_bit": 3}}
    return {name: value for pattern in patterns for name, value in given.get(pattern, {}).items()}


def possible(pattern: str, nodes: float) -> bool:
    if pattern == "transpose":
        return np.sqrt(nodes) % 1 == 0
    return pattern not in ("bit-reversal", "butterfly", "exchange") or np.log2(nodes) % 1 == 0


def printed(topology: str, values: dict[str, float]) -> bool:
    """Whether the thesis has formulas for it: no third dimension of a HyperX, single links in rings, lone switches."""
    third = topology == "hyperx" and any(values.get(f"dimension_{number}", 1) > 1 for number in (3, 4, 5, 6))
    return not third and "links_in_ring_of_two" not in values and values.get("mesh_switches") != 1


CASES = [
    pytest.param(component, values, id=f"{component} {position}")
    for component, (topology, how, _) in COMPONENTS.items()
    for position, values in enumerate(DESIGNS[topology])
    if how != {"equations": "printed"} or printed(topology, values)
]
CORRECTED = [case for case in CASES if "printed" not in case.id]


# --- every pattern of every component --------------------------------------------------------------------------------


@pytest.mark.parametrize(("component", "values"), CASES)
def test_quantities_of_patterns_are_those_of_the_public_functions(component, values):
    topology, how, patterns = COMPONENTS[component]
    par = parameters(topology, values)
    nodes = network_parts(topology, par).nodes
    here = [pattern for pattern in patterns if possible(pattern, nodes)]
    paths = {pattern for pattern in here if how.get("equations") != "printed" or pattern != "shift"}
    also = [
        f"{PATTERNS[pattern][0]}_{suffix}" for pattern in here for suffix in SUFFIXES[: 6 if pattern in paths else 3]
    ]
    study = study_of(component, values | steps(*here), also)
    told = study.evaluate({})
    for pattern in here:
        prefix, name, _ = PATTERNS[pattern]
        extra = pattern_parameters(component, par, pattern)
        loads = link_loads(topology, par, name, extra, **how)
        assert told[f"{prefix}_bandwidth"] == effective_bandwidth(topology, par, name, extra, **how), pattern
        assert told[f"{prefix}_routed"] == bool(loads.routed), pattern
        assert told[f"{prefix}_bottleneck"] == loads.classes[int(loads.bottleneck)].name, pattern
        if pattern in paths:
            path = mean_path(topology, par, name, extra, **how)
            assert told[f"{prefix}_link_latency"] == path.link_latency, pattern
            assert told[f"{prefix}_links"] == path.links, pattern
            optical = sum(SHARES[OPTICAL[name]] * links for name, links in path.by_class.items())
            assert told[f"{prefix}_optical_links"] == pytest.approx(optical, rel=1e-12), pattern


def test_every_component_is_here_and_gives_these_quantities_and_no_others():
    """No path of a printed shift, no Valiant routing of printed equations."""
    found: dict[str, set[str]] = {}
    for function in MODEL.functions:
        if function.slot == "topology":
            found.setdefault(function.provider, set()).update(function.gives)
    assert set(found) == set(COMPONENTS)
    for component, (_, how, patterns) in COMPONENTS.items():
        as_printed = how.get("equations") == "printed"
        wanted = {*PARTS, "bisection_bandwidth", "fastest_link_bandwidth"}
        for prefix in [*(PATTERNS[pattern][0] for pattern in patterns), *([] if as_printed else ["valiant"])]:
            wanted |= {f"{prefix}_{suffix}" for suffix in SUFFIXES[: 3 if as_printed and prefix == "shift" else 6]}
        for prefix in () if as_printed else ("uniform", "shift", "complement", "exchange"):
            wanted |= {f"{prefix}_process_{suffix}" for suffix in (*SUFFIXES[:2], *SUFFIXES[3:])}
            wanted.add(f"{prefix}_inside_fraction")
        assert found[component] == wanted, component


@pytest.mark.parametrize(("component", "values"), CASES)
def test_parts_are_those_of_the_public_function(component, values):
    """Default shares: only links between switches are optical, and those within a dragonfly group are not."""
    topology = COMPONENTS[component][0]
    study = study_of(component, values, [*PARTS])
    parts = network_parts(topology, parameters(topology, values))
    told = study.evaluate({})
    for name in PARTS:
        assert told[name] == getattr(parts, "ports" if name == "radix" else name), name
    if topology == "slim-fly":
        assert np.isnan(told["bisection_bandwidth"])
    else:
        assert told["bisection_bandwidth"] == parts.bisection_bandwidth
    shares = {OPTICAL[name]: SHARES[OPTICAL[name]] for name in CLASSES[topology]}
    told = study_of(component, values | shares, PARTS).evaluate({})
    optical = sum(SHARES[OPTICAL[name]] * count for name, count in parts.links.items())
    assert told["optical_links"] == pytest.approx(optical, rel=1e-12)
    assert told["electrical_links"] == pytest.approx(parts.node_links + parts.switch_links - optical, rel=1e-12)


# --- the pattern and the routing of the machine ----------------------------------------------------------------------

ROUTINGS = ("minimal", "valiant", "best")
CHOSEN = ("effective_bandwidth", "link_latency", "path_links", "path_optical_links", "path_switches")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("component", "values", "routing"), sampled_product([case.values for case in CORRECTED], ROUTINGS, each=1)
)
def test_pattern_and_routing_choose_what_the_machine_has(component, values, routing):
    topology, how, _ = COMPONENTS[component]
    par = parameters(topology, values)
    nodes = network_parts(topology, par).nodes
    patterns = [pattern for pattern in PATTERNS if possible(pattern, nodes)]
    for pattern in patterns if ALL_EXAMPLES else patterns[ROUTINGS.index(routing) :: 3]:  # of each routing others
        name, extra = PATTERNS[pattern][1], pattern_parameters(component, par, pattern)
        step = steps(pattern) if routing != "valiant" else {}
        told = study_of(component, values | step, CHOSEN, {"pattern": pattern, "routing": routing}).evaluate({})
        if routing == "minimal":
            bandwidth, path = (one(topology, par, name, extra, **how) for one in (effective_bandwidth, mean_path))
        elif routing == "valiant" or how:
            # The public functions have no "best" of dimension order and Valiant.
            bandwidth = effective_bandwidth(topology, par, name, extra, routing="valiant")
            path = mean_path(topology, par, name, extra, routing="valiant")
            direct = effective_bandwidth(topology, par, name, extra, **how)
            if routing == "best" and direct >= bandwidth:
                bandwidth, path = direct, mean_path(topology, par, name, extra, **how)
        else:
            bandwidth, path = (
                one(topology, par, name, extra, routing="best") for one in (effective_bandwidth, mean_path)
            )
        optical = sum(SHARES[OPTICAL[one]] * links for one, links in path.by_class.items())
        wanted = (bandwidth, path.link_latency, path.links, optical, path.switches)
        assert [told[one] for one in CHOSEN] == pytest.approx(wanted, rel=1e-12), pattern


@pytest.mark.parametrize(("component", "values"), CORRECTED)
def test_valiant_quantities(component, values):
    topology = COMPONENTS[component][0]
    par = parameters(topology, values)
    told = study_of(component, values, [f"valiant_{suffix}" for suffix in SUFFIXES]).evaluate({})
    loads = link_loads(topology, par, "uniform", routing="valiant")
    path = mean_path(topology, par, "uniform", routing="valiant")
    assert told["valiant_bandwidth"] == effective_bandwidth(topology, par, "uniform", routing="valiant")
    assert told["valiant_bottleneck"] == loads.classes[int(loads.bottleneck)].name
    assert (told["valiant_routed"], told["valiant_link_latency"], told["valiant_links"]) == (
        topology in WITHOUT_CLOSED_FORM,
        path.link_latency,
        path.links,
    )


@pytest.mark.parametrize("topology", SYMBOLS)
def test_a_given_process_grid_and_linear_mapping(topology):
    """The slots process_grid and process_mapping."""
    values = DESIGNS[topology][0]
    par = parameters(topology, values)
    n = int(network_parts(topology, par).nodes)
    also = ("neighbour_2d_bandwidth", "neighbour_3d_bandwidth", "process_grid_2d_x", "process_grid_3d_z")
    two, three = (n // 2, 2), (2, 1, n // 2)
    for mapping in ("linear", "sub-domains"):
        use = {"process_grid": "given", "process_mapping": mapping}
        one, other = (
            study_of(component=topology, values=values | grid, also=also[:1] if len(grid) == 2 else also[1:2], use=use)
            for grid in (
                dict(zip(("process_grid_x", "process_grid_y"), two, strict=True)),
                dict(zip(("process_grid_x", "process_grid_y", "process_grid_z"), three, strict=True)),
            )
        )
        for study, grid, name in ((one, two, also[0]), (other, three, also[1])):
            tiles = rule(topology, par, grid) if mapping == "sub-domains" else ()
            wanted = effective_bandwidth(topology, par, "nearest-neighbour", {"grid": grid, "tiles": tiles})
            assert study.evaluate({})[name] == wanted


# --- arrays ----------------------------------------------------------------------------------------------------------

MACHINE = ("network_latency", "transfer_energy", "network_power", "network_power_per_node", "bisection_bandwidth")
ONE_FOR_MANY = {f"dimension_{number}": 1 for number in range(2, 7)} | {"links_in_ring_of_two": 2, "tree_uplinks_0": 1}
ONE_FOR_MANY |= FLOOR


def graph_of(component: str, targets):
    """The resolved graph: every input is supplied."""
    declared = {**MODEL.parameters, **MODEL.assumptions}
    supplied = {name: Input(name, one.unit, "set", "the test") for name, one in declared.items()}
    return resolve(targets, models=[MODEL], supplied=supplied, use={"topology": component})


def evaluated(graph, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Evaluate function by function, and see that each keeps the contract."""
    values = dict(inputs)
    for function in graph.functions:
        arguments = [values[need] for need in function.needs]
        for one in arguments:
            one.setflags(write=False)
        with np.errstate(all="raise"):
            result = function.function(*arguments)
        results = result if isinstance(result, tuple) else (result,)
        assert len(results) == len(function.gives)
        broadcast = np.broadcast_shapes(*(one.shape for one in arguments)) if arguments else (1,)
        for (name, unit), one in zip(function.gives.items(), results, strict=True):
            assert one.dtype == (object if unit == "text" else float), name
            assert np.broadcast_shapes(one.shape, broadcast) == broadcast, name
            assert not any(np.shares_memory(one, other) for other in arguments if unit != "text"), name
            values[name] = np.asarray(one)
    return values


@pytest.mark.slow
@pytest.mark.parametrize(
    ("component", "layout"), sampled_product([*COMPONENTS], ["sizes down", "sizes along", "three axes"], each=1)
)
def test_arrays_give_what_single_designs_give(component, layout):
    """Bit for bit, sizes along one axis and bandwidths, latencies and the step along another."""
    topology, how, patterns = COMPONENTS[component]
    as_printed = how == {"equations": "printed"}
    designs = [one for one in DESIGNS[topology] if not as_printed or printed(topology, one)]
    for pattern in patterns:
        nodes = [network_parts(topology, parameters(topology, one)).nodes for one in designs]
        sized = [one for one, n in zip(designs, nodes, strict=True) if possible(pattern, n)]
        if not sized:
            continue
        suffixes = SUFFIXES[: 3 if as_printed and pattern == "shift" else 6]
        targets = [*PARTS, *(f"{PATTERNS[pattern][0]}_{suffix}" for suffix in suffixes)]
        targets += [] if as_printed else [f"valiant_{suffix}" for suffix in SUFFIXES]
        graph = graph_of(component, [*targets, *MACHINE])
        down, along = {
            "sizes down": ((-1, 1), (1, -1)),
            "sizes along": ((1, -1), (-1, 1)),
            "three axes": ((-1, 1, 1), (1, 1, -1)),
        }[layout]
        inputs = {}
        for position, (name, one) in enumerate(graph.inputs.items()):
            if any(name in design for design in designs):
                column = [design.get(name, ONE_FOR_MANY.get(name)) for design in sized]
                inputs[name] = np.array(column, dtype=float).reshape(down)
            elif name == "shift_step":
                inputs[name] = np.array([0.0, 3.0, 40.0 if as_printed else -5.0]).reshape(along)
            elif name == "exchange_bit":
                inputs[name] = np.array([0.0, 3.0, 1.0]).reshape(along)
            elif name in ONE_FOR_MANY:
                inputs[name] = np.full((1,) * len(down), float(ONE_FOR_MANY[name]))
            elif one.unit in ("B/s", "s"):
                inputs[name] = (np.array([3.0, 1.0, 0.25]) * (position + 1)).reshape(along)
            else:
                inputs[name] = np.full((1,) * len(down), 0.5 if name in SHARES else 3.0)
        found = evaluated(graph, inputs)
        whole = np.broadcast_shapes(*(one.shape for one in found.values()))
        # Every size with one of the values along the other axis, in turn; or with all of them.
        turns = 1 if ALL_EXAMPLES else whole[along.index(-1)]
        indices = [index for index in np.ndindex(*whole) if sum(index) % turns == 0]
        singly = {name: np.empty(len(indices), dtype=one.dtype) for name, one in found.items()}
        for place, index in enumerate(indices):
            alone = evaluated(
                graph, {name: np.broadcast_to(one, whole)[index].reshape(1) for name, one in inputs.items()}
            )
            for name, value in alone.items():
                singly[name][place] = value.item()
        for name, value in singly.items():
            together = np.broadcast_to(found[name], whole)[tuple(np.transpose(indices))]
            np.testing.assert_array_equal(together, value, err_msg=name)


def test_a_run_has_the_numbers_of_the_public_functions():
    """A space of sizes and bandwidths; every design is on the frontier of one that is best in everything."""
    study = Study(
        {
            "name": "several",
            "models": ["network"],
            "objectives": [{"maximize": "uniform_bandwidth"}, {"minimize": "switches"}, {"maximize": "nodes"}],
            "also": ["neighbour_2d_bandwidth", "neighbour_2d_bottleneck", "uniform_links", "shift_bandwidth"],
            "use": {"topology": "torus"},
            "set": {"node_link_bandwidth": "7 GB/s", "nodes_per_switch": 1, "shift_step": 3, "dimension_2": 4},
            "space": {
                "axes": {  # six bandwidths, as many as a torus may have dimensions
                    "switch_link_bandwidth": {"values": [f"{speed} GB/s" for speed in (1, 2, 3, 4, 5, 6)]},
                    "dimension_1": {"values": [2, 3, 4, 6]},
                    "dimension_3": {"values": [1, 5]},
                }
            },
        }
    )
    table = study.run(trust=False).frontier
    assert len(table) >= 4
    for _, row in table.iterrows():
        par = {"d": [row["dimension_1"], 4, row["dimension_3"]], "p": 1, "b0": 7e9, "b": row["switch_link_bandwidth"]}
        par |= {"l0": 2.5e-9, "l": 12e-9}
        grid = most_square(int(row["nodes"]), 2)
        loads = link_loads("torus", par, "nearest-neighbour", {"grid": grid, "tiles": rule("torus", par, grid)})
        assert row["neighbour_2d_bandwidth"] == loads.effective_bandwidth
        assert row["neighbour_2d_bottleneck"] == loads.classes[int(loads.bottleneck)].name
        assert row["uniform_bandwidth"] == effective_bandwidth("torus", par)
        assert row["shift_bandwidth"] == effective_bandwidth("torus", par, "shift", {"step": 3})
        assert row["uniform_links"] == mean_path("torus", par).links


# --- what a study cannot have ----------------------------------------------------------------------------------------


def told_by(component: str, values: dict[str, Any], also, use: dict[str, str] | None = None) -> str:
    """The sentence that refuses a study."""
    with pytest.raises(InputError) as error:
        study_of(component, values, also, use).evaluate({})
    return str(error.value)


@pytest.mark.parametrize(
    ("component", "values", "also", "words"),
    [
        ("full-mesh", {"mesh_switches": 10, "nodes_per_switch": 10}, "bit_reversal_bandwidth", ["100", "power of 2"]),
        ("full-mesh", {"mesh_switches": 10, "nodes_per_switch": 10}, "butterfly_links", ["100", "power of 2"]),
        (
            "full-mesh",
            {"mesh_switches": 10, "nodes_per_switch": 5},
            "transpose_bandwidth",
            ["transpose", "50", "square"],
        ),
        ("slim-fly", {"field_order": 5, "nodes_per_switch": 4}, "butterfly_bandwidth", ["200", "power of 2"]),
        (
            "slim-fly",
            {"field_order": 5, "nodes_per_switch": 4, "exchange_bit": 1},
            "exchange_bandwidth",
            ["exchange", "200", "power of 2"],
        ),
        (
            "full-mesh",
            {"mesh_switches": 4, "nodes_per_switch": 4, "exchange_bit": 4},
            "exchange_links",
            ["exchange_bit = 4", "16 nodes"],
        ),
        (
            "torus",
            {"dimension_1": 8192, "dimension_2": 8192, "nodes_per_switch": 1},
            "transpose_bandwidth",
            ["transpose", "67,108,864 flows", "at most 20,000,000", "uniform"],
        ),
        ("slim-fly", {"field_order": 97, "nodes_per_switch": 1}, "tornado_bandwidth", ["q = 97", "up to 89"]),
        ("slim-fly", {"field_order": 7, "nodes_per_switch": 1}, "uniform_bandwidth", ["q = 7", "prime"]),
        ("hyperx-as-printed", DESIGNS["hyperx"][1], "uniform_bandwidth", ["the thesis", "two dimensions"]),
        (
            "hyperx-as-printed",
            {"dimension_1": 5, "dimension_2": 4, "nodes_per_switch": 4},
            "neighbour_2d_links",
            ["rows"],
        ),
        ("torus-as-printed", DESIGNS["torus"][2], "uniform_bandwidth", ["the thesis", "two links in a ring"]),
        ("full-mesh-as-printed", DESIGNS["full-mesh"][2], "neighbour_2d_bandwidth", ["the thesis", "tables"]),
        (
            "fat-tree-2-level-as-printed",
            DESIGNS["fat-tree-2-level"][0] | {"shift_step": -1},
            "shift_bandwidth",
            ["negative"],
        ),
        ("torus", DESIGNS["torus"][0] | {"dimension_2": 2.5}, "diameter", ["'dimension_2' is 2.5", "whole"]),
        ("torus", DESIGNS["torus"][0] | {"links_in_ring_of_two": 1.5}, "diameter", ["'links_in_ring_of_two' is 1.5"]),
        (
            "fat-tree-2-level",
            DESIGNS["fat-tree-2-level"][0] | {"tree_uplinks_0": 1.5},
            "radix",
            ["'tree_uplinks_0' is 1.5"],
        ),
        ("full-mesh", {"mesh_switches": 3_000_000_000, "nodes_per_switch": 1}, "radix", ["3000000000", "at most"]),
    ],
)
def test_impossible_combinations_are_refused_with_their_reason(component, values, also, words):
    """Never a traceback, never the number of another pattern."""
    told = told_by(component, values, [also])
    for word in words:
        assert word in told, f"{word!r} is not in: {told}"


def test_a_process_grid_that_is_not_the_machine_is_refused():
    grid = {"process_grid_x": 7, "process_grid_y": 9}
    told = told_by("full-mesh", DESIGNS["full-mesh"][0] | grid, ["neighbour_2d_links"], {"process_grid": "given"})
    assert "grid = (7, 9)" in told
    assert "64 in all" in told


@pytest.mark.parametrize(
    ("component", "also", "use"),
    [
        ("full-mesh-as-printed", "shift_links", {}),
        ("full-mesh-as-printed", "complement_bandwidth", {}),
        ("full-mesh-as-printed", "link_latency", {"pattern": "shift"}),
        ("full-mesh-as-printed", "effective_bandwidth", {"routing": "valiant"}),
        ("torus-as-printed", "shift_bandwidth", {}),
        ("hyperx-as-printed", "neighbour_3d_bandwidth", {}),
    ],
)
def test_what_the_thesis_does_not_print_is_no_quantity(component, also, use):
    values = DESIGNS[COMPONENTS[component][0]][0] | ({"shift_step": 1} if "shift" in (also, *use.values()) else {})
    told = told_by(component, values, [also], use)
    assert f"the component '{component}' of the slot 'topology' does not give '" in told
    # The bandwidth of a printed shift is there, without a path.
    if use == {"pattern": "shift"}:
        assert study_of(component, values, ["effective_bandwidth"], use).evaluate({})["effective_bandwidth"] > 0


@pytest.mark.parametrize(
    ("topology", "fixed", "axes", "words"),
    [
        (
            "dragonfly",
            {"nodes_per_switch": 2, GLOBAL: "2 GB/s"},
            {"group_switches": [2, 3, 4], "global_ports": [1, 2], "groups": [3, 5, 9]},
            ["dragonfly with a = 2, p = 2, h = 1, g = 5: too few global links", '"network.dragonfly"'],
        ),
        (
            "slim-fly",
            {"nodes_per_switch": 2},
            {"field_order": [5, 7, 13]},
            ["q = 7, p = 2: q must be", '"network.slim-fly"'],
        ),
    ],
)
def test_shapes_of_a_plain_product_that_cannot_be_built(topology, fixed, axes, words):
    """The message names the shape and the way out, and no number of a design that is not that of the study."""
    study = Study(
        {
            "name": "product",
            "models": ["network"],
            "objectives": [{"maximize": "uniform_bandwidth"}],
            "use": {"topology": topology},
            "set": {NODE: "7 GB/s", SWITCH: "2 GB/s", **fixed},
            "space": {"axes": {name: {"values": values} for name, values in axes.items()}},
        }
    )
    with pytest.raises(InputError) as error:
        study.run(trust=False)
    for word in words:
        assert word in str(error.value)
    assert "(design" not in str(error.value)


def test_documentation_says_when_a_number_is_routed():
    """Closed forms for uniform traffic, Valiant routing and printed equations; else the mark tells."""
    for function in MODEL.functions:
        if function.slot == "topology" and function.name.endswith("_bandwidth"):
            closed = any(one in function.name for one in ("_uniform_", "_valiant_", "_as_printed_"))
            closed = closed and not function.provider.startswith(WITHOUT_CLOSED_FORM)
            assert ("routed is 1" in function.doc) == (not closed), function.name
