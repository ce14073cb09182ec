"""What does not meet is refused, with rank, event and the nearest that would."""

import pytest

from dse.errors import InputError

from .runs import as_trace, recv, send

BARRIER = ("collective", "barrier", 0.0)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            [[send(1, tag=5)], [recv(0, tag=6)]],
            "rank 0 event 0: send 1 kB to 1, tag 5 has no receive; allowed: a recv or irecv of rank 1 from 0 with tag 5"
            r"; nearest: rank 1 event 0 \(recv from 0, tag 6\)",
        ),
        ([[send(1), send(1)], [recv(0)]], r"rank 0 event 1: send 1 kB to 1 has no receive; allowed: .* with tag 0$"),
        (
            [[recv(1)], [("compute", 1.0)]],
            r"rank 0 event 0: recv from 1 has no send; allowed: a send or isend of rank 1",
        ),
        ([[recv(1), recv(1)], [send(0)]], "rank 0 event 1: recv from 1 has no send"),
        (
            [[("irecv", 1, 0, 4), ("wait", 5)], [send(0)]],
            "rank 0 event 1: wait for request 5, which is not open; allowed: 4; nearest: 4",
        ),
        (
            [[("wait", 0)]],
            "rank 0 event 0: wait for request 0, which is not open; allowed: no wait: no request is open",
        ),
        (
            [[("irecv", 1, 0, 4), ("waitall",), ("wait", 4)], [send(0)]],
            "rank 0 event 2: wait for request 4, which is not open",
        ),
        (
            [[("irecv", 1, 0, 4), ("irecv", 1, 0, 4), ("waitall",)], [send(0), send(0)]],
            "rank 0 event 1: request 4 is open already, from event 0",
        ),
        (
            [[("irecv", 1, 0, 4)], [send(0)]],
            r"rank 0 event 0: request 4 \(irecv from 1\) is open at the end; allowed: a wait for 4, or a waitall",
        ),
        (
            [[BARRIER], [("collective", "bcast", 8.0)]],
            r"rank 1 event 0: collective 0 is bcast, and that of rank 0 \(event 0\) is barrier; .*nearest: barrier",
        ),
        ([[BARRIER, BARRIER], [BARRIER]], "rank 0 event 1: collective 1 is barrier, and rank 1 has 1 in all"),
        ([[BARRIER], [("compute", 1.0)]], "rank 0 event 0: collective 0 is barrier, and rank 1 has 0 in all"),
        (
            [[("collective", "bcast", 8.0)], [("collective", "bcast", 16.0)]],
            r"rank 1 event 0: bcast of 16 B, and of 8 B on rank 0 \(event 0\); allowed: the same bytes on all ranks",
        ),
    ],
)
def test_refused(run, message):
    with pytest.raises(InputError, match=message):
        as_trace(run)


def test_blocks_may_differ_and_the_largest_counts():
    trace = as_trace([[("collective", "gather", 8.0)], [("collective", "gather", 16.0)]])
    assert trace.collectives.bytes.tolist() == [16.0]


def test_a_number_may_be_used_again_when_it_is_free():
    run = [[("irecv", 1, 0, 4), ("wait", 4), ("irecv", 1, 0, 4), ("waitall",), ("isend", 1, 8.0, 0, 4), ("wait", 4)]]
    trace = as_trace([*run, [send(0), send(0), recv(0)]])
    assert trace.requests.made.tolist() == [0, 2, 4]
    assert trace.requests.closed.tolist() == [1, 3, 5]


def test_a_receive_may_be_larger_than_what_was_sent():
    trace = as_trace([[send(1, 10)], [recv(0)]])
    assert trace.partner.tolist() == [1, 0]


def test_rows_of_unknown_keys_and_kinds_of_values():
    from dse.models.replay import trace_of_rows

    with pytest.raises(InputError, match=r"row 0: unknown key 'pear'; .*did you mean 'peer'"):
        trace_of_rows([{"rank": 0, "kind": "send", "pear": 1}])
    with pytest.raises(InputError, match=r"row 0: bytes: 'many'; allowed: a number"):
        trace_of_rows([{"rank": 0, "kind": "send", "peer": 1, "bytes": "many"}])
    with pytest.raises(InputError, match="no events"):
        trace_of_rows([])
