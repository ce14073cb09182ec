"""No free lunch: what a design gains it pays for, or it is refused or marked."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.node.core_structures import MARKS
from dse.models.node.inputs import goes_with
from dse.models.power import core_energies

from .nodes import ALSO, INDEPENDENT, KIB, MIB, SPACES, evaluated, node_study, row

pytestmark = pytest.mark.slow

IN_ORDER = {"dispatch_width": 2, "issue_width": 2, "integer_units": 2, "float_units": 1, "memory_units": 1}
IN_ORDER |= {"reorder_buffer": None}
"""A 2-wide core with what the tables' core of this width has."""


@pytest.fixture(autouse=True)
def without_sensitivities(monkeypatch):
    """They take most of the time of an explanation, and nothing here asks for them."""
    monkeypatch.setattr("dse.analysis.explain.explain.sensitivities", lambda problem, declarations, number: [])


def marks(axes, use=None, **changes):
    """Return what is marked of each design of a study."""
    study = node_study(axes, use, **changes)
    return [", ".join(study.explain(number).extrapolated) for number in range(study.space.size)]


def parts_file(folder, name, heading, *rows):
    (folder / f"{name}.csv").write_text("\n".join([heading, *rows]), encoding="utf-8")
    return {name: {"part": f"{name}.csv"}}


# ---- reorder buffer and issue queue ----------------------------------------------------------------------------------


def test_a_reorder_buffer_beside_the_width_is_marked():
    """The tables charge 32 entries per width: any other number costs the same, so its gain cannot be trusted."""
    assert marks({"reorder_buffer": [96, 128, 160]}) == ["window_power_not_modelled", "", "window_power_not_modelled"]


def test_a_width_without_its_reorder_buffer_is_marked():
    found = marks({"dispatch_width": [4, 6, 8]})
    assert found == ["", "window_power_not_modelled", "window_power_not_modelled"]


def test_widths_of_the_catalogue_bring_their_reorder_buffer(tmp_path):
    """2-wide cores get the entries of the queue beyond their 32 for nothing, and say so."""
    without = dict.fromkeys(
        ("dispatch_width", "issue_width", "reorder_buffer", "integer_units", "float_units", "memory_units")
    )
    found = marks({"width": {"part": "node/widths.csv"}}, **without, control_units=None)
    assert found == ["queue_power_not_modelled", "", "", ""]


def test_longer_queues_than_the_tables_have_are_marked():
    """16 entries per width; shorter ones are charged for more than they have."""
    axes = {"issue_queue": [32, 64, 80]}
    found = marks(axes, {"branch_estimate": "constant"}, profile="synthetic-dense")
    assert found == ["", "", "queue_power_not_modelled"]


def test_a_sweep_of_the_queue_is_refused_with_one_window():
    with pytest.raises(InputError, match="the issue queue varies"):
        node_study({"issue_queue": [32, 54]}).run()


def test_in_order_cores_have_no_window_to_charge():
    assert marks({"cores": [1, 4]}, {"core_order": "in-order"}, **IN_ORDER, threads=1) == ["", ""]


# ---- units, issue width, miss registers, ways ------------------------------------------------------------------------


UNITS = {"integer_units": 3, "float_units": 2, "memory_units": 2, "control_units": 1}


@pytest.mark.parametrize("unit", UNITS)
def test_more_units_than_the_width_brings_are_marked(unit):
    """A 4-wide core of the tables has 3, 2, 2 and 1; fewer are charged for more than there is."""
    own = UNITS[unit]
    found = marks({unit: [own - 0.5, own, own + 1]})
    assert found == ["", "", "units_power_not_modelled"]


def test_vector_units_take_the_place_of_floating_point_units():
    """Lanes beyond the first of each are charged, and the first one is a floating-point unit."""
    assert marks({"vector_units": [1, 2, 3]}, vector_width=256) == ["", "", "units_power_not_modelled"]
    assert marks({"vector_units": [3]}, vector_width=0) == [""]


def test_in_order_cores_have_fewer_units():
    found = marks({"integer_units": [2, 3]}, {"core_order": "in-order"}, **IN_ORDER)
    assert found == ["", "units_power_not_modelled"]
    assert marks({"memory_units": [1, 2]}, {"core_order": "in-order"}, **IN_ORDER)[1] == "units_power_not_modelled"


@pytest.mark.parametrize(
    ("width", "units"), [(2, (2, 1, 1, 1)), (4, (3, 2, 2, 1)), (6, (5, 3, 2, 2)), (8, (6, 4, 2, 2))]
)
def test_units_that_are_charged(width, units):
    also = tuple(f"charged_{kind}_units" for kind in ("integer", "float", "memory", "control"))
    told = evaluated(dispatch_width=width, reorder_buffer=32 * width, also=also)
    assert tuple(told[name] for name in also) == units


def test_a_wider_issue_than_dispatch_is_marked():
    assert marks({"issue_width": [2, 4, 8]}) == ["", "", "issue_power_not_modelled"]


def test_more_miss_registers_than_the_tables_have_are_marked():
    assert marks({"miss_registers": [10, 16, 20]}) == ["", "", "miss_registers_power_not_modelled"]
    assert marks({"miss_registers": [20, 32]}, charged_miss_registers=20) == ["", "miss_registers_power_not_modelled"]


def test_more_ways_than_the_tables_have_are_marked():
    use, ways = {"cache_organisation": "set-associative"}, {"l1_ways": 8, "l2_ways": 8, "l3_ways": 16}
    assert marks({"cores": [4]}, use, **ways) == [""]
    for level, most in ways.items():
        found = marks({level: [most // 2, most, 2 * most]}, use, **ways)
        assert found == ["", "", "ways_power_not_modelled"]


@pytest.mark.parametrize("wanted", ["chip_area", "chip_cost", "static_power", "cores_static_power", "energy"])
def test_marks_go_with_area_and_power_alike(wanted):
    """A study that asks for one of them alone is told as well."""
    graph = node_study(also=(*ALSO, "static_power")).compiled.systems[0].graph
    assert set(MARKS) <= graph.below([wanted])


def test_marks_reach_the_frontier():
    run = node_study({"reorder_buffer": [96, 128, 192]}).run()
    told = dict(zip(run.frontier["reorder_buffer"], run.frontier["extrapolated"], strict=True))
    assert told[192] == "window_power_not_modelled"
    assert told.get(128, "") == ""


# ---- caches ----------------------------------------------------------------------------------------------------------


def test_larger_caches_are_slower_larger_and_leak_more():
    for level, sizes in (("l2", [256 * KIB, 512 * KIB, MIB, 2 * MIB]), ("l3", [4 * MIB, 16 * MIB, 24 * MIB, 64 * MIB])):
        told = [evaluated(**{f"{level}_size": size}) for size in sizes]
        for name in (f"{level}_latency_cycles", f"{level}_static_power", "chip_area", "l3_latency"):
            assert (np.diff([one[name] for one in told]) > 0).all(), name


@pytest.mark.parametrize(
    ("name", "value"), [("l2_latency_cycles", 12), ("l3_latency", 13e-9), ("dram_bandwidth", 1e11)]
)
def test_what_the_model_gives_the_study_does_not(name, value):
    """A latency beside the size, or a bandwidth beside the memory, would be for nothing."""
    with pytest.raises(InputError, match=f"two providers of '{name}': the study gives it"):
        evaluated(**{name: value})


def test_level_1_sizes_at_one_latency_are_refused():
    with pytest.raises(InputError, match="size of level 1 varies and its latency does not vary with it") as error:
        node_study({"l1_size": [32 * KIB, 64 * KIB]}).run()
    assert error.value.allowed == "one size, or a part axis whose rows bring l1_size and l1_latency_cycles"
    with pytest.raises(InputError, match="size of level 1 varies"):
        node_study({"l1_size": [32 * KIB, 64 * KIB], "l1_latency_cycles": [4, 5]}).run()


def test_level_1_sizes_with_their_latency(tmp_path):
    rows = ("a,32,4,test", "b,64,5,test", "c,48,5,test")
    axes = parts_file(tmp_path, "first", "name,l1_size [KiB],l1_latency_cycles,source", *rows) | {"cores": [2, 4]}
    study = node_study(axes, folder=tmp_path, l1_size=None, l1_latency_cycles=None)
    assert study.run(trust=False).frontier["first"].isin(["a", "b", "c"]).all()
    told = study.evaluate({"first": "b", "cores": 2})
    assert told["core_area"] == pytest.approx(float(core_energies(technology=22e-9, width=4, l1_size=65536).area))
    assert evaluated(l1_size=64 * KIB, l1_latency_cycles=5)["core_area"] == pytest.approx(told["core_area"])


def test_a_share_of_level_3_below_the_caches_above_is_marked():
    assert marks({"l3_size": [MIB, 16 * MIB]}) == ["l3_share_over_private, l3_outside_tables", ""]


def test_no_cache_has_no_area_power_or_latency_of_its_own():
    told = evaluated(l2_size=0.0, l3_size=0.0)
    names = ("l2_area", "l3_area", "l2_power", "l3_power", "l2_time_difference", "l3_time_difference")
    assert [told[name] for name in names] == [0.0] * 6
    assert marks({"l3_size": [0.0, 16 * MIB]}, l2_size=0.0) == ["", ""]


# ---- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"dispatch_width": 5, "reorder_buffer": 160}, "core_outside_tables"),
        ({"l2_size": 128 * KIB}, "l2_outside_tables, l2_time_outside_tables"),
        ({"l3_size": 2 * MIB, "l2_size": 256 * KIB}, "l3_outside_tables"),
        ({"l3_size": 128 * MIB}, "l3_time_outside_tables"),
        ({"flit_size": 128.0}, "on_chip_network_outside_tables"),
        ({"controller_bandwidth": "60 GB/s"}, "memory_interface_outside_tables"),
        ({"technology": 7e-9}, "technology"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_leaves_the_tables_is_marked(changes, told):
    (found,) = marks({"cores": [4]}, **changes)
    assert set(found.split(", ")) == set(told.split(", "))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"technology": 28e-9}, "technology in nm = 28; allowed: 22, 32, 45, 65, 90, or by factors"),
        ({"dispatch_width": 10}, "width = 10; allowed: 2, 4, 6, 8 out of order"),
        ({"dispatch_width": 1}, "width = 1; allowed: 2, 4, 6, 8 out of order"),
        ({"temperature": 420}, "'temperature' is 420 K; allowed: <= 400 K"),
        ({"temperature": 290}, "'temperature' is 290 K; allowed: >= 300 K"),
        ({"nominal_frequency": None}, "missing quantity 'nominal_frequency', needed by 'voltage'"),
        ({"temperature": None}, "missing quantity 'temperature'"),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(InputError) as error:
        evaluated(**changes)
    assert message in str(error.value)


def test_more_traffic_than_the_memory_carries_is_marked():
    """The model of independent events knows no bandwidth, so only the mark tells."""
    use = {"processor_model": "independent"}
    assert marks({"cores": [14]}, use, threads=14, dram_unit_bandwidth=2e9, **INDEPENDENT) == ["dram_load"]
    assert marks({"cores": [14]}, threads=14, dram_unit_bandwidth=2e9) == [""]


def test_the_interface_of_another_kind_of_memory_is_marked():
    """A 64-bit channel has 25.6 GB/s here, a stack 256 GB/s: neither goes with the interface of the other."""
    axes = {"dram_unit_bandwidth": [25.6e9, 256e9]}
    assert marks(axes) == ["", "dram_link_bandwidth"]
    assert marks(axes, {"memory_interface": "stacks"}) == ["dram_link_bandwidth", ""]


# ---- the catalogue of widths -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "units"), [(2, (2, 1, 1)), (4, (3, 2, 2)), (6, (5, 3, 2)), (8, (6, 4, 2))])
def test_widths_are_those_of_the_tables(width, units):
    """32 entries per width; units as the parts of the tables' cores count them."""
    found = row("node/widths.csv", f"{width}-wide")
    assert (found["dispatch_width"], found["issue_width"], found["reorder_buffer"]) == (width, width, 32 * width)
    assert (found["integer_units"], found["float_units"], found["memory_units"]) == units
    assert found["confidence"] == "medium"
    parts = (SPACES / "power" / "core-parts.csv").read_text(encoding="utf-8").splitlines()
    for part, count in zip(("alus", "fpus"), units, strict=False):
        assert any(
            f'"out-of-order {width}-wide, 22 nm HP",22,out-of-order,{width},{part},{count},' in one for one in parts
        )


# ---- what is chosen together -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "companion", "told"),
    [
        ([[1.0], [2.0]], [[3.0], [3.0]], True),
        ([[1.0], [2.0]], [[3.0]], False),
        ([[1.0], [2.0]], [[3.0, 4.0]], False),
        ([[1.0]], [[3.0, 4.0]], True),
        ([1.0, 1.0, 1.0], [3.0], True),
        ([1.0, 2.0, 1.0], [3.0, 3.0, 3.0], True),
        (1.0, 2.0, True),
    ],
)
def test_goes_with(value, companion, told):
    assert goes_with(np.array(value), np.array(companion)) is told
