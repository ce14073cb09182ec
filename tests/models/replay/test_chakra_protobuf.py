"""Execution traces of Chakra in protobuf: the same trace as the JSON of the same messages, and what is wrong."""

import gzip
import json

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.replay import Network, read_trace, replay
from dse.models.replay.trace.kinds import OPERATIONS

from .runs import US

pytest.importorskip("google.protobuf", reason="the package protobuf is not installed (extra formats)")

from google.protobuf import json_format

from .chakra_messages import as_file, length, node, schema

NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")
COLUMNS = ("kind", "seconds", "peer", "bytes", "tag", "operation")


def step(rank, group=""):
    """Forward, an allreduce of a megabyte, a message to the next of a pair, and the computing after it."""
    kinds = {"pg_name": group} if group else {}
    pair = rank ^ 1
    return [
        node(7, "COMP", needs=[3], micros=30, is_cpu_op=False),
        node(3, "COMM_COLL", needs=[1], micros=999, comm_type=0, comm_size=1_000_000, **kinds),
        node(1, "COMP", micros=10 + rank, is_cpu_op=False),
        node(300, "COMM_SEND", after=[7], comm_dst=pair, comm_size=2**40, comm_tag=5),
        node(301, "COMM_RECV", after=[7], comm_src=pair, comm_size=2**40, comm_tag=5),
        node(400, "METADATA"),
    ]


def write(folder, ranks, *, name="step.{}.et"):
    for rank, nodes in enumerate(ranks):
        (folder / name.format(rank)).write_bytes(as_file(nodes))
    return folder / name.format(0)


def test_a_step_of_training_takes_what_a_hand_calculation_gives(tmp_path):
    """The last rank comes at 13 us, allreduce of P = 4 takes 2 (o + o_r + L + s/B) = 2 (3 + 100) us, then 30 us."""
    trace = read_trace(write(tmp_path, [step(rank)[:3] for rank in range(4)]))
    assert OPERATIONS[trace.collectives.operation[0]] == "allreduce"
    assert trace.collectives.bytes.tolist() == [1e6]
    assert float(replay(trace, NETWORK).time) == pytest.approx((13 + 2 * 103 + 30) * US, rel=1e-12)


@pytest.mark.parametrize("groups", [None, {"1": [0, 2], "2": [1, 3]}])
def test_it_is_the_trace_that_the_json_of_the_same_messages_is(tmp_path, groups):
    ranks = [step(rank, str(1 + rank % 2) if groups else "") for rank in range(4)]
    folders = [tmp_path / kind for kind in ("et", "json")]
    for folder in folders:
        folder.mkdir()
        if groups:
            (folder / "comm_group.json").write_text(json.dumps(groups), encoding="utf-8")
    write(folders[0], ranks)
    for rank, nodes in enumerate(ranks):
        text = "\n".join(json_format.MessageToJson(message) for message in nodes)
        (folders[1] / f"step.{rank}.json").write_text(text, encoding="utf-8")
    first, second = read_trace(folders[0] / "step.0.et"), read_trace(folders[1] / "step.0.json")
    for column in COLUMNS:
        assert np.array_equal(getattr(first, column), getattr(second, column), equal_nan=True), column
    assert first.warnings == second.warnings
    assert replay(first, NETWORK).time == replay(second, NETWORK).time


def test_a_compressed_file_and_one_of_another_name_are_known(tmp_path):
    path = write(tmp_path, [step(0)[:3]])
    whole = read_trace(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert read_trace(path).seconds.tolist() == whole.seconds.tolist()
    (tmp_path / "trace.bin").write_bytes(as_file(step(0)[:3]))
    assert read_trace(tmp_path / "trace.bin").events == whole.events


def test_attributes_of_every_type_are_taken(tmp_path):
    """comm_size as each number of the schema: the reader takes whichever is set."""
    for kind in ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "double", "float"):
        message = node(1, "COMM_COLL", comm_type=0)
        message.attr.add(name="comm_size", **{f"{kind}_val": 4000})
        trace = read_trace(write(tmp_path, [[message]] * 2))
        assert trace.collectives.bytes.tolist() == [4000.0], kind


def test_a_node_without_a_duration_has_none(tmp_path):
    path = write(tmp_path, [[node(1, "COMP", num_ops=3_000_000)]])
    assert read_trace(path, flop_rate=1e9).seconds.tolist() == pytest.approx([3e-3])
    with pytest.raises(InputError, match="has no duration; allowed: durationMicros, or num_ops"):
        read_trace(path)


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_cut_file_is_refused(tmp_path, cut):
    path = write(tmp_path, [step(rank) for rank in range(2)])
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(InputError, match="the file was cut"):
        read_trace(path)


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (length(2**31), r"a message of 2,147,483,648 bytes; allowed: at most 67,108,864"),
        (length(2**40), "a length of more than five bytes"),
        (b"\xff" * 10, "a length of more than five bytes"),
        (length(2**20), "a message of 1,048,576 bytes has 0: the file was cut"),
        (b"\x80", "ends in the length of a message"),
        (length(3) + b"\xff\xff\xff", "node 3: is no node"),
        (length(6) + b"\x52\xff\xff\xff\xff\x07", "node 3: is no node"),
    ],
)
def test_hostile_lengths_are_refused(tmp_path, added, message):
    """Lengths before messages, and inside of one: nothing is held that the file has not."""
    path = write(tmp_path, [step(0)[:3]])
    path.write_bytes(path.read_bytes() + added)
    with pytest.raises(InputError, match=message):
        read_trace(path)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([node(1, "STORAGE")], "node 1: type 8"),
        ([node(1, "COMP", micros=1, needs=[9])], "waits for node 9, which is not there"),
        ([node(1, "COMP", micros=1)] * 2, "node 1 stands twice"),
        ([node(1, "COMM_COLL", comm_type=0, comm_size=float("nan"))], "comm_size is nan"),
        ([], "no nodes"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, nodes, message):
    with pytest.raises(InputError, match=message):
        read_trace(write(tmp_path, [nodes]))


def test_the_schema_of_the_test_is_the_published_one():
    """Numbers of fields that both sides depend on, as et_def.proto of MLCommons Chakra has them."""
    fields = {field.name: field.number for field in schema()["Node"].DESCRIPTOR.fields}
    assert fields["duration_micros"] == 7
    assert fields["attr"] == 10
    attributes = schema()["Node"].DESCRIPTOR.fields_by_name["attr"].message_type.fields_by_name
    numbers = [attributes[name].number for name in ("int64_val", "bool_val", "string_val", "bytes_list")]
    assert numbers == [9, 27, 29, 32]
