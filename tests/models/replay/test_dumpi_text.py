"""What dumpi2ascii writes: calls with their times, computing between them."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.replay import Network, analyse, read_trace
from dse.models.replay.formats.dumpi_text import OTHER
from dse.models.replay.trace.kinds import KINDS, OPERATIONS

NETWORK = Network(2e-6, 0.5e-6, 10e9, collectives="simple")


def call(name, enter, leave, *fields):
    lines = [f"{name} entering at walltime {enter:.9f}, cputime 0.001 seconds in thread 0.", *fields]
    return "\n".join([*lines, f"{name} returning at walltime {leave:.9f}, cputime 0.002 seconds in thread 0."]) + "\n"


def message(count, peer, tag, *, source=False, kind="2 (MPI_CHAR)"):
    end = "source" if source else "dest"
    return [f"int count={count}", f"MPI_Datatype datatype={kind}", f"int {end}={peer}", f"int tag={tag}"]


WORLD = "MPI_Comm comm=2 (MPI_COMM_WORLD)"
ZERO = (
    "version=1.1.0\nhostname=node0\n"
    + call("MPI_Init", 10.0, 10.1, "int argc=1")
    + call("MPI_Send", 10.6, 10.7, *message(8, 1, 3, kind="4 (MPI_INT)"), WORLD)
    + call("MPI_Irecv", 10.7, 10.71, *message(100, 1, 0, source=True), WORLD, "MPI_Request request=[4]")
    + call("MPI_Isend", 10.71, 10.72, *message(50, 1, 0), WORLD, "MPI_Request request=[5]")
    + call("MPI_Waitall", 11.0, 11.5, "int count=2", "MPI_Request requests=[4, 5]", "MPI_Status statuses=<IGNORED>")
    + call("MPI_Allreduce", 12.0, 12.1, "int count=2", "MPI_Datatype datatype=11 (MPI_DOUBLE)", WORLD)
    + call("MPI_Finalize", 12.1, 12.1)
)
ONE = (
    call("MPI_Init", 10.0, 10.1, "int argc=1")
    + call(
        "MPI_Recv",
        10.1,
        10.7,
        *message(64, "MPI_ANY_SOURCE", 3, source=True),
        WORLD,
        "MPI_Status status={bytes=32, source=0, tag=3, cancelled=0, error=0}",
    )
    + call(
        "MPI_Sendrecv",
        10.8,
        11.2,
        "int sendcount=100",
        "MPI_Datatype sendtype=2 (MPI_CHAR)",
        "int dest=0",
        "int sendtag=0",
        "int recvcount=50",
        "MPI_Datatype recvtype=2 (MPI_CHAR)",
        "int source=0",
        "int recvtag=0",
        WORLD,
    )
    + call("MPI_Allreduce", 11.3, 12.1, "int count=2", "MPI_Datatype datatype=11 (MPI_DOUBLE)", WORLD)
)


def read(tmp_path, *texts, **options):
    for rank, text in enumerate(texts):
        (tmp_path / f"dumpi-{rank:04}.txt").write_text(text)
    (tmp_path / "list").write_text("".join(f"dumpi-{rank:04}.txt\n" for rank in range(len(texts))))
    return read_trace(tmp_path / "list", **options)


def test_two_ranks(tmp_path):
    trace = read(tmp_path, ZERO, ONE)
    kinds = [KINDS[kind] for kind in trace.kind]
    assert kinds[: trace.first[1]] == [
        "compute", "compute", "send", "irecv", "isend", "compute", "wait", "wait", "compute", "collective",
    ]  # fmt: skip
    np.testing.assert_allclose(trace.seconds[[0, 1, 5, 8]], [0.1, 0.5, 0.28, 0.5], atol=1e-9)
    assert trace.regions[trace.region[0]] == OTHER
    assert trace.bytes[trace.sends].tolist() == [32.0, 50.0, 100.0]
    assert trace.warnings == (f"time of {OTHER}, computed through: MPI_Finalize (1), MPI_Init (2)",)
    assert OPERATIONS[trace.operation[trace.first[1] - 1]] == "allreduce"
    assert trace.collectives.bytes.tolist() == [16.0]
    assert trace.is_measured
    found = analyse(trace, NETWORK, times="measured")
    np.testing.assert_allclose(found.modes["measured"].finish, [2.1, 2.1])
    assert found.waits.late_sender[1] == pytest.approx(0.5)  # entered at 10.1, sent at 10.6
    assert found.waits.collective[1] == pytest.approx(0.7)


def test_one_rank_in_a_file_of_its_own(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text(
        call("MPI_Barrier", 1.0, 1.5, WORLD) + call("MPI_Comm_split", 2.0, 3.0) + call("MPI_Barrier", 3.0, 3.1)
    )
    trace = read_trace(path)
    assert [KINDS[kind] for kind in trace.kind] == ["collective", "compute", "compute", "collective"]
    assert trace.seconds.tolist() == [0, 0.5, 1.0, 0]


def test_requests_that_stay_open_and_other_communicators(tmp_path):
    zero = call("MPI_Isend", 1.0, 1.1, *message(8, 1, 0), WORLD, "MPI_Request request=[7]")
    zero += call("MPI_Bcast", 1.2, 1.4, "int count=2", "MPI_Comm comm=9 (user-defined-comm)")
    one = call("MPI_Recv", 1.0, 1.1, *message(8, 0, 0, source=True), WORLD)
    trace = read(tmp_path, zero, one)
    assert "MPI_Bcast on another communicator (1)" in trace.warnings[0]
    assert trace.warnings[1] == "a closing waitall was added to 1 ranks with open requests"


def test_types_of_the_program(tmp_path):
    zero = call("MPI_Send", 1.0, 1.1, *message(2, 1, 0, kind="30 (user-defined-datatype)"), WORLD)
    one = call("MPI_Recv", 1.0, 1.1, *message(2, 0, 0, source=True, kind="30 (user-defined-datatype)"), WORLD)
    with pytest.raises(InputError, match="--type-size 30=8"):
        read(tmp_path, zero, one)
    assert read(tmp_path, zero, one, type_sizes={30: 24.0}).bytes[0] == 48.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (call("MPI_Send", 1, 2, "int count=1")[:-60], "MPI_Send never returns"),
        ("MPI_Send returning at walltime 1.0, cputime 1\n" + call("MPI_Init", 1, 2), "and was not entered"),
        (call("MPI_Send", 1, 2, "int count=x"), "MPI_Send: count=x; allowed: a whole number"),
        (call("MPI_Send", 1, 2, "int count=1"), "line 1: type ''"),
        (call("MPI_Isend", 1, 2, *message(1, 1, 0)), "without a request"),
        (call("MPI_Recv", 1, 2, *message(1, -1, 0, source=True)), "MPI_Recv from -1, and its status is not there"),
        (call("MPI_Send", 1, 2, *message(1, 1, 0)), "peer is 1; allowed: a rank, 0 to 0"),
    ],
)
def test_refused(tmp_path, text, message):
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_trace(path)
    assert str(error.value).startswith(str(path))
