"""Traces of Paraver: a hand-written one as Extrae writes, round trips, recorded ones, and broken ones."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Network, rank_breakdown, read_trace, replay, write_trace
from dse.models.replay.trace.kinds import COMPUTE, KINDS, OPERATIONS

from .runs import US, as_trace, random_run, send
from .test_formats import written
from .test_replay import GOLDEN

RECORDED = Path(__file__).parent / "recorded"
NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")

# Two tasks: an exchange by Isend, Irecv and Waitall, an Allreduce of 8 bytes on both, a Send to a Recv.
HAND_WRITTEN = """\
#Paraver (27/11/2026 at 10:00):100000_ns:1(2):1:2(1:1,1:1),2
c:1:1:2:1:2
c:1:2:1:1
1:1:1:1:1:0:10000:1
1:2:1:2:1:0:20000:1
2:1:1:1:1:10000:50000001:4
2:1:1:1:1:11000:50000001:0
2:1:1:1:1:11000:50000001:3
2:1:1:1:1:12000:50000001:0:42000050:7
2:1:1:1:1:12000:50000001:6
3:1:1:1:1:11000:12000:2:1:2:1:20000:23000:1000:7
2:2:1:2:1:20000:50000001:4
2:2:1:2:1:21000:50000001:0
2:2:1:2:1:20000:60000019:1
2:2:1:2:1:21000:50000001:3
2:2:1:2:1:22000:50000001:0
2:2:1:2:1:22000:50000001:6
3:2:1:2:1:21000:22000:1:1:1:1:10000:24000:3000:5
2:2:1:2:1:23000:50000001:0
2:1:1:1:1:24000:50000001:0
2:1:1:1:1:30000:50000002:10:50100001:8:50100002:8:50100003:0:50100004:1
2:2:1:2:1:31000:50000002:10:50100001:8:50100002:8:50100004:1
2:1:1:1:1:33000:50000002:0
2:2:1:2:1:33000:50000002:0
2:1:1:1:1:40000:50000001:1
2:1:1:1:1:41000:50000001:0
3:1:1:1:1:40000:41000:2:1:2:1:50000:51000:64:0
2:2:1:2:1:50000:50000001:2
2:2:1:2:1:51000:50000001:0
2:2:1:2:2:51000:50000001:2
"""


def breakdowns_agree(one, other):
    first, second = rank_breakdown(one, NETWORK), rank_breakdown(other, NETWORK)
    for part in ("compute", "calls", "dependency", "network"):
        np.testing.assert_allclose(getattr(first, part), getattr(second, part), rtol=0, atol=1e-12, err_msg=part)


def test_a_trace_by_hand(tmp_path):
    trace = read_trace(written(tmp_path, HAND_WRITTEN, "run.prv"))
    events = [[KINDS[trace.kind[event]] for event in range(*trace.first[rank : rank + 2])] for rank in (0, 1)]
    own = ["compute", "irecv", "isend", "wait", "wait", "compute", "collective", "compute"]
    assert events == [[*own, "send"], [*own, "recv"]]
    assert trace.bytes[trace.sends].tolist() == [1000.0, 64.0, 3000.0]
    assert trace.tag[trace.sends].tolist() == [7, 0, 5]
    assert OPERATIONS[trace.collectives.operation[0]] == "allreduce"
    assert trace.collectives.bytes.tolist() == [8.0]
    computed = np.bincount(trace.rank, trace.seconds)
    np.testing.assert_allclose(computed, [(10 + 6 + 7) * US, (20 + 8 + 17) * US], rtol=1e-12)
    assert any("types that say nothing here" in text for text in trace.warnings)
    assert any("threads beside the first" in text for text in trace.warnings)
    packed = tmp_path / "packed.prv.gz"
    packed.write_bytes(gzip.compress(HAND_WRITTEN.encode()))
    breakdowns_agree(read_trace(packed), trace)


def test_names_come_from_the_labels_beside_it(tmp_path):
    path = written(tmp_path, HAND_WRITTEN.replace(":50000002:10:", ":50000002:99:"), "run.prv")
    assert any("call 99" in text for text in read_trace(path).warnings)
    labels = "EVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n99 MPI_Allgather\n0 Outside MPI\n\n"
    labels += "EVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n1 solve\n"
    path.with_suffix(".pcf").write_text(labels, encoding="utf-8")
    trace = read_trace(path)
    assert OPERATIONS[trace.collectives.operation[0]] == "allgather"
    assert trace.regions == ("solve",)


def test_a_collective_of_some_tasks_is_replayed_as_messages(tmp_path):
    lines = ["#Paraver (27/11/2026 at 10:00):9000:1(3):1:3(1:1,1:1,1:1),1", "c:1:5:2:1:3"]
    for task in (1, 3):
        lines += [f"2:{task}:1:{task}:1:10:50000002:7:50100001:16:50100002:16:50100003:3:50100004:5"]
        lines += [f"2:{task}:1:{task}:1:12:50000002:0"]
    lines += ["1:2:1:2:1:0:20:1"]
    trace = read_trace(written(tmp_path, "\n".join(lines) + "\n", "run.prv"))
    assert [(trace.rank[event], trace.peer[event], trace.bytes[event]) for event in trace.sends] == [(2, 0, 16.0)]
    assert trace.seconds.sum() == pytest.approx(20e-6)  # microseconds without "_ns"


def test_messages_without_calls_of_mpi_are_calls_themselves(tmp_path):
    text = "#Paraver (27/11/2026 at 10:00):900_ns:1(2):1:2(1:1,1:1)\n1:1:1:1:1:0:100:1\n1:2:1:2:1:0:50:1\n"
    text += "3:1:1:1:1:100:110:2:1:2:1:50:120:8:0\n"
    trace = read_trace(written(tmp_path, text, "run.prv"))
    assert [KINDS[kind] for kind in trace.kind] == ["compute", "send", "compute", "recv"]


@pytest.mark.parametrize("name", GOLDEN)
def test_each_hand_calculation_comes_back(tmp_path, name):
    run, times, _ = GOLDEN[name]
    trace = as_trace(run)
    back = read_trace(write_trace(trace, tmp_path / "run.prv"))
    breakdowns_agree(back, trace)
    assert replay(back, NETWORK).time == pytest.approx(times[0] * US, abs=1e-12)
    assert not back.warnings


@pytest.mark.parametrize("seed", range(examples(30)))
def test_any_run_comes_back_with_the_times_of_its_replay(tmp_path, seed):
    trace = as_trace(random_run(seed))
    back = read_trace(write_trace(trace, tmp_path / "run.prv", network=NETWORK))
    breakdowns_agree(back, trace)
    assert float(back.exit.max()) == pytest.approx(float(replay(trace, NETWORK).time), abs=trace.events * 1e-9)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".prv"])
@pytest.mark.parametrize("name", ["cg-8", "search-16"])
def test_recorded_archives_give_the_same_breakdown_in_every_format(tmp_path, name, ending):
    pytest.importorskip("otf2", reason="the package otf2 is not installed (extra formats)")
    trace = read_trace(RECORDED / f"{name}.otf2")
    back = read_trace(write_trace(trace, tmp_path / f"run{ending}"))
    breakdowns_agree(back, trace)
    assert set(back.regions) == {trace.regions[code] for code in trace.region[trace.kind == COMPUTE] if code >= 0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#Paraver (27/11/2026 at 10:00):100000_ns", "#Paraver 100000_ns", "line 1"),
        (":1:2(1:1,1:1),2", ":2:2(1:1,1:1),2", "applications"),
        (":1:2(1:1,1:1),2", ":1:4294967295(1:1),2", "line 1"),
        ("1:1:1:1:1:0:10000:1", "1:1:1:1:1:0:10000", "line 4.*is no record"),
        ("1:1:1:1:1:0:10000:1", "1:1:1:x:1:0:10000:1", "line 4.*is no record"),
        ("1:1:1:1:1:0:10000:1", "7:1:1:1:1:0:10000:1", "line 4.*is no record"),
        ("1:1:1:1:1:0:10000:1", "1:1:1:1:1::10000:1", "line 4.*is no record"),
        ("1:1:1:1:1:0:10000:1", "1:1:1:9:1:0:10000:1", "line 4: task 9"),
        ("c:1:1:2:1:2", "c:1:1:2:1:7", "line 2: communicator"),
        ("2:1:1:1:1:41000:50000001:0\n", "", "task 1: the call that begins at 40000 never ends"),
        ("2:1:1:1:1:11000:50000001:0\n", "", "task 1: a call begins inside another at 11000"),
        ("2:2:1:2:1:31000:50000002:10", "2:2:1:2:1:31000:50000002:8", "rank 1 event 6: collective 0 is barrier"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, old, new, message):
    assert old in HAND_WRITTEN
    with pytest.raises(InputError, match=message):
        read_trace(written(tmp_path, HAND_WRITTEN.replace(old, new, 1), "run.prv"))


def test_a_cut_file_and_one_of_a_header_alone(tmp_path):
    with pytest.raises(InputError, match="is no record"):
        read_trace(written(tmp_path, HAND_WRITTEN[:-20], "run.prv"))
    with pytest.raises(InputError, match="no records"):
        read_trace(written(tmp_path, HAND_WRITTEN.split("\n")[0] + "\n", "run.prv"))
    packed = tmp_path / "packed.prv.gz"
    packed.write_bytes(gzip.compress(HAND_WRITTEN.encode())[:-30])
    with pytest.raises(InputError, match="cut"):
        read_trace(packed)


def test_a_task_that_says_nothing_is_named(tmp_path):
    with pytest.raises(InputError, match="rank 2 has no events"):
        read_trace(written(tmp_path, HAND_WRITTEN.replace("1:2(1:1,1:1)", "1:3(1:1,1:1,1:1)"), "run.prv"))


def test_half_bytes_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"2\.5 bytes"):
        write_trace(as_trace([[send(1, 2.5)], [("recv", 0, 0)]]), tmp_path / "a.prv")
