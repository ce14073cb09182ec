/* Latency and bandwidth between two ranks: half a round trip of messages of growing size, an exchange of both at once,
   the least and the median of many, and what a rank is busy with a send of 8 bytes. Prints NAME SIZE LEAST MEDIAN. */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void show(const char *name, long size, double *seconds, int n) {
  qsort(seconds, n, sizeof *seconds, by_size);
  printf("%s %ld %.9f %.9f\n", name, size, seconds[0], seconds[n / 2]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  enum { MOST = 1 << 20, N = 2000 };
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *data = calloc(MOST, 1), *other = calloc(MOST, 1);
  double *seconds = malloc(N * sizeof *seconds), *sends = malloc(N * sizeof *sends);
  for (long size = 8; size <= MOST; size *= 2) {
    const int n = size > 65536 ? N / 10 : N;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
      const double start = MPI_Wtime();
      if (rank == 0) {
        MPI_Send(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        sends[i] = MPI_Wtime() - start;
        MPI_Recv(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(data, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
      seconds[i] = 0.5 * (MPI_Wtime() - start);
    }
    if (rank == 0) show("half-trip", size, seconds, n);
    if (rank == 0 && size == 8) show("send", size, sends, n);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
      const double start = MPI_Wtime();
      MPI_Sendrecv(data, size, MPI_BYTE, 1 - rank, 1, other, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seconds[i] = MPI_Wtime() - start;
    }
    if (rank == 0) show("exchange", size, seconds, n);
  }
  MPI_Finalize();
  return 0;
}
