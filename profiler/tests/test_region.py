"""Regions: between MPI_Pcontrol(1) and MPI_Pcontrol(0) alone, or in the calls of a function, and the profile says so."""

import pytest

from dse.errors import InputError

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]

RANKS = 2
REGION = """#include <mpi.h>
#include <stdlib.h>
static volatile double sink;
static __attribute__((noinline)) void divide(int count, double by) {
  double sum = 1e300;
  for (int i = 0; i < count; i++) sum = sum / by;
  sink = sum;
}
static __attribute__((noinline)) void talk(int count, int rank, int size) {
  int in, out = rank;
  double one = 1, sum;
  for (int i = 0; i < count; i++) {
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}
int main(int argc, char **argv) {
  int rank, size;
  const int marked = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  divide(50000, 1.01);
  talk(5, rank, size);
  for (int turn = 0; turn < 2; turn++) {
    if (marked) MPI_Pcontrol(1);
    divide(1000, 1.02);
    talk(3, rank, size);
    if (marked) MPI_Pcontrol(0);
    divide(30000, 1.03);
    talk(7, rank, size);
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(toolchain, need, shell):
    need("mpicc", "mpirun", packages="libopenmpi-dev openmpi-bin")
    (shell.folder / "region.c").write_text(REGION)
    shell("mpicc", "-O1", "region.c", "-o", "region", OMPI_CC="dse-cc", DSE_CLANG=toolchain.clang)
    return shell


@pytest.mark.parametrize(("given", "divisions", "calls"), [((), 112_000, 25), (("marked",), 2_000, 6)])
def test_what_lies_outside_is_not_counted(program, given, divisions, calls):
    """Divisions, messages and collective operations are those of the source: all of it, or twice what is marked."""
    document = program.record("mpirun", "--oversubscribe", "-n", RANKS, program.folder / "region", *given)
    for item in document["classes"]:
        assert item["comm"]["p2p"]["sent_messages"] == item["comm"]["p2p"]["messages"] == calls
        assert item["comm"]["collectives"]["MPI_Allreduce"] == {"count": calls, "bytes": 8 * calls}
        assert item["mix"]["fp_div"] == divisions
    said = document["run"].get("region", "")
    assert said == ("between MPI_Pcontrol(1) and (0)" if given else "")


@pytest.mark.parametrize(
    ("function", "divisions", "calls"), [("divide", 112_000, 0), ("talk", 0, 25), ("main", 112_000, 25)]
)
def test_the_calls_of_a_function_alone(program, function, divisions, calls):
    """What it calls is in it, too; marks of the program do not count beside it."""
    command = ("mpirun", "--oversubscribe", "-n", RANKS, program.folder / "region", "marked")
    document = program.record(*command, from_function=function)
    for item in document["classes"]:
        assert item.get("mix", {}).get("fp_div", 0) == divisions
        comm = item.get("comm", {})
        assert comm.get("p2p", {}).get("sent_messages", 0) == calls
        assert comm.get("collectives", {}).get("MPI_Allreduce", {"count": 0})["count"] == calls
    assert document["run"]["region"] == f"in {function}"


def test_a_function_that_is_not_there_is_refused_with_those_that_are(program):
    with pytest.raises(InputError, match=r"the program has no function 'divid' .* did you mean 'divide'"):
        program.record("mpirun", "-n", 1, program.folder / "region", from_function="divid")
    assert not list(program.folder.glob(".*-records-*")), "of nothing no records are kept"


NESTED = """#include <pthread.h>
#include <stdlib.h>
static volatile double sink;
__attribute__((noinline)) void divide(int count) {
  double sum = 1e300;
  for (int i = 0; i < count; i++) sum = sum / 1.01;
  sink = sum;
}
__attribute__((noinline)) int nested(int depth) {
  divide(10);
  const int below = depth ? nested(depth - 1) : 0;
  divide(1);
  return below + 1;
}
static void *other(void *count) { divide(1000); return count; }
__attribute__((noinline)) void threaded(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_join(thread, 0);
}
__attribute__((noinline)) void ends(void) { divide(7); exit(0); }
int main(int argc, char **argv) {
  divide(5000);
  threaded();
  divide(300);
  sink += nested(3);
  divide(5000);
  if (argc > 1) ends();
  return 0;
}
"""


@pytest.mark.parametrize(
    ("function", "divisions"), [("nested", 44), ("threaded", 1_000), ("divide", 11_344), ("ends", 7), ("main", 11_351)]
)
def test_recursion_threads_and_a_program_that_ends_inside(build, run, function, divisions):
    """Counted by hand: 4 levels of 11, what another thread does meanwhile, and what comes before `exit`."""
    recorded = run(build(NESTED, "-O1", "-fno-vectorize", "-fno-unroll-loops", "-lpthread"), "end", FROM=function)
    total = sum(thread["mix"]["fp_div"] for thread in recorded.record["threads"])
    assert total == divisions + (7 if function == "divide" else 0)
    assert recorded.record["region"]["function"] == function
    assert recorded.record["depth_mismatches"] == 0
