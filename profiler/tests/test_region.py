"""Regions: between MPI_Pcontrol(1) and MPI_Pcontrol(0) alone, once a program has such calls."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]

RANKS = 2
REGION = """#include <mpi.h>
#include <stdlib.h>
static volatile double sink;
static void divide(int count, double by) {
  double sum = 1e300;
  for (int i = 0; i < count; i++) sum = sum / by;
  sink = sum;
}
static void talk(int count, int rank, int size) {
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
