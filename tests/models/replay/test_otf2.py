"""OTF2 archives: written by the library's classes, recorded by EZTrace, cut, and with clocks that disagree."""

import csv
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Network, rank_breakdown, read_trace, replay, write_trace
from dse.models.replay.analysis.profile_of_trace import communication_of
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.formats.otf2_archive.definitions import Definitions
from dse.models.replay.formats.otf2_archive.rank_events import RankEvents
from dse.models.replay.trace.kinds import COMPUTE, IRECV, KINDS, OPERATIONS, RECV

from .runs import US, as_trace, c, random_run, recv, send
from .test_replay import GOLDEN

otf2 = pytest.importorskip("otf2", reason="the package otf2 is not installed (extra formats)")
from .otf2_archives import TICKS, Archive, write_run  # noqa: E402 - needs otf2

RECORDED = Path(__file__).parent / "recorded"
NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")


def breakdowns_agree(one, other, *, within=1e-12):
    first, second = rank_breakdown(one, NETWORK), rank_breakdown(other, NETWORK)
    for part in ("compute", "calls", "dependency", "network"):
        np.testing.assert_allclose(getattr(first, part), getattr(second, part), rtol=0, atol=within, err_msg=part)


@pytest.mark.parametrize("name", GOLDEN)
def test_an_archive_of_each_hand_calculation_gives_its_breakdown(tmp_path, name):
    run, times, finish = GOLDEN[name]
    trace = read_trace(write_run(tmp_path / "a", run))
    replayed = replay(trace, NETWORK)
    np.testing.assert_allclose(replayed.finish, np.array(finish) * US, rtol=0, atol=1e-12)
    assert replayed.time == pytest.approx(times[0] * US, abs=1e-12)
    breakdowns_agree(trace, as_trace(run))


@pytest.mark.parametrize("seed", range(examples(12)))
def test_any_run_gives_the_same_breakdown_through_the_library_and_back_through_ours(tmp_path, seed):
    run = random_run(seed)
    trace = as_trace(run)
    read = read_trace(write_run(tmp_path / "a", run))
    breakdowns_agree(read, trace, within=1e-11)
    back = read_trace(write_trace(trace, tmp_path / "back.otf2", network=NETWORK))
    breakdowns_agree(back, trace, within=1e-11)
    assert float(back.exit.max() - back.enter.min()) == pytest.approx(float(replay(trace, NETWORK).time), abs=1e-11)
    assert not back.warnings


@pytest.mark.parametrize("name", ["heat-8", "cg-8", "search-16"])
def test_a_recorded_archive_counts_what_our_own_recorder_counts(name):
    """EZTrace and `dse profile record` on the same program: messages, bytes and collectives of every rank."""
    trace = read_trace(RECORDED / f"{name}.otf2")
    with (RECORDED / "counts.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["trace"] == name]
    assert trace.ranks == len(rows) > 0
    for rank, row in enumerate(rows):
        told = communication_of(trace, rank, "none")
        p2p = told.p2p
        assert (p2p.messages, p2p.bytes) == (int(row["received_messages"]), int(row["received_bytes"]))
        assert (p2p.sent_messages, p2p.sent_bytes) == (int(row["sent_messages"]), int(row["sent_bytes"]))
        for operation in ("allreduce", "alltoall"):
            calls = told.collectives.get(operation)
            counted = (calls.count, calls.bytes) if calls else (0, 0)
            assert counted == (int(row[f"{operation}_calls"]), int(row[f"{operation}_bytes"])), (rank, operation)


def test_the_clocks_of_a_recorded_archive_are_moved_only_where_a_message_needs_it():
    trace = read_trace(RECORDED / "cg-8.otf2")
    (text,) = [text for text in trace.warnings if "clocks" in text]
    assert "142 of 288 messages end before they begin" in text
    received = trace.partner[trace.sends]
    assert (trace.exit[received] >= trace.enter[trace.sends] - 1e-12).all()
    computes = trace.kind == COMPUTE
    np.testing.assert_allclose((trace.exit - trace.enter)[computes], trace.seconds[computes], rtol=0, atol=1e-12)
    members = trace.collectives.members
    assert (trace.exit[members] >= trace.enter[members].max(axis=1)[:, None] - 1e-12).all()


def test_an_offset_clock_is_moved_by_what_one_message_lacks(tmp_path):
    """Rank 1 has a clock 5 us early: its receive ends at 1 - 5 us, and the send began at 2 us: moved by 6 us."""
    archive = Archive(tmp_path / "a", 2, offsets=[10 * US, 5 * US])
    archive.compute(0, 2 * US)
    archive.call(0, "MPI_Send", ("mpi_send", 1, archive.world, 0, 8))
    archive.call(1, "MPI_Recv", ("mpi_recv", 0, archive.world, 0, 8), lasts=1 * US)
    archive.compute(1, 3 * US)
    archive.close()
    trace = read_trace(tmp_path / "a" / "run.otf2")
    assert "1 of 1 messages end before they begin, by up to 6 µs" in trace.warnings[0]
    start = trace.enter[0]
    np.testing.assert_allclose((trace.exit - start)[trace.kind == RECV], 2 * US, atol=1e-15)
    np.testing.assert_allclose(trace.exit[-1] - start, 5 * US, atol=1e-15)


def test_a_communicator_keeps_its_messages_apart_and_its_numbers(tmp_path):
    """Ranks 3 and 1 are 0 and 1 of a part; a message of tag 0 there does not meet that of the world."""
    archive = Archive(tmp_path / "a", 4, group=[3, 1])
    archive.call(3, "MPI_Send", ("mpi_send", 1, archive.world, 0, 100))
    archive.call(3, "MPI_Send", ("mpi_send", 1, archive.part, 0, 7))
    archive.call(1, "MPI_Recv", ("mpi_recv", 0, archive.part, 0, 7))
    archive.call(1, "MPI_Recv", ("mpi_recv", 3, archive.world, 0, 100))
    for rank in (0, 2):
        archive.compute(rank, US)
    archive.close()
    trace = read_trace(tmp_path / "a" / "run.otf2")
    assert trace.bytes[trace.sends].tolist() == [100.0, 7.0]
    assert trace.bytes[trace.partner[trace.sends]].tolist() == [100.0, 7.0]
    assert trace.peer[trace.sends].tolist() == [1, 1]
    breakdowns_agree(read_trace(write_trace(trace, tmp_path / "back.otf2")), trace)


@pytest.mark.parametrize(
    ("operation", "messages", "size"),
    [
        ("ALLREDUCE", 6, 8.0),
        ("ALLGATHER", 6, 8.0),
        ("BCAST", 2, 8.0),
        ("BARRIER", 6, 0.0),
        ("GATHER", 2, 8.0),
        ("SCAN", 2, 8.0),
    ],
)
def test_a_collective_of_three_of_four_ranks_is_replayed_as_messages(tmp_path, operation, messages, size):
    archive = Archive(tmp_path / "a", 4, group=[0, 2, 3])
    for rank in (0, 2, 3):
        kind = getattr(otf2.CollectiveOp, operation)
        archive.call(rank, f"MPI_{operation.capitalize()}", ("mpi_collective_end", kind, archive.part, 0, 8, 8))
    archive.compute(1, US)
    archive.close()
    trace = read_trace(tmp_path / "a" / "run.otf2")
    assert trace.bytes[trace.sends].tolist() == [size] * messages
    assert not len(trace.collectives.operation)
    assert any("groups of ranks" in text for text in trace.warnings)
    assert float(replay(trace, NETWORK).time) > 2 * US


@pytest.mark.parametrize(
    ("operation", "sent", "received", "held"),
    [
        ("ALLREDUCE", [32] * 4, [32] * 4, 8.0),
        ("ALLREDUCE", [24] * 4, [24] * 4, 8.0),  # in place
        ("ALLTOALL", [4000] * 4, [4000] * 4, 1000.0),
        ("BCAST", [400, 0, 0, 0], [100] * 4, 100.0),
        ("REDUCE", [100] * 4, [400, 0, 0, 0], 100.0),
        ("GATHER", [10] * 4, [40, 0, 0, 0], 10.0),
        ("SCAN", [32, 24, 16, 8], [8, 16, 24, 32], 8.0),
        ("BARRIER", [0] * 4, [0] * 4, 0.0),
    ],
)
def test_bytes_as_score_p_counts_them(tmp_path, operation, sent, received, held):
    archive = Archive(tmp_path / "a", 4, creator="Score-P 8.4")
    for rank in range(4):
        values = (getattr(otf2.CollectiveOp, operation), archive.world, 0, sent[rank], received[rank])
        archive.call(rank, f"MPI_{operation.capitalize()}", ("mpi_collective_end", *values))
    archive.close()
    collectives = read_trace(tmp_path / "a" / "run.otf2").collectives
    assert OPERATIONS[collectives.operation[0]] == operation.lower()
    assert collectives.bytes.tolist() == [held]


def test_regions_counters_and_threads(tmp_path):
    archive = Archive(tmp_path / "a", 1)
    made = archive.trace.definitions
    modes = otf2.enums.MetricMode
    counter = made.metric_class([made.metric_member("PAPI_TOT_INS", "#", metric_mode=modes.ACCUMULATED_START)])
    step = made.metric_class([made.metric_member("seen", "#", metric_mode=modes.RELATIVE_POINT)])
    archive.outs[0].metric(0, counter, [10])
    archive.compute(0, 2 * US, "solve")
    archive.compute(0, 1 * US, "halo")
    archive.compute(0, 3 * US, "solve")
    archive.call(0, "MPI_Barrier", ("mpi_collective_end", otf2.CollectiveOp.BARRIER, archive.world, 0, 0, 0))
    archive.outs[0].metric(archive.now[0], counter, [500])
    for value in (3, 4):
        archive.outs[0].metric(archive.now[0], step, [value])
    group = archive.locations[0].group
    thread = archive.trace.event_writer_from_location(made.location("thread 1 of process 0", group=group))
    thread.enter(1, archive.region("work"))
    thread.leave(2, archive.region("work"))
    archive.close()
    trace = read_trace(tmp_path / "a" / "run.otf2")
    computes = np.flatnonzero(trace.kind == COMPUTE)
    seconds = {trace.regions[trace.region[event]]: trace.seconds[event] for event in computes}
    assert seconds == pytest.approx({"solve": 5 * US, "halo": 1 * US})
    assert {name: value.tolist() for name, value in trace.metrics.items()} == {"PAPI_TOT_INS": [500.0], "seen": [7.0]}
    assert any("no rank" in text for text in trace.warnings)


def test_one_sided_calls_are_measured(tmp_path):
    archive = Archive(tmp_path / "a", 2)
    window = archive.trace.definitions.rma_win("window", comm=archive.world)
    archive.call(0, "MPI_Get", ("rma_get", window, 1, 64, 0), lasts=US)
    archive.call(1, "MPI_Put", ("rma_put", window, 0, 32, 0), lasts=2 * US)
    archive.close()
    trace = read_trace(tmp_path / "a" / "run.otf2")
    assert [KINDS[kind] for kind in trace.kind] == ["get", "put"]
    assert (trace.peer.tolist(), trace.bytes.tolist()) == ([1, 0], [64.0, 32.0])
    back = read_trace(write_trace(trace, tmp_path / "back.otf2"))
    assert back.kind.tolist() == trace.kind.tolist()
    np.testing.assert_allclose(back.exit - back.enter, trace.exit - trace.enter, atol=1e-15)


def ring(path):
    return write_run(
        path, [[c(5), send(1), recv(3)], *([c(3), recv(rank - 1), send((rank + 1) % 4)] for rank in (1, 2, 3))]
    )


def events_of(anchor, number):
    return anchor.with_suffix("") / f"{number}.evt"


def test_a_rank_whose_events_are_missing_is_named(tmp_path):
    anchor = ring(tmp_path / "a")
    events_of(anchor, 2).unlink()
    with pytest.raises(InputError, match="rank 2"):
        read_trace(anchor)


def copied(folder, name="cg-8"):
    """A recorded archive, to be broken."""
    for part in (f"{name}.otf2", f"{name}.def", name):
        source = RECORDED / part
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / part)
    return folder / f"{name}.otf2"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_cut_archive_is_refused(tmp_path, share):
    """In the process that has just read the whole of it, whose memory the library would read on in."""
    anchor = copied(tmp_path)
    read_trace(anchor)
    victim = tmp_path / "cg-8" / "0.evt"
    data = victim.read_bytes()
    victim.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match=r"rank 0: the events of rank 0 \(location 0\) end in the middle.*it was cut"):
        read_trace(anchor)


@pytest.mark.parametrize("what", ["events", "definitions", "own definitions"])
def test_a_file_that_is_cut_at_any_byte_is_refused(tmp_path, what):
    """Each length of a small archive's file but its own, in one process; the mark at the end may lose its last byte."""
    anchor = ring(tmp_path / "a")
    path = {
        "events": events_of(anchor, 1),
        "definitions": anchor.with_suffix(".def"),
        "own definitions": events_of(anchor, 1).with_suffix(".def"),
    }[what]
    data = path.read_bytes()
    for length in range(len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(InputError, match=r"it was cut"):
            read_trace(anchor)
    path.write_bytes(data)
    read_trace(anchor)


def test_a_cut_anchor_is_refused(tmp_path):
    anchor = ring(tmp_path / "a")
    data = anchor.read_bytes()
    for length in range(len(data) - 2):  # two bytes stand behind the mark
        anchor.write_bytes(data[:length])
        with pytest.raises(InputError):
            read_trace(anchor)
    anchor.write_bytes(data)
    read_trace(anchor)


def test_a_clock_that_goes_back_is_named():
    """The library writes no such archive, so the records come from here."""
    definitions = Definitions(resolution=TICKS, locations=[0], regions={0: "work"})
    events = RankEvents(0, EventColumns(), definitions, False, Counter())
    events.enter(5 * TICKS, 0)
    with pytest.raises(InputError, match="rank 0, time stamp 3000000000000: its clock goes back by 2 s"):
        events.leave(3 * TICKS, 0)


def test_an_archive_that_declares_too_many_events_is_refused_before_it_is_read(tmp_path):
    archive = Archive(tmp_path / "a", 2)
    for rank in range(2):
        archive.compute(rank, US)
        archive.locations[rank]._number_of_events_written = 2**31
    archive.close()
    with pytest.raises(InputError, match="declares 4,294,967,296 events; allowed: at most 50,000,000"):
        read_trace(tmp_path / "a" / "run.otf2")


def test_fewer_events_than_declared_are_a_cut(tmp_path):
    archive = Archive(tmp_path / "a", 1)
    archive.compute(0, US)
    archive.locations[0]._number_of_events_written = 1000
    archive.close()
    with pytest.raises(InputError, match="declares 1,000 events and has 2: it was cut"):
        read_trace(tmp_path / "a" / "run.otf2")


def test_receives_without_a_source_are_refused_by_name():
    with pytest.raises(InputError, match=r"rank 0.*receives are posted.*EZTrace 2.0 does not"):
        read_trace(RECORDED / "without-receives-4.otf2")


def test_a_send_that_nobody_receives_is_named(tmp_path):
    anchor = write_run(tmp_path / "a", [[send(1)], [c(1)]])
    with pytest.raises(InputError, match="rank 0 event 0"):
        read_trace(anchor)


def test_a_partner_outside_its_communicator_is_named(tmp_path):
    archive = Archive(tmp_path / "a", 2)
    archive.call(0, "MPI_Send", ("mpi_send", 5, archive.world, 0, 8))
    archive.compute(1, US)
    archive.close()
    with pytest.raises(InputError, match="partner 5 of a communicator of 2"):
        read_trace(tmp_path / "a" / "run.otf2")


def test_half_bytes_and_other_endings_are_refused(tmp_path):
    trace = as_trace([[send(1, 2.5)], [recv(0)]])
    with pytest.raises(InputError, match=r"2\.5 bytes"):
        write_trace(trace, tmp_path / "a.otf2")


def test_requests_of_a_waitall_complete_together(tmp_path):
    run = [
        [
            c(10 * (rank + 1)),
            ("irecv", (rank - 1) % 3, 0, 1),
            ("irecv", (rank + 1) % 3, 1, 2),
            ("isend", (rank + 1) % 3, 1e4, 0, 3),
            ("isend", (rank - 1) % 3, 1e4, 1, 4),
            ("waitall",),
        ]
        for rank in range(3)
    ]
    trace = read_trace(write_run(tmp_path / "a", run))
    assert int((trace.kind == IRECV).sum()) == 6
    breakdowns_agree(trace, as_trace(run))
