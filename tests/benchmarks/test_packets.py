"""The packet simulator: against its plain twin, by hand, its routes against the oracle's, and its bounds."""

import graphlib
import itertools
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from example_counts import sampled

from dse.models.network import link_loads
from dse.models.network.graphs.simulated_here import rows_simulated_here

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import packet_simulation  # noqa: E402
from benchmarks.__main__ import SECTIONS  # noqa: E402
from benchmarks.flow_program import bound_by_lengths, largest_common_rate  # noqa: E402
from benchmarks.networks import oracle  # noqa: E402
from benchmarks.packets.cases import SIZES, Case, cases_of, cases_of_thesis  # noqa: E402
from benchmarks.packets.evidence import evidence, flows_of, model_of, network_of, simulated, tables_for  # noqa: E402
from benchmarks.packets.plain import simulate_plainly  # noqa: E402
from benchmarks.packets.routes import DATELINE, HOP, NONE, expected_loads, tables_of  # noqa: E402
from benchmarks.packets.simulator import Switches, compiled, simulate  # noqa: E402

sys.path.remove(str(ROOT))

TINY = {
    "full-mesh": {"a": 3, "p": 2},
    "fat-tree-2-level": {"m1": 3, "m2": 3, "w1": 2},
    "fat-tree-3-level": {"m1": 2, "m2": 2, "m3": 2, "w1": 2, "w2": 1},
    "torus": {"d": (4, 3), "p": 1},
    "hyperx": {"d": (3, 2, 2), "p": 1},
    "dragonfly": {"a": 2, "p": 1, "h": 2, "g": 3},
    "slim-fly": {"q": 5, "p": 1},
    "skywalk": {"s": 8, "c": 4, "k": 4, "p": 1, "seed": 1},
}
ROUTED = [
    *((name, "minimal") for name in TINY),
    ("hyperx", "dimension-order"),
    ("skywalk", "fewest-links"),
]
SECOND = 512 / 7e9
"""A packet on a link."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    built = compiled(tmp_path_factory.mktemp("packets"))
    if built is None:
        pytest.skip("there is no C compiler")
    return built


@cache
def tables(topology, routing="minimal"):
    return tables_of(network_of(topology, TINY[topology]), topology, TINY[topology], routing)


def shift(nodes, step):
    return [[(node + step) % nodes] for node in range(nodes)]


@pytest.mark.parametrize("switches", [Switches(), Switches(buffer=1), Switches(buffer=3, oldest=True)])
@pytest.mark.parametrize("valiant", [False, True])
@pytest.mark.parametrize("topology", ["torus", "fat-tree-2-level", "dragonfly", "hyperx"])
def test_the_compiled_simulator_and_the_plain_loop_agree_packet_by_packet(library, topology, valiant, switches):
    machine = tables(topology)
    rest = {"valiant": valiant, "switches": switches, "seed": 3}
    flows = [[(node + 1) % machine.nodes, (node + 2) % machine.nodes] for node in range(machine.nodes)]
    for traffic, given in ((flows, {"per_flow": 6}), (None, {"warm": 20 * SECOND, "horizon": 40 * SECOND})):
        ours = simulate(library, machine, traffic, **given, **rest)
        assert ours == simulate_plainly(machine, traffic, **given, **rest)
        assert ours.packets > machine.nodes


@pytest.mark.parametrize(("topology", "routing"), ROUTED)
def test_routes_put_the_loads_of_the_oracle_on_the_links(topology, routing):
    machine = tables(topology, routing)
    names = np.array(machine.names)
    for step in (1, machine.nodes // 2):
        flows = shift(machine.nodes, step)
        loads = expected_loads(machine, flows)
        largest = {name: loads[names == name].max() for name in dict.fromkeys(machine.names)}
        if topology == "skywalk":
            speeds = {"b0": 1.0, "b1": 1.0}
            classes = link_loads(topology, TINY[topology] | speeds, "shift", {"step": step}, routing=routing).classes
            expected = {link.name: float(link.load) for link in classes}
        else:
            network = oracle().TOPOLOGIES[topology](machine_links(topology), routing)
            if topology.startswith("fat-tree"):
                network = network_of(topology, TINY[topology])
            expected = oracle().answer_of(network, flows).loads
        assert largest == pytest.approx(expected, abs=1e-12)


def machine_links(topology):
    names = ("b0", "b1", "b2", "bl", "bg", "b", "l0", "l1", "l2", "ll", "lg", "l")
    return TINY[topology] | dict.fromkeys(names, 1.0)


@pytest.mark.parametrize(
    ("topology", "routing", "valiant"),
    # Over a stop a Slim Fly has the channels of every topology that counts hops.
    [(*pair, valiant) for valiant in (False, True) for pair in ROUTED if not (valiant and pair[0] == "slim-fly")],
)
def test_no_channel_waits_for_itself(topology, routing, valiant):
    """Of all packets that routes allow: what waits in a channel of a link waits for a channel of the next."""
    machine, waits = tables(topology, routing), {}
    stops = machine.stops.tolist()
    legs = [(start, end) for start in stops for end in stops]
    for start, end in legs:
        for last in stops if valiant else [end]:
            for channels in walks(machine, start, [end, last] if valiant else [end]):
                for here, there in itertools.pairwise(channels):
                    waits.setdefault(here, set()).add(there)
    list(graphlib.TopologicalSorter(waits).static_order())


def walks(machine, start, aims):
    """Every way to the aims, one after the other, as (link, channel)."""
    waiting = [(start, 0, 0, 0, None, [])]
    while waiting:
        here, phase, hop, bent, before, channels = waiting.pop()
        while phase < len(aims) and here == aims[phase]:
            phase, hop, bent = phase + 1, 0, 0
        if phase == len(aims):
            yield channels
            continue
        for link, _ in machine.choices(min(hop, machine.layers - 1), here, aims[phase]):
            turned = before is None or machine.dimension[before] != machine.dimension[link]
            wrapped = int(machine.wrap[link] or (bent and not turned))
            step = {NONE: 0, HOP: hop, DATELINE: wrapped}[machine.rule]
            assert step < machine.channels
            taken = (link, phase * machine.channels + step)
            waiting.append((int(machine.target[link]), phase, hop + 1, wrapped, link, [*channels, taken]))


def test_a_ring_without_datelines_is_found_to_be_locked(library):
    ring = tables_of(network_of("torus", {"d": (6,), "p": 1}), "torus", {"d": (6,), "p": 1})
    flows, tight = shift(6, 2), Switches(buffer=1)
    assert simulate(library, ring, flows, per_flow=50, switches=tight).packets == 300
    with pytest.raises(RuntimeError, match="deadlock"):
        simulate(library, replace(ring, rule=NONE, channels=1), flows, per_flow=50, switches=tight)


def test_one_stream_takes_the_time_that_is_counted_by_hand(library):
    """Two nodes of one switch: 100 packets one after the other, and once the head and the latency of the two links."""
    switch = tables_of(network_of("full-mesh", {"a": 1, "p": 2}), "full-mesh", {"a": 1, "p": 2})
    run = simulate(library, switch, [[1], [0]], per_flow=100)
    last = 99 * SECOND + (0.125 * SECOND + 100e-9) + (SECOND + 100e-9)
    assert run.seconds == pytest.approx(last, rel=1e-12)
    assert run.bandwidth == pytest.approx(100 * 512 / last, rel=1e-12)


def test_one_place_in_a_buffer_waits_for_its_credit(library):
    """A packet may follow when the one before has left the switch and the news of it has come back."""
    switch = tables_of(network_of("full-mesh", {"a": 1, "p": 2}), "full-mesh", {"a": 1, "p": 2})
    run = simulate(library, switch, [[1], []], per_flow=50, switches=Switches(buffer=1))
    turn = (0.125 * SECOND + 100e-9) + SECOND + 100e-9
    assert run.seconds == pytest.approx(50 * turn, rel=1e-12)


def test_two_flows_to_one_node_share_its_link(library):
    switch = tables_of(network_of("full-mesh", {"a": 1, "p": 3}), "full-mesh", {"a": 1, "p": 3})
    run = simulate(library, switch, [[2], [2], []], per_flow=400)
    assert run.bandwidth == pytest.approx(3.5e9, rel=0.01)


def test_turns_are_unfair_on_a_ring_and_the_oldest_first_is_not(library):
    """A node gets as many turns as all that has come round the ring: what waits longest is the slowest flow."""
    ring = tables_of(network_of("torus", {"d": (8,), "p": 1}), "torus", {"d": (8,), "p": 1})
    flows = shift(8, 3)
    fair = 7e9 / 3
    in_turn = simulate(library, ring, flows).bandwidth
    oldest = simulate(library, ring, flows, switches=Switches(oldest=True)).bandwidth
    assert in_turn < 0.7 * fair
    assert 0.95 * fair < oldest < fair


@pytest.mark.parametrize("topology", [name for name in TINY if name != "skywalk"])
def test_no_simulation_and_no_model_exceeds_the_bound(library, topology):
    for key, pattern, options in (
        ("uniform-without-self", "uniform", {"include_self": False}),
        ("shift", "shift", {"step": 2}),
    ):
        case = Case(topology, topology, "minimal", TINY[topology], key, pattern, options)
        network, flows = network_of(topology, TINY[topology], bundled=True), flows_of(case)
        model, best = model_of(case), largest_common_rate(network, flows)
        assert model <= best * (1 + 1e-9)
        assert best <= bound_by_lengths(network, flows) * (1 + 1e-9)
        # Small buffers are soon full: then packets leave as fast as they arrive.
        rate = simulated(case, model, Switches(buffer=8)).bandwidth
        assert 0.6 * model <= rate <= best * 1.01


def test_every_topology_has_every_pattern_that_its_nodes_allow():
    cases = [case for size in SIZES for case in cases_of(size)]
    assert {case.topology for case in cases} == set(TINY)
    patterns = {case.key for case in cases}
    for topology in TINY:
        missing = patterns - {case.key for case in cases if case.topology == topology}
        # 2 q² p is no power of two: q is an odd prime.
        assert missing == ({"bit-reversal", "butterfly", "exchange"} if topology == "slim-fly" else set())
    assert all(32 <= case.nodes <= 1056 for case in cases)
    assert len({case.row for case in cases_of_thesis()}) == 13


def test_a_row_of_evidence(library):
    case = next(case for case in cases_of(64) if (case.component, case.key) == ("torus", "tornado"))
    row = evidence(case, bounded=False)
    assert (row.sizes, row.nodes, row.bound) == ("d 4x4x4 p 1", 64, None)
    assert row.packets == 64 * 256
    assert row.error == pytest.approx(row.model / row.simulated - 1)
    assert tables_for(case).channels == 2


def test_section(library, monkeypatch):
    monkeypatch.setattr(packet_simulation, "rows", lambda sizes: [evidence(next(cases_of(64)), bounded=False)])
    monkeypatch.setattr(packet_simulation, "TIMED", ("full-mesh",))
    section = packet_simulation.run("small", lambda text: None)
    assert SECTIONS["packets"] is packet_simulation.run
    assert [row["nodes"] for row in section.rows] == [64]
    assert section.asserted[1] == "full-mesh, 64 nodes: compiled and plain loop give the same, packet by packet"


@pytest.mark.slow
def test_recorded_machines_of_64_nodes_are_simulated_again(library):
    """A sample of them; all with all examples."""
    recorded = {(row.component, row.pattern, row.sizes, row.options): row for row in rows_simulated_here()}
    cases = [case for case in cases_of(64) if case.nodes == 64]
    assert len(cases) > 150
    for case in sampled(cases, 50):
        row = evidence(case, bounded=False)
        same = recorded[row.component, row.pattern, row.sizes, row.options]
        assert row.simulated == pytest.approx(same.simulated, rel=1e-5)
        assert row.oldest_first == pytest.approx(same.oldest_first, rel=1e-5)
