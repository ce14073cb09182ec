"""Studies of the family: ranks, memory, cards, energy, what is refused, and spaces that are taken apart."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dse.api import Study
from dse.cli.text.check import print_parts
from dse.errors import InputError
from dse.models.workload.profile.reading import write_profile

SPACES = Path(__file__).parents[3] / "spaces"
SHAPES = {
    "shape": {
        "enumerate": "network.hyperx",
        "given": {"nodes": {"powers_of_two": [64, 128]}, "radix": 64, "dimensions": [2, 3], "largest_ratio": 2},
    }
}
NO_SHAPE = {"nodes_per_switch": None, "dimension_1": None, "dimension_2": None, "dimension_3": None, "cores": None}


def space(**more):
    """Return a space over shapes of 64 and 128 nodes, and nodes of 4 and 16 cores."""
    axes = {
        "cores": {"values": [4, 16]},
        "width": {"part": "node/widths.csv", "only": ["8-wide"]},
        "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800", "HBM2E 3.2 Gb/s"]},
        "dram_units": {"values": [2, 4]},
        **SHAPES,
    }
    return {"axes": axes, **more}


def vectors(run):
    """Return the objectives of a frontier, rising."""
    return run.frontier.sort_values(["system_time", "system_energy"])[["system_time", "system_energy"]].to_numpy()


def test_a_split_space_has_the_frontier_of_alternatives_by_hand(load):
    split = load(space=space(split=["nodes"]), set=NO_SHAPE)
    assert [product.name for product in split.space.products] == ["nodes 64", "nodes 128"]
    alternatives = {}
    for nodes in (64, 128):
        given = {**SHAPES["shape"]["given"], "nodes": nodes}
        alternatives[f"of {nodes}"] = {"axes": {"shape": {"enumerate": "network.hyperx", "given": given}}}
    axes = {name: axis for name, axis in space()["axes"].items() if name != "shape"}
    by_hand = load(space={"axes": axes, "alternatives": alternatives}, set=NO_SHAPE)
    whole = load(space=space(), set=NO_SHAPE)
    assert split.space.size == by_hand.space.size == whole.space.size
    wanted = vectors(by_hand.run())
    assert np.array_equal(vectors(split.run()), wanted)
    assert np.array_equal(vectors(whole.run()), wanted)
    # An axis of one column, taken apart by its own values.
    cores = load(space=space(split=["cores"]), set=NO_SHAPE)
    assert [product.name for product in cores.space.products] == ["cores 4", "cores 16"]
    assert cores.space.size == whole.space.size
    assert np.array_equal(vectors(cores.run()), wanted)
    for method in ("bundles", "groups"):
        assert np.array_equal(
            vectors(load(space=space(split=["nodes"]), set=NO_SHAPE, search={"method": method}).run(trust=False)),
            wanted,
        )


def test_values_and_alternatives_without_shapes_are_counted(load, capsys):
    given = {"nodes": {"values": [61, 64, 67]}, "radix": 12, "dimensions": 2, "largest_ratio": 2}
    empty = {"nodes": {"values": [61, 67]}, "radix": 12, "dimensions": 2, "largest_ratio": 2}
    choices = {
        "network": {
            "some": {"axes": {"shape": {"enumerate": "network.hyperx", "given": given}}},
            "none": {"axes": {"shape": {"enumerate": "network.hyperx", "given": empty}}},
        }
    }
    axes = {name: axis for name, axis in space()["axes"].items() if name != "shape"}
    study = load(space={"axes": axes, "choices": choices, "split": ["nodes"]}, set=NO_SHAPE)
    assert [product.name for product in study.space.products] == ["some nodes 64"]
    assert study.builder.split_off == {
        "some": "2 values of nodes have no shape",
        "none": study.builder.split_off["none"],
    }
    assert study.builder.split_off["none"].startswith("no shape is left")
    print_parts(study)
    parts, some, none = capsys.readouterr().out.splitlines()[:3]
    assert parts == "parts by nodes: some 1"
    assert some == "no part of some: 2 values of nodes have no shape"
    assert none.startswith("no part of none: no shape is left")


@pytest.mark.parametrize(
    ("split", "problem"),
    [(["run_processes"], "depends on the axes"), (["nodez"], "unknown quantity 'nodez'")],
)
def test_what_cannot_be_split(load, split, problem):
    with pytest.raises(InputError, match=problem):
        load(space=space(split=split), set=NO_SHAPE).problem()


def test_idle_cores_leak_and_do_not_switch(load):
    axes = {"processes_per_node": {"values": [4, 8, 16]}, "dram_units": {"values": [2]}}
    parts = {name: axis for name, axis in space()["axes"].items() if name == "width" or name == "memory"}
    parts = {name: {**axis, "only": axis["only"][:1]} for name, axis in parts.items()}
    study = load(space={"axes": {**axes, **parts}}, use={"node_ranks": "given"}, set={"problem_size": 1024})
    found = [study.evaluate(processes_per_node=count) for count in (4, 8, 16)]
    assert [one["idle_cores"] for one in found] == [12, 8, 0]
    assert len({one["cores_static_power"] for one in found}) == 1
    assert found[0]["run_processes"] == 4096


def test_ranks_beyond_the_cores_or_the_cells_are_no_designs(load):
    axes = {"processes_per_node": {"values": [8, 16, 32]}, "dram_units": {"values": [2]}}
    parts = {n: {**axis, "only": axis["only"][:1]} for n, axis in space()["axes"].items() if n in ("width", "memory")}
    study = load(space={"axes": {**axes, **parts}}, use={"node_ranks": "given"})
    run = study.run(trust=False)
    assert 32 not in run.frontier["processes_per_node"].tolist()
    assert run.manifest.certificate.infeasible
    # 16 cells on 1,024 nodes: more ranks than cells.
    tiny = load(space={"axes": {**axes, **parts}}, use={"node_ranks": "given"}, set={"problem_size": 12})
    assert len(tiny.run().frontier) == 0
    # Four threads of each rank want a core each.
    use = {"node_ranks": "given", "thread_split": "even"}
    axes["processes_per_node"] = {"values": [4, 8, 16]}
    split = load(space={"axes": {**axes, **parts}}, use=use, set={"threads_per_process": 4})
    assert split.run().frontier["processes_per_node"].tolist() == [4]


def test_memory_that_does_not_hold_the_ranks_is_no_design(load):
    nodes = {"dimension_1": 2, "dimension_2": 1, "dimension_3": 1, "cores": 4}
    fits = load(set=nodes).evaluate(dram_units=2)
    assert fits["node_memory"] < fits["dram_capacity"]  # 18.3 GB of 32 GB
    tight = load(set={**nodes, "problem_size": 2560})  # 33.6 GB
    assert 2 not in tight.run().frontier["dram_units"].tolist()
    large = load(set={"dimension_1": 2, "dimension_2": 1, "dimension_3": 1, "cores": 4, "problem_size": 4096})
    needed = large.evaluate(dram_units=8)["node_memory"]
    assert needed > 8 * 16e9
    assert len(large.run().frontier) == 0


def test_cards_are_planes_of_messages_and_of_power(load):
    one, four = (load(set={"nics_per_node": cards}).evaluate(dram_units=2) for cards in (1, 4))
    assert four["transfer_time"] == pytest.approx(one["transfer_time"] / 4, rel=1e-12)
    assert four["network_power"] == pytest.approx(4 * one["network_power"], rel=1e-12)
    with_cards = load(set={"nics_per_node": 4, "nic_power": "15 W"}, use={"nic_power": "cards"}).evaluate(dram_units=2)
    assert with_cards["network_power"] == pytest.approx(four["network_power"] + 1024 * 4 * 15, rel=1e-12)


def test_repetitions_repeat_all_but_the_powers(load):
    once, often = (
        load(set={"repetitions": count}, also=["system_power", "node_dynamic_power"]).evaluate(dram_units=2)
        for count in (1, 40)
    )
    for name in ("system_time", "system_energy", "messages", "allreduce_calls", "compute_time"):
        assert often[name] == pytest.approx(40 * once[name], rel=1e-9)
    for name in ("system_power", "message_size", "node_dynamic_power"):
        assert often[name] == pytest.approx(once[name], rel=1e-9)


def test_neighbours_keep_more_inside_than_uniform(load):
    uniform = load().evaluate(dram_units=2)
    near = load(use={"pattern": "neighbour-3d"}).evaluate(dram_units=2)
    told = load(use={"pattern": "profile"}).evaluate(dram_units=2)
    assert near["inside_fraction"] == pytest.approx(0.5833333, abs=5e-8)
    assert told["inside_fraction"] == near["inside_fraction"]
    assert told["effective_bandwidth"] == near["effective_bandwidth"]
    assert told["pattern_guessed"] == 0
    assert uniform["leaving_bytes"] / near["leaving_bytes"] == pytest.approx(2.4, rel=1e-3)


def test_exchanges_stay_inside_for_the_rounds_of_a_node(load, folder):
    file = folder / "cg.laws.json"
    document = json.loads(file.read_text())
    document["pattern"]["name"] = "exchange"
    file.write_text(json.dumps(document))
    told = load(use={"pattern": "profile"}).evaluate(dram_units=2)
    assert told["inside_fraction"] == pytest.approx(4 / 14, rel=1e-12)
    assert told["pattern_guessed"] == 0
    odd = load(use={"pattern": "profile"}, set={"cores": 12}).evaluate(dram_units=2)
    assert odd["inside_fraction"] == pytest.approx(11 / (12 * 1024 - 1), rel=1e-12)
    assert odd["pattern_guessed"] == 1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"set": {"problem_size": 10**7}}, r"problem_size: cg, n 1e\+07, 16384 ranks, .* times outside its runs"),
        ({"set": {"nics_per_node": 0}}, "'nics_per_node' is 0; allowed: >= 1"),
    ],
)
def test_what_no_machine_can_be_asked_is_named(load, changes, problem):
    with pytest.raises(InputError, match=problem):
        load(**changes).evaluate(dram_units=2)


def test_strong_scaling_falls_with_nodes(load):
    times = []
    for sides in ((2, 1, 1), (2, 2, 1), (4, 2, 1), (4, 2, 2), (4, 4, 2), (4, 4, 4), (8, 4, 4)):
        shape = {f"dimension_{place}": side for place, side in enumerate(sides, 1)}
        study = load(
            set={**shape, "cores": 8, "problem_size": 1024}, use={"pattern": "profile", "prefetching": "streams"}
        )
        times.append(study.evaluate(dram_units=8)["system_time"])
    assert (np.diff(times) < 0).all()
    assert times[0] / times[-1] >= 0.7 * 64


def test_weak_scaling_is_constant_within_collectives(load):
    found = []
    for sides in ((2, 1, 1), (4, 2, 1), (4, 4, 2)):
        shape = {f"dimension_{place}": side for place, side in enumerate(sides, 1)}
        document = {"quantities": {"problem_size": "64 * run_processes ** (1/3)"}, "use": {"pattern": "profile"}}
        found.append(load(**document, set={**shape, "problem_size": None}).evaluate(dram_units=4))
    assert [one["compute_time"] for one in found] == pytest.approx([found[0]["compute_time"]] * 3, rel=2e-3)


def test_a_plain_profile_holds_for_its_ranks_alone(plain, load):
    study = load(
        tables={"profile": {"file": "cg-2048-16384.json"}},
        space=space(),
        set=NO_SHAPE,
    )
    run = study.run(trust=False)
    assert len(run.frontier) == 0
    fitting = load(tables={"profile": {"file": "cg-2048-16384.json"}})
    assert len(fitting.run().frontier) > 0


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"set": {"problem_size": None}}, "missing quantity 'problem_size'"),
        ({"set": {"repetitions": 0.5}}, "repetitions"),
        ({"set": {"threads_per_process": 3}}, "3 threads of a rank do not divide 16 cores"),
        ({"set": {"threads_per_process": 2}}, "a rank has 2 threads, and the program was recorded with 1"),
        ({"set": {"problem_size_2": 3}}, "cg has one parameter, n"),
    ],
)
def test_bad_input(load, changes, problem):
    with pytest.raises(InputError, match=problem):
        load(**changes).evaluate(dram_units=2)


def test_part_of_a_size_is_refused(load):
    study = load(space=space(), set={**NO_SHAPE, "problem_size": 100.5})
    with pytest.raises(InputError, match=r"problem_size: 100.5 \(n\); allowed: a whole number"):
        study.run(trust=False)


def test_threads_that_share_evenly_are_a_wager(load):
    study = load(set={"threads_per_process": 2}, use={"thread_split": "even"})
    found = study.evaluate(dram_units=2)
    assert found["threads_split"] == 1
    assert found["processes_per_node"] == 8
    assert found["thread_instructions"] == found["instructions"] / 2


def test_the_study_may_give_threads_where_no_slot_selects_a_provider(load):
    alone = {"intra_node_latency": None}
    use = {"node_processes": "one", "node_ranks": "given"}
    study = load(use=use, quantities={"threads": "cores"}, set=alone)
    with pytest.raises(InputError, match="does not give 'threads'"):
        load(use={"node_processes": "one"}).evaluate(dram_units=2)
    assert study.evaluate(dram_units=2)["threads"] == 16


def test_one_node_needs_no_network(load):
    one = {"nodes_per_switch": 1, "dimension_1": None, "dimension_2": None, "dimension_3": None}
    study = load(
        set={**one, "mesh_switches": 2, "problem_size": 96, "cores": 2},
        use={"topology": "full-mesh", "pattern": "profile"},
    )
    assert isinstance(study, Study)
    assert study.evaluate(dram_units=2)["run_processes"] == 4


def two_programs(load, folder, second, **changes):
    """Return one node of 16 cores with 8 ranks of cg, and beside them 8 of another program."""
    shutil.copy(SPACES / "codesign" / "stencil.laws.json", folder)
    apart = ("temperature", "port_power", "intra_node_latency", "node_link_bandwidth", "switch_link_bandwidth")
    beside = {} if second is None else {"programs": "two"}
    study = load(
        objectives=[{"minimize": "compute_time"}],
        also=["l3_share", "cycles_per_instruction"]
        + ([] if second is None else ["l3_share_2", "cycles_per_instruction_2", "run_time_2"]),
        tables={"profile_2": None if second is None else {"file": second}},
        use={"switch_power": None, "node_ranks": "given", **beside},
        set={
            **dict.fromkeys(apart),
            "processes_per_node": 8,
            "threads_2": None if second is None else 8,
            **changes,
        },
    )
    return study.evaluate(dram_units=2)


def test_two_programs_by_their_laws_share_a_node(load, folder):
    alike = two_programs(load, folder, "cg.laws.json")
    assert alike["l3_share"] == alike["l3_share_2"] == 2**21
    assert alike["cycles_per_instruction"] == pytest.approx(alike["cycles_per_instruction_2"], rel=1e-12)
    # Two that are alike have what one has with half of level 3; the memory binds neither without streams.
    half = two_programs(load, folder, None, l3_size="16 MiB")
    assert alike["compute_time"] == pytest.approx(half["compute_time"], rel=1e-9)
    unlike = two_programs(load, folder, "stencil.laws.json")
    assert 8 * (unlike["l3_share"] + unlike["l3_share_2"]) == pytest.approx(32 * 2**20, rel=1e-12)
    assert unlike["l3_share"] > unlike["l3_share_2"]
    assert unlike["run_time_2"] < unlike["compute_time"] < alike["compute_time"]


def test_a_rank_sends_what_all_its_recorded_threads_send(folder, foretold, load):
    """Half as many ranks of two threads: a thread computes as a rank did, and a rank sends twice as much."""
    threaded = replace(foretold, run=replace(foretold.run, processes=8192, threads=2))
    for name, profile in (("ranks", foretold), ("threads", threaded)):
        write_profile(profile, folder / f"{name}.json")
    ranks = load(tables={"profile": {"file": "ranks.json"}}).evaluate(dram_units=2)
    study = load(tables={"profile": {"file": "threads.json"}}, set={"threads_per_process": 2})
    threads = study.evaluate(dram_units=2)
    assert (threads["run_processes"], threads["threads"], threads["threads_split"]) == (8192, 16, 0)
    assert threads["compute_time"] == ranks["compute_time"]
    assert threads["messages"] == 2 * ranks["messages"]
    assert threads["message_size"] == ranks["message_size"]
    assert threads["allreduce_calls"] == 2 * ranks["allreduce_calls"]
    assert threads["rank_memory"] == 2 * ranks["rank_memory"]
    with pytest.raises(InputError, match="a rank has 1 threads, and the program was recorded with 2"):
        load(tables={"profile": {"file": "threads.json"}}).evaluate(dram_units=2)


def test_all_that_nothing_depends_on_is_told_at_once(load):
    told_once = r"nothing depends on 'temperature', nor on 'intra_node_latency', 'port_power', 'node_link_bandwidth'"
    with pytest.raises(InputError, match=told_once):
        load(objectives=[{"minimize": "compute_time"}], use={"switch_power": None}).compiled  # noqa: B018
