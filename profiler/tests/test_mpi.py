"""What is counted of MPI, against what the programs say themselves."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RANKS = 3
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]

RING = """#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, in[4], out[4] = {1, 2, 3, 4}, sub;
  double all[64], one = 1;
  MPI_Comm back;
  MPI_Request r[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; i++) {
    MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 3, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &back);
  MPI_Comm_rank(back, &sub);
  MPI_Sendrecv(out, 1, MPI_INT, (sub + 1) % size, 1, in, 4, MPI_INT, MPI_ANY_SOURCE, 1, back, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(&one, all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Scan(&one, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Alltoall(all, 1, MPI_DOUBLE, all + 32, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(all, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


WAITS = """#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, in[8], out[8] = {0}, which, count, many[4], flag = 0;
  double sum = 0, one = 1, shared[4] = {0};
  MPI_Request r[4];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, last, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < 2; i++) MPI_Isend(out, 1, MPI_INT, next, i, MPI_COMM_WORLD, &r[2 + i]);
  MPI_Waitany(4, r, &which, MPI_STATUS_IGNORE);
  for (int left = 3; left > 0; left -= count) MPI_Waitsome(4, r, &count, many, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 8, MPI_INT, last, 2, MPI_COMM_WORLD, &r[0]);
  MPI_Send(out, 5, MPI_INT, next, 2, MPI_COMM_WORLD);
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  MPI_Recv_init(in, 2, MPI_INT, last, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 2, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, r);
    for (flag = 0; !flag;) MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&one, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return sum != size;
}
"""


SPREAD = ("--oversubscribe", "-n", RANKS)


@pytest.fixture(scope="module")
def compiled(toolchain, need, shell):
    """The programs, built once."""
    need("mpicc", "mpirun", packages="libopenmpi-dev openmpi-bin")
    (shell.folder / "ring.c").write_text(RING)
    (shell.folder / "waits.c").write_text(WAITS)
    for source in ("ring.c", "waits.c", HERE / "exchange.c"):
        program = Path(source).stem
        shell("mpicc", "-O1", "-pthread", source, "-o", program, OMPI_CC="dse-cc", DSE_CLANG=toolchain.clang)
    return shell


def told(folder):
    """What each rank wrote of itself."""
    files = [folder / f"told-{rank}" for rank in range(RANKS)]
    return [[line.split() for line in file.read_text().splitlines()] for file in files]


def test_messages_and_collective_operations_are_counted_to_the_byte(compiled):
    document = compiled.record("mpirun", *SPREAD, compiled.folder / "ring")
    assert document["run"]["processes"] == RANKS
    for rank, item in enumerate(document["classes"]):
        p2p, collectives = item["comm"]["p2p"], item["comm"]["collectives"]
        # Five messages of 12 bytes go round, one of 4 goes round the reversed ring.
        assert [p2p[name] for name in ("messages", "bytes", "sent_messages", "sent_bytes")] == [6, 64, 6, 64]
        assert [list(peer.values()) for peer in p2p["peers"]] == [[1, 1, 4], [2, 5, 60]]
        assert [list(peer.values()) for peer in p2p["sent_peers"]] == [[1, 5, 60], [2, 1, 4]]
        assert p2p["sizes"] == [[4, 1, 4], [16, 5, 60]]
        root = rank == 0
        assert {name: one["bytes"] for name, one in collectives.items()} == {
            **{"MPI_Barrier": 0, "MPI_Bcast": 0 if root else 8, "MPI_Reduce": 8 if root else 0, "MPI_Allreduce": 8},
            **{"MPI_Scan": 8, "MPI_Gather": 24 if root else 0, "MPI_Allgather": 24, "MPI_Scatter": 8},
            **{"MPI_Alltoall": 24, "MPI_Reduce_scatter_block": 8, "MPI_Comm_create": 0},
        }


def test_however_messages_are_waited_for(compiled):
    for item in compiled.record("mpirun", *SPREAD, compiled.folder / "waits")["classes"]:
        p2p = item["comm"]["p2p"]
        # Two of 4 bytes, one of 20 and three of 8 each way, and 8 bytes put into the next one's window.
        assert (p2p["messages"], p2p["bytes"]) == (6, 52)
        assert (p2p["sent_messages"], p2p["sent_bytes"]) == (7, 60)
        assert item["comm"]["collectives"]["MPI_Allreduce"]["bytes"] == 8


def same_collectives(document, folder):
    for item, lines in zip(document["classes"], told(folder), strict=True):
        calls, arrived = Counter(), Counter()
        for name, count in lines:
            calls[name] += 1
            arrived[name] += int(count)
        counted = item["comm"]["collectives"]
        assert {name: (one["count"], one["bytes"]) for name, one in counted.items()} == {
            name: (calls[name], arrived[name]) for name in calls
        }


def test_every_collective_operation_brings_what_is_found_in_the_buffer(compiled, tmp_path):
    program = (compiled.folder / "exchange", "collectives", tmp_path)
    document = compiled.record("mpirun", *SPREAD, *program)
    same_collectives(document, tmp_path)
    assert len(document["classes"][0]["comm"]["collectives"]) == 23


@pytest.mark.parametrize("scenario", ["messages", "windows"])
def test_every_message_has_the_peer_that_the_program_names(compiled, tmp_path, scenario):
    document = compiled.record("mpirun", *SPREAD, compiled.folder / "exchange", scenario, tmp_path)
    for rank, (item, lines) in enumerate(zip(document["classes"], told(tmp_path), strict=True)):
        for key, word in (("peers", "from"), ("sent_peers", "to")):
            messages, held = Counter(), Counter()
            for _, world, count in (line for line in lines if line[0] == word):
                messages[(int(world) - rank) % RANKS] += 1
                held[(int(world) - rank) % RANKS] += int(count)
            assert [list(peer.values()) for peer in item["comm"]["p2p"][key]] == [
                [offset, messages[offset], held[offset]] for offset in sorted(messages)
            ]
        assert ["wrong"] not in lines


def test_threads_that_send_at_once_are_counted_apart(compiled, tmp_path):
    document = compiled.record("mpirun", *SPREAD, compiled.folder / "exchange", "threads", tmp_path)
    if told(tmp_path)[0][0] != ["level", "1"]:
        pytest.skip("this MPI has no MPI_THREAD_MULTIPLE")
    for rank in range(RANKS):
        own = [item for item in document["classes"] if item["name"].startswith(f"process {rank} ")]
        p2p = sorted((item["comm"]["p2p"] for item in own if "comm" in item), key=lambda one: one["bytes"])
        keys = ("messages", "bytes", "sent_messages", "sent_bytes")
        assert [[one[key] for key in keys] for one in p2p] == [[200, 20000] * 2, [200, 40000] * 2]
        assert [[peer["offset"] for peer in one["peers"]] for one in p2p] == [[0], [2]]


def test_mpich_counts_the_same(toolchain, shell, tmp_path):
    for command in ("mpicc.mpich", "mpiexec.mpich"):
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed: apt-get install mpich libmpich-dev")
    source, program = HERE / "exchange.c", tmp_path / "exchange"
    shell("mpicc.mpich", "-O1", "-pthread", source, "-o", program, MPICH_CC="dse-cc", DSE_CLANG=toolchain.clang)
    document = shell.record("mpiexec.mpich", "-n", RANKS, program, "collectives", tmp_path)
    same_collectives(document, tmp_path)
