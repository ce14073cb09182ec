"""Execution traces of Chakra: a step of training of four ranks by hand, groups, and what is wrong."""

import json

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.replay import Network, read_trace, replay
from dse.models.replay.trace.kinds import KINDS, OPERATIONS

from .runs import US

NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")


def node(number, kind, *, needs=(), micros=None, **attributes):
    values = {bool: "boolVal", int: "int64Val", float: "doubleVal", str: "stringVal"}
    document = {
        "id": str(number),
        "name": f"node {number}",
        "type": f"{kind}_NODE",
        "dataDeps": [str(other) for other in needs],
        "attr": [{"name": name, values[type(value)]: value} for name, value in attributes.items()],
    }
    return document if micros is None else document | {"durationMicros": str(micros)}


def step(rank, *, group=""):
    """Forward, an allreduce of a megabyte, and the computing after it; numbers are not in the order of the needs."""
    kinds = {"pg_name": group} if group else {}
    return [
        node(7, "COMP", needs=[3], micros=30),
        node(3, "COMM_COLL", needs=[1], micros=999, comm_type=0, comm_size=1_000_000, **kinds),
        node(1, "COMP", micros=10 + rank),
    ]


def written(folder, ranks, *, style="objects", groups=None):
    for rank, nodes in enumerate(ranks):
        if style == "objects":
            text = '{\n"version": "0.0.4"\n}\n' + "\n".join(json.dumps(entry, indent=1) for entry in nodes)
        elif style == "list":
            text = json.dumps(nodes)
        else:
            text = json.dumps({"schema": "chakra", "nodes": nodes})
        (folder / f"step.{rank}.json").write_text(text, encoding="utf-8")
    if groups is not None:
        (folder / "comm_group.json").write_text(json.dumps(groups), encoding="utf-8")
    return folder / "step.0.json"


@pytest.mark.parametrize("style", ["objects", "list", "nodes"])
def test_a_step_of_training_takes_what_a_hand_calculation_gives(tmp_path, style):
    """The last rank comes at 13 us, allreduce of P = 4 takes 2 (o + o_r + L + s/B) = 2 (3 + 100) us, then 30 us."""
    trace = read_trace(written(tmp_path, [step(rank) for rank in range(4)], style=style))
    assert [KINDS[kind] for kind in trace.kind[:3]] == ["compute", "collective", "compute"]
    assert OPERATIONS[trace.collectives.operation[0]] == "allreduce"
    assert trace.collectives.bytes.tolist() == [1e6]
    assert float(replay(trace, NETWORK).time) == pytest.approx((13 + 2 * 103 + 30) * US, rel=1e-12)
    assert any("do not overlap" in text for text in trace.warnings)


def test_groups_go_round_rings_of_their_own(tmp_path):
    """Two groups of two: a ring of 2 (n - 1) = 2 rounds of half a megabyte in each, beside one another."""
    groups = {"1": [0, 2], "2": [1, 3]}
    trace = read_trace(written(tmp_path, [step(rank, group=str(1 + rank % 2)) for rank in range(4)], groups=groups))
    assert not len(trace.collectives.operation)
    sent = {(int(trace.rank[event]), int(trace.peer[event])) for event in trace.sends}
    assert sent == {(0, 2), (2, 0), (1, 3), (3, 1)}
    assert trace.bytes[trace.sends].tolist() == [5e5] * 8
    assert float(replay(trace, NETWORK).time) < (13 + 2 * 103 + 30) * US


@pytest.mark.parametrize(
    ("kind", "operation", "held"),
    [
        (0, "allreduce", 4000.0),
        (2, "allgather", 4000.0),
        ("ALL_TO_ALL", "alltoall", 1000.0),
        (7, "reduce_scatter", 1000.0),
    ],
)
def test_sizes_are_the_input_of_the_operation(tmp_path, kind, operation, held):
    nodes = [node(0, "COMM_COLL", comm_type=kind, comm_size=4000)]
    trace = read_trace(written(tmp_path, [nodes] * 4))
    assert OPERATIONS[trace.collectives.operation[0]] == operation
    assert trace.collectives.bytes.tolist() == [held]


def test_stages_of_a_pipeline_send_before_they_wait(tmp_path):
    first = [
        node(0, "COMP", micros=5),
        node(1, "COMM_RECV", comm_src=1, comm_size=100, comm_tag=2),
        node(9, "COMM_SEND", needs=[0], comm_dst=1, comm_size=100, comm_tag=1),
    ]
    second = [
        node(0, "COMM_RECV", comm_src=0, comm_size=100, comm_tag=1),
        node(1, "COMM_SEND", needs=[0], comm_dst=0, comm_size=100, comm_tag=2),
    ]
    trace = read_trace(written(tmp_path, [first, second]))
    events = [[KINDS[trace.kind[event]] for event in range(*trace.first[rank : rank + 2])] for rank in (0, 1)]
    assert events == [["compute", "isend", "recv", "waitall"], ["recv", "isend", "waitall"]]
    assert np.isfinite(replay(trace, NETWORK).time)


def test_of_host_and_device_the_device_counts(tmp_path):
    nodes = [node(0, "COMP", micros=70, is_cpu_op=True), node(1, "COMP", needs=[0], micros=20, is_cpu_op=False)]
    trace = read_trace(written(tmp_path, [nodes]))
    assert trace.seconds.tolist() == pytest.approx([20 * US])
    assert any("host were left out" in text for text in trace.warnings)


def test_operations_take_a_rate(tmp_path):
    path = written(tmp_path, [[node(0, "COMP", num_ops=3_000_000)]])
    assert read_trace(path, flop_rate=1e9).seconds.tolist() == pytest.approx([3e-3])
    with pytest.raises(InputError, match=r"node 0: node 0 has no duration; allowed: durationMicros, or num_ops and"):
        read_trace(path)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([node(0, "COMP", micros=1, needs=[5])], "node 0: waits for node 5, which is not there"),
        ([node(0, "COMP", micros=1, needs=[1]), node(1, "COMP", micros=1, needs=[0])], "node 0: waits in a circle"),
        ([node(0, "COMP", micros=1), node(0, "COMP", micros=1)], "node 0 stands twice"),
        ([node(0, "COMP", micros=1) | {"type": "MAGIC_NODE"}, node(1, "COMP")], "type 'MAGIC_NODE'"),
        ([node(0, "COMM_COLL", comm_type=77, comm_size=8)], "comm_type 77"),
        ([node(0, "COMM_COLL", comm_type=0)], "no comm_size"),
        ([node(0, "COMM_COLL", comm_type=0, comm_size=8, pg_name="9")], "the group '9' is not given"),
        ([node(0, "COMP", micros=-5)], "lasts -5e-06 s"),
        ([node(0, "COMM_SEND", comm_dst=9, comm_size=8)], "peer is 9"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, nodes, message):
    with pytest.raises(InputError, match=message):
        read_trace(written(tmp_path, [nodes] * 2))


def test_a_rank_without_a_file_and_a_cut_one_are_named(tmp_path):
    path = written(tmp_path, [step(rank) for rank in range(4)], style="nodes")
    (tmp_path / "step.2.json").unlink()
    with pytest.raises(InputError, match=r"rank 2 has no file; allowed: step\.2\.json"):
        read_trace(path)
    for style in ("nodes", "objects"):
        path = written(tmp_path, [step(rank) for rank in range(4)], style=style)
        text = path.read_text(encoding="utf-8")
        path.write_text(text[:-30], encoding="utf-8")
        with pytest.raises(InputError, match="cut"):
            read_trace(path)
