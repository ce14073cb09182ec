/* Heat on a ring of cells, n on each rank: every step trades one cell with both neighbours, every tenth adds up the change. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const long n = argc > 1 ? atol(argv[1]) : 256, steps = argc > 2 ? atol(argv[2]) : 20;
    double *now = n > 0 ? calloc(n + 2, sizeof *now) : NULL, *next = n > 0 ? calloc(n + 2, sizeof *next) : NULL;
    if (!now || !next) {
        fputs("usage: heat_mpi CELLS_PER_RANK [STEPS]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    for (long i = 1; i <= n; i++) now[i] = (double)(rank * n + i);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double all = 0.0;
    for (long step = 0; step < steps; step++) {
        MPI_Sendrecv(&now[n], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 1, &now[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double change = 0.0;
        for (long i = 1; i <= n; i++) {
            next[i] = 0.5 * now[i] + 0.25 * (now[i - 1] + now[i + 1]);
            change += fabs(next[i] - now[i]);
        }
        if (step % 10 == 9) MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *swap = now;
        now = next;
        next = swap;
    }
    if (rank == 0) printf("%.9g\n", all);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
