"""Traces in files: tables, and the time-independent text of SimGrid in its old and new forms."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Network, read_trace, replay, write_trace
from dse.models.replay.trace.kinds import KINDS, OPERATIONS

from .runs import US, as_trace, random_run

NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")
COLUMNS = ("first", "kind", "seconds", "peer", "bytes", "tag", "request", "operation", "enter", "exit", "region")


def same(one, other):
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.regions == other.regions


def written(tmp_path, text, name="run.ti"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def oldest_first(run):
    """Return a run whose waits take the oldest request of their partner and tag, with requests counted from 0."""
    found = []
    for events in run:
        numbers, kept, made = {}, [], 0
        for event in events:
            if event[0] in ("isend", "irecv"):
                numbers[event[-1]] = made
                event = (*event[:-1], made)
                made += 1
            elif event[0] == "wait":
                event = ("wait", numbers[event[1]])
            kept.append(event)
        found.append(kept)
    return found


@pytest.mark.parametrize("seed", range(examples(40)))
def test_tables_come_back_as_they_were(tmp_path, seed):
    trace = as_trace(random_run(seed), name="a run", source="a paper", licence="CC0", synthetic=True, clock="one")
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.random(2 * trace.events)).reshape(-1, 2)
    object.__setattr__(trace, "enter", times[:, 0])
    object.__setattr__(trace, "exit", times[:, 1])
    object.__setattr__(trace, "region", rng.integers(-1, 2, trace.events).astype(np.int32))
    object.__setattr__(trace, "regions", ("solve, outer", 'halo "one"'))
    for ending in (".csv", ".csv.gz", ".parquet"):
        back = read_trace(write_trace(trace, tmp_path / f"run{ending}"))
        seen = {name: getattr(back, name) for name in ("name", "source", "licence", "synthetic", "clock")}
        assert seen == {"name": "a run", "source": "a paper", "licence": "CC0", "synthetic": True, "clock": "one"}
        back = back if back.regions == trace.regions else renumbered(back, trace.regions)
        same(back, trace)


def renumbered(trace, regions):
    places = np.array([*(regions.index(one) for one in trace.regions), -1])
    object.__setattr__(trace, "region", places[trace.region].astype(np.int32))
    object.__setattr__(trace, "regions", regions)
    return trace


@pytest.mark.parametrize("seed", range(examples(40)))
def test_table_text_table(tmp_path, seed):
    trace = as_trace(oldest_first(random_run(seed)))
    try:
        text = write_trace(trace, tmp_path / "run.ti")
    except InputError as error:
        assert "text names no requests" in str(error)  # noqa: PT017
        return
    there = write_trace(read_trace(text), tmp_path / "there.csv")
    same(read_trace(there), trace)


def test_rows_of_ranks_may_be_mixed(tmp_path):
    text = "# name: two ranks\nrank,kind,peer,bytes\n1,recv,0,\n0,send,1,8\n1,send,0,16\n0,recv,1,99\n"
    trace = read_trace(written(tmp_path, text, "run.csv"))
    assert (trace.ranks, trace.events, trace.name) == (2, 4, "two ranks")
    assert trace.kind.tolist() == [KINDS.index(kind) for kind in ("send", "recv", "recv", "send")]
    assert replay(trace, NETWORK).time > 0


def test_names_of_operations_and_blanks(tmp_path):
    text = 'rank, kind\n0,"collective"\n'
    with pytest.raises(InputError, match="did you mean 'kind'"):
        read_trace(written(tmp_path, text, "run.csv"))
    text = "rank,kind,op,bytes,seconds\n0,collective,MPI_Allgatherv, 8 ,\n0,compute,,,1e-6\n"
    trace = read_trace(written(tmp_path, text, "run.csv"))
    assert OPERATIONS[trace.operation[0]] == "allgather"
    assert trace.bytes[0] == 8.0


ISEND = """
0 init
1 init
2 init

# the ring with requests, old form: no tags, bare wait
0 send 1 1e6
0 compute 1e9
0 recv 2 1e6

1 Irecv 0 1e6
1 compute 1e9
1 wait
1 send 2 1e6

2 Irecv 1 1e6
2 compute 5e8
2 wait
2 Isend 0 1e6
2 compute 5e8

0 finalize
1 finalize
2 finalize
"""


def test_old_form_with_isend(tmp_path):
    trace = read_trace(written(tmp_path, ISEND), flop_rate=1e9)
    assert trace.warnings == ("a closing waitall was added to 1 ranks with open requests: 2",)
    assert [KINDS[kind] for kind in trace.kind[trace.first[2] :]] == [
        "irecv", "compute", "wait", "isend", "compute", "waitall",
    ]  # fmt: skip
    assert trace.bytes[trace.sends].tolist() == [1e6, 1e6, 1e6]
    # Rank 1 computes 1 s, receives and asks rank 2, which has posted; rank 2 then sends to 0 without asking.
    expected = 1.0 + 0.5 * US + (0.5 + 4 + 100) * US + (2 + 0.5) * US + (0.5 + 100 + 2 + 0.5) * US
    assert replay(trace, NETWORK).finish[0] == pytest.approx(expected, rel=1e-12)


def test_new_form_is_the_same(tmp_path):
    new = ISEND.replace("send 1 1e6", "send 1 7 1e6").replace("recv 0 1e6", "recv 0 7 1e6")
    new = new.replace("1 wait", "1 wait 0 1 7").replace("2 wait", "2 wait 1 2 0")
    new = new.replace("send 2 1e6", "send 2 0 1e6 6").replace("recv 1 1e6", "recv 1 0 -1")
    old = read_trace(written(tmp_path, ISEND), flop_rate=1e9)
    trace = read_trace(written(tmp_path, new, "new.ti"), flop_rate=1e9)
    assert trace.tag[trace.sends].tolist() == [7, 0, 0]
    np.testing.assert_array_equal(replay(trace, NETWORK).finish, replay(old, NETWORK).finish)


def test_waitall_and_types(tmp_path):
    text = "0 init 1\n1 init\n2 init 1\n0 Irecv 1 2000\n1 Isend 0 2000\n2 Irecv 1 3000\n0 Irecv 2 3000\n"
    text += "1 Isend 2 3000\n2 Isend 0 3000\n0 waitAll\n1 waitAll\n2 waitAll\n0 finalize\n"
    trace = read_trace(written(tmp_path, text))
    assert trace.warnings == ()
    assert trace.bytes[trace.sends].tolist() == [2000.0, 3000.0, 24000.0]  # bytes, bytes, doubles
    sends = "0 init\n1 init\n" + "".join(f"0 send 1 0 3 {code}\n1 recv 0 0 3 {code}\n" for code in range(7))
    trace = read_trace(written(tmp_path, sends))
    assert (trace.bytes[trace.sends] / 3).tolist() == [8, 4, 1, 2, 8, 4, 1]
    with pytest.raises(InputError, match=r"line 3: type 7; allowed: 0, 1, 2, .*--type-size 7=8"):
        read_trace(written(tmp_path, "0 init\n1 init\n0 send 1 0 3 7\n1 recv 0 0 0\n"))
    trace = read_trace(tmp_path / "run.ti", type_sizes={7: 16.0})
    assert trace.bytes[trace.sends].tolist() == [48.0]


COLLECTIVES = {
    "bcast 5e4 1 0": ("bcast", 4e5),
    "bcast 5e4": ("bcast", 4e5),
    "bcast 5e4 0 3": ("bcast", 1e5),
    "allreduce 10 0 1": ("allreduce", 40),
    "scan 10 0": ("scan", 80),
    "barrier": ("barrier", 0),
    "allToAll 10 10 1 1": ("alltoall", 40),
    "gather 68 68 0 1 0": ("gather", 272),
    "scatter 68 68 0 2 2": ("scatter", 68),
    "allgather 68 68 1 1": ("allgather", 272),
    "allgather 68 68 0 1 1": ("allgather", 272),
    "allToAllV 100 1 7 10 100 1 70 10 6 6": ("alltoall", 6),
    "allGatherV 9 3 6 9 0 3 9 6 6": ("allgather", 6),
    "allGatherV 9 3 6 9 1 1": ("allgather", 24),
    "allGatherV 9 3 6 9": ("allgather", 48),
    "gatherv 9 3 6 9 0 6 6": ("gather", 6),
    "scatterv 3 6 9 9 0 6 6": ("scatter", 6),
}


@pytest.mark.parametrize("line", COLLECTIVES)
def test_collective_actions(tmp_path, line):
    text = "".join(f"{rank} init 1\n{rank} {line}\n" for rank in range(3))
    trace = read_trace(written(tmp_path, text))
    operation, held = COLLECTIVES[line]
    assert [OPERATIONS[which] for which in trace.operation] == [operation] * 3
    assert trace.bytes.tolist() == [held] * 3


def test_flops_of_reductions_come_after_them(tmp_path):
    text = "".join(f"{rank} init 1\n{rank} reduce 5e4 5e8 0 4\n{rank} reduceScatter 1 2 3 1e8 0\n" for rank in range(3))
    with pytest.raises(InputError, match=r"line 2: computes 5e\+08 flops, and no rate is given; allowed: --flop-rate"):
        read_trace(written(tmp_path, text))
    trace = read_trace(tmp_path / "run.ti", flop_rate=1e9)
    assert [KINDS[kind] for kind in trace.kind[:4]] == ["collective", "compute"] * 2
    assert trace.seconds[:4].tolist() == [0, 0.5, 0, 0.1]
    assert trace.bytes[:4].tolist() == [4e5, 0, 16, 0]


def test_a_list_of_files(tmp_path):
    written(tmp_path, "0 init\n0 send 1 0 8\n0 sleep 2\n", "a0.txt")
    written(tmp_path, "1 init\n1 recv 0 0 8\n1 comm_split 3\n1 test 0 1 0\n", "a1.txt")
    trace = read_trace(written(tmp_path, "a0.txt\na1.txt\n", "split"))
    assert (trace.ranks, trace.events) == (2, 3)
    assert trace.warnings == ("comm_split: only the world communicator is replayed",)
    (tmp_path / "deeper").mkdir()
    for name in ("../secret", "/etc/hostname", "a2.txt", ".", "deeper"):
        with pytest.raises(InputError, match="neither an action nor a file beside this one"):
            read_trace(written(tmp_path, f"a0.txt\n{name}\n", "split"))


BROKEN = {
    "0 sned 1 0 8": r"line 1: 'sned' is no action; .*did you mean 'send'",
    "0 send 1": r"line 1: send has 1 values",
    "0 send 1 0 nan": r"line 1: 'nan'; allowed: a number",
    "0 send 1 0 1_0": r"line 1: '1_0'; allowed: a number",
    "0 send 1 0 -5\n1 recv 0 0 1": r"line 1: send of -5; allowed: a count >= 0",
    "0 sleep -1": r"line 1: sleep -1; allowed: seconds >= 0",
    "0 compute -1": r"line 1: -1 flops; allowed: 0 or more",
    "x send 1 0 8": r"line 1: 'x'; allowed: a rank at the beginning",
    "0 wait": r"line 1: wait, and no request is open",
    "0 irecv 1 0 8\n0 wait 1 0 1": r"line 2: wait 1 0 1, and no such request is open; .*nearest: wait 1 0 0",
    "0 sleep 1\n2 sleep 1": r"a rank is 2, and there are 2 actions",
    "0 sleep 1\n2 sleep 1\n2 sleep 1": "rank 1 has no events, and rank 2 has",
    "0 init": "no events",
    "": "no actions",
    "hello": r"'hello' is neither an action nor a file beside this one",
    "0 send 0 0 8": r"rank 0 event 0: send: peer is 0; allowed: another rank",
}


@pytest.mark.parametrize("text", BROKEN)
def test_broken_texts(tmp_path, text):
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=BROKEN[text]) as error:
        read_trace(path)
    assert str(error.value).startswith(str(path))


TABLES = {
    "rank,kind,colour\n0,compute,1\n": "unknown column 'colour'",
    "rank,kind,rank\n0,compute,1\n": "the column 'rank' stands twice",
    "rank,seconds\n0,1\n": "no column 'kind'",
    "rank,kind\n": "no events",
    "": "no line of headings",
    "rank,kind,seconds\n0,compute,fast\n": r"row 0: seconds: 'fast'; allowed: a number, or nothing",
    "rank,kind,seconds\n0,compute,\n": r"rank 0 event 0: compute: seconds is missing",
    "rank,kind,seconds\n0,compute,-1\n": r"rank 0 event 0: compute: seconds is -1; allowed: seconds from 0 to 1e\+12",
    "rank,kind,seconds\n0,compute,inf\n": r"rank 0 event 0: compute: seconds is inf",
    "rank,kind,peer,bytes\n0,send,1,1e300\n1,recv,0,8\n": r"send: bytes is 1e\+300; allowed: bytes from 0 to 1e\+18",
    "rank,kind,seconds\n0.5,compute,1\n": r"row 0: rank: 0.5; allowed: a whole number",
    "rank,kind,seconds\n,compute,1\n": r"row 0: rank: missing",
    "rank,kind,seconds\n1,compute,1\n": r"rank 0 has no events, and rank 1 has",
    "rank,kind,seconds\n0,computes,1\n": r"rank 0 event 0: kind is 'computes'; .*did you mean 'compute'",
    "rank,kind\n0,allreduce\n": r"kind is 'allreduce'; .*did you mean 'collective'",
    "rank,kind,op\n0,collective,\n": r"rank 0 event 0: collective: op is missing",
    "rank,kind,op\n0,collective,brodcast\n": r"rank 0 event 0: op is 'brodcast'",
    "rank,kind,op\n0,collective,exscan\n": r"rank 0 event 0: op is 'exscan'; .*did you mean 'scan'",
    "rank,kind,peer\n0,send,\n1,recv,0\n": r"rank 0 event 0: send: peer is missing",
    "rank,kind,peer\n0,send,2\n1,recv,0\n": r"peer is 2; allowed: a rank, 0 to 1",
    "rank,kind,peer,bytes\n0,send,1,-8\n1,recv,0,8\n": r"send: bytes is -8",
    "rank,kind,peer\n0,send,1\n1,recv,0\n": r"rank 0 event 0: send: bytes is missing",
    "rank,kind,op\n0,collective,bcast\n": r"rank 0 event 0: collective: bytes is missing",
    "rank,kind,peer,bytes\n0,isend,1,8\n1,recv,0,\n": r"isend: request is missing",
    "rank,kind,seconds,enter,exit\n0,compute,1,1,\n": r"enter is 1 s, exit nan s; allowed: both or neither",
    "rank,kind,seconds,enter,exit\n0,compute,1,2,1\n": r"enter is 2 s, exit 1 s",
    "rank,kind,seconds,enter,exit\n0,compute,1,0,2\n0,compute,1,1,3\n": r"rank 0 event 1: enters at 1 s, before",
    "rank,kind,seconds\n0,compute,1,7\n": "is no table",
    "# synthetic: perhaps\nrank,kind,seconds\n0,compute,1\n": "synthetic: 'perhaps'; allowed: true or false",
    "# name: a\x1b[2Jb\nrank,kind,seconds\n0,compute,1\n": "control character",
}


@pytest.mark.parametrize("text", TABLES)
def test_broken_tables(tmp_path, text):
    path = written(tmp_path, text, "run.csv")
    with pytest.raises(InputError, match=TABLES[text]) as error:
        read_trace(path)
    assert str(error.value).startswith(str(path))


def test_broken_files(tmp_path):
    written(tmp_path, "", "run.csv")
    with pytest.raises(InputError, match=r"no such file .*did you mean '.*run.csv'"):
        read_trace(tmp_path / "rum.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_trace(tmp_path)
    (tmp_path / "x.csv.gz").write_bytes(b"no")
    with pytest.raises(InputError, match="is not compressed"):
        read_trace(tmp_path / "x.csv.gz")
    (tmp_path / "x.parquet").write_bytes(b"no")
    with pytest.raises(InputError, match="is no Parquet file"):
        read_trace(tmp_path / "x.parquet")
    pq.write_table(pa.table({"rank": [0], "kind": ["compute"], "seconds": ["fast"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="row 0: seconds: 'fast'"):
        read_trace(tmp_path / "x.parquet")
    (tmp_path / "x.ti").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_trace(tmp_path / "x.ti")
    with pytest.raises(InputError, match=r"'.*x.xml' has no known ending"):
        write_trace(as_trace([[("compute", 1.0)]]), tmp_path / "x.xml")


def test_a_file_that_unpacks_to_more_than_is_read(tmp_path, monkeypatch):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"#" * 5000))
    monkeypatch.setattr("dse.models.replay.formats.files.LARGEST_FILE", 1000)
    with pytest.raises(InputError, match="bytes; allowed: at most 1,000"):
        read_trace(tmp_path / "x.csv.gz")
