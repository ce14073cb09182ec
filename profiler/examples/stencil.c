/* Heat on a square of n x n cells: sweeps of the five-point stencil, as long as asked for. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const long n = argc > 1 ? atol(argv[1]) : 64, sweeps = argc > 2 ? atol(argv[2]) : 4;
    if (n < 3 || n > 1 << 15 || sweeps < 1) {
        fputs("usage: stencil N [SWEEPS], N from 3 to 32768\n", stderr);
        return 2;
    }
    double *now = calloc(n * n, sizeof *now), *next = calloc(n * n, sizeof *next);
    if (!now || !next) return 1;
    for (long i = 0; i < n; i++) now[i] = next[i] = 1.0;
    for (long sweep = 0; sweep < sweeps; sweep++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                next[i * n + j] = 0.25 * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1]);
        double *swap = now;
        now = next;
        next = swap;
    }
    double sum = 0.0;
    for (long i = 0; i < n * n; i++) sum += now[i];
    printf("%.9g\n", sum);
    free(now);
    free(next);
    return 0;
}
