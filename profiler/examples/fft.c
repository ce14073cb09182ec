/* Fourier transforms of n x n complex numbers: rows over the ranks, the square turned by MPI_Alltoall, four times there and back.
 *
 * n a power of two, ranks a divisor of n. Work of a rank: n^2 log2(n) / ranks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double re, im; } number;

static void transform(number *row, const number *roots, int n, int sign) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) { const number kept = row[i]; row[i] = row[j]; row[j] = kept; }
  }
  for (int half = 1, step = n / 2; half < n; half *= 2, step /= 2)
    for (int begin = 0; begin < n; begin += 2 * half)
      for (int k = 0; k < half; k++) {
        const number w = roots[k * step], a = row[begin + k], b = row[begin + k + half];
        const double im = sign * w.im, re = b.re * w.re - b.im * im, jm = b.re * im + b.im * w.re;
        row[begin + k].re = a.re + re; row[begin + k].im = a.im + jm;
        row[begin + k + half].re = a.re - re; row[begin + k + half].im = a.im - jm;
      }
}

/* The square turned: blocks of columns go to their rank, each written row by row of what it will be. */
static void turn(number *own, number *out, number *in, int n, int rows, int ranks) {
  for (int to = 0; to < ranks; to++)
    for (int c = 0; c < rows; c++)
      for (int r = 0; r < rows; r++) out[(to * rows + c) * rows + r] = own[r * n + to * rows + c];
  MPI_Alltoall(out, 2 * rows * rows, MPI_DOUBLE, in, 2 * rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int from = 0; from < ranks; from++)
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < rows; c++) own[r * n + from * rows + c] = in[(from * rows + r) * rows + c];
}

int main(int count, char **words) {
  MPI_Init(&count, &words);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = count > 1 ? atoi(words[1]) : 256;
  if (n < 2 || n & (n - 1) || n % ranks) { if (!rank) fprintf(stderr, "n: a power of two that the ranks divide\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  const int rows = n / ranks;
  const size_t cells = (size_t)rows * n;
  number *own = malloc(cells * sizeof *own), *out = malloc(cells * sizeof *out), *in = malloc(cells * sizeof *in);
  number *roots = malloc((size_t)n / 2 * sizeof *roots);
  for (int k = 0; k < n / 2; k++) { roots[k].re = cos(2 * M_PI * k / n); roots[k].im = -sin(2 * M_PI * k / n); }
  for (size_t i = 0; i < cells; i++) { own[i].re = (double)((i + (size_t)rank * cells) % 97) / 97; own[i].im = 0; }
  for (int time = 0; time < 4; time++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < rows; r++) transform(own + (size_t)r * n, roots, n, sign);
        turn(own, out, in, n, rows, ranks);
      }
      if (sign < 0)
        for (size_t i = 0; i < cells; i++) { own[i].re /= (double)n * n; own[i].im /= (double)n * n; }
    }
  double most = 0, whole;
  for (size_t i = 0; i < cells; i++) { const double off = fabs(own[i].re - (double)((i + (size_t)rank * cells) % 97) / 97); if (off > most) most = off; }
  MPI_Allreduce(&most, &whole, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (!rank) printf("largest difference %.3g\n", whole);
  free(own); free(out); free(in); free(roots);
  MPI_Finalize();
}
