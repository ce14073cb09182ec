/* Forces between n bodies, 3 steps: every rank has n/P of them and passes them round a ring. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, n = atoi(argv[1]), steps = 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int m = n / size;
  double *x = malloc(4 * m * sizeof(double)), *f = calloc(3 * m, sizeof(double)), *v = calloc(3 * m, sizeof(double));
  double *there = malloc(4 * m * sizeof(double)), *next = malloc(4 * m * sizeof(double));
  for (int i = 0; i < m; i++) {
    long k = (long)rank * m + i;
    for (int d = 0; d < 3; d++) x[4 * i + d] = sin(1.7 * k + d);
    x[4 * i + 3] = 1.0 / n;
  }
  double energy = 0.0;
  for (int s = 0; s < steps; s++) {
    memcpy(there, x, 4 * m * sizeof(double));
    memset(f, 0, 3 * m * sizeof(double));
    for (int hop = 0; hop < size; hop++) {
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
          double dx = there[4 * j] - x[4 * i], dy = there[4 * j + 1] - x[4 * i + 1], dz = there[4 * j + 2] - x[4 * i + 2];
          double r2 = dx * dx + dy * dy + dz * dz + 1e-3, r = 1.0 / (r2 * sqrt(r2)) * there[4 * j + 3];
          f[3 * i] += r * dx; f[3 * i + 1] += r * dy; f[3 * i + 2] += r * dz;
        }
      if (hop + 1 < size) {
        MPI_Sendrecv(there, 4 * m, MPI_DOUBLE, (rank + 1) % size, 0, next, 4 * m, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double *t = there; there = next; next = t;
      }
    }
    double own = 0.0;
    for (int i = 0; i < m; i++)
      for (int d = 0; d < 3; d++) { v[3 * i + d] += 1e-3 * f[3 * i + d]; x[4 * i + d] += 1e-3 * v[3 * i + d]; own += v[3 * i + d] * v[3 * i + d]; }
    MPI_Allreduce(&own, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (!rank) printf("%g\n", energy);
  MPI_Finalize();
  return 0;
}
