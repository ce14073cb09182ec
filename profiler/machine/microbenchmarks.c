/* Microbenchmarks of a machine, one line for each time one was run: name, working set [B] or 0, seconds of an operation.
 *
 * Processor time of this thread, so that others only disturb what they share with it. Arguments: seconds in all by the
 * clock on the wall, and the largest working set [B]. Working sets grow while there is time; then rounds begin anew.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__x86_64__)
#define INTEGER(a) __asm__ volatile("" : "+r"(a))
#define DOUBLE(a) __asm__ volatile("" : "+x"(a))
#define CLOCK_CYCLES 3 /* of a multiplication of integers on Intel since 2008 and AMD since 2017 (Fog, Instruction tables) */
#define CLOCK_STEP(a) __asm__ volatile("imul %0,%0" : "+r"(a))
#elif defined(__aarch64__)
#define INTEGER(a) __asm__ volatile("" : "+r"(a))
#define DOUBLE(a) __asm__ volatile("" : "+w"(a))
#define CLOCK_CYCLES 1
#define CLOCK_STEP(a) __asm__ volatile("add %0,%0,#1" : "+r"(a))
#else
#error "the clock is measured by a chain of instructions of x86-64 or of 64-bit ARM"
#endif

enum { LINE = 64, PAGE = 4096 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void told(const char *name, size_t bytes, double seconds) {
  printf("%s %zu %.6g\n", name, bytes, seconds);
  fflush(stdout);
}

static void chains(void) {
  enum { STEPS = 400000 };
  uint64_t a = 3;
  double t = now();
  for (int i = 0; i < STEPS; i++) {
    CLOCK_STEP(a); CLOCK_STEP(a); CLOCK_STEP(a); CLOCK_STEP(a);
  }
  told("cycle", 0, (now() - t) / (4.0 * STEPS * CLOCK_CYCLES));
#define CHAIN(name, type, barrier, start, step)                                                                                  \
  {                                                                                                                              \
    type x = start;                                                                                                              \
    barrier(x);                                                                                                                  \
    const double began = now();                                                                                                  \
    for (int i = 0; i < STEPS / 4; i++) {                                                                                        \
      step; barrier(x); step; barrier(x); step; barrier(x); step; barrier(x);                                                    \
    }                                                                                                                            \
    told(name, 0, (now() - began) / STEPS);                                                                                      \
  }
  volatile double near_one_v = 1.0000001;
  volatile uint64_t seven_v = 7;
  const double near_one = near_one_v;
  const uint64_t seven = seven_v;
  CHAIN("integer_multiply_chain", uint64_t, INTEGER, 3, x = x * seven)
  CHAIN("integer_divide_chain", uint64_t, INTEGER, ~0ull, x = x / seven | 1ull << 63)
  CHAIN("float_add_chain", double, DOUBLE, 1.0, x = x + near_one)
  CHAIN("float_multiply_chain", double, DOUBLE, 1.0, x = x * near_one)
  CHAIN("float_divide_chain", double, DOUBLE, 1.0, x = x / near_one)
#define TWELVE(act) act(0) act(1) act(2) act(3) act(4) act(5) act(6) act(7) act(8) act(9) act(10) act(11)
  double d[12];
  uint64_t n[12];
  for (int k = 0; k < 12; k++) { d[k] = 1.0 + k; n[k] = 3 + (uint64_t)k; }
  {
#define TAKE_D(k) double d##k = d[k];
#define STEP_D(k) d##k = d##k * near_one; DOUBLE(d##k);
#define KEEP_D(k) d[k] = d##k;
    TWELVE(TAKE_D)
    t = now();
    for (int i = 0; i < STEPS / 4; i++) { TWELVE(STEP_D) }
    told("float_multiply_apart", 0, (now() - t) / (STEPS / 4 * 12.0));
    TWELVE(KEEP_D)
  }
  {
#define TAKE_N(k) uint64_t n##k = n[k];
#define STEP_N(k) n##k = n##k * seven; INTEGER(n##k);
#define KEEP_N(k) n[k] = n##k;
    TWELVE(TAKE_N)
    t = now();
    for (int i = 0; i < STEPS / 4; i++) { TWELVE(STEP_N) }
    told("integer_multiply_apart", 0, (now() - t) / (STEPS / 4 * 12.0));
    TWELVE(KEEP_N)
  }
  volatile double sink = d[3];
  volatile uint64_t other = n[5] + a;
  (void)sink;
  (void)other;
}

static char *region(size_t bytes, int large) {
  const size_t step = (size_t)2 << 20, whole = (bytes + step - 1) / step * step + step;
  char *place = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return NULL;
  char *aligned = place + (step - (uintptr_t)place % step) % step;
  madvise(aligned, whole - step, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return aligned;
}
static void leave(char *place, size_t bytes) { munmap(place, (bytes + ((size_t)2 << 20) - 1) / ((size_t)2 << 20) * ((size_t)2 << 20)); }

static uint64_t state = 88172645463325252ull;
static uint64_t drawn(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* One cycle through all lines, in a random order. */
static void link_lines(char *place, size_t bytes) {
  const size_t lines = bytes / LINE;
  uint32_t *order = malloc(lines * sizeof *order);
  if (!order)
    exit(1);
  for (size_t i = 0; i < lines; i++)
    order[i] = (uint32_t)i;
  for (size_t i = lines - 1; i > 0; i--) {
    const size_t j = drawn() % (i + 1);
    const uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (size_t i = 0; i < lines; i++)
    *(char **)(place + (size_t)order[i] * LINE) = place + (size_t)order[(i + 1) % lines] * LINE;
  free(order);
}

static void latency(char *place, size_t bytes, const char *name, const char *apart) {
  const size_t lines = bytes / LINE, steps = lines < 100000 ? 200000 : 100000;
  char *p = place;
  for (size_t i = 0; i < (lines < steps ? lines : steps); i++)
    p = *(char **)p;
  double t = now();
  for (size_t i = 0; i < steps; i++)
    p = *(char **)p;
  told(name, bytes, (now() - t) / (double)steps);
  uint64_t sum = (uint64_t)(uintptr_t)p & 1, x = state | 1;
  t = now();
  for (size_t i = 0; i < steps; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    sum += *(uint64_t *)(place + ((x >> 20) % lines) * LINE);
  }
  told(apart, bytes, (now() - t) / (double)steps);
  volatile uint64_t sink = sum;
  (void)sink;
}

__attribute__((noinline)) static uint64_t read_all(const uint64_t *a, size_t n) {
  uint64_t s = 0;
  for (size_t i = 0; i < n; i++)
    s += a[i];
  return s;
}
__attribute__((noinline)) static void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n) {
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];
}

/* Seconds of a byte. */
static void bandwidth(char *place, size_t bytes) {
  const size_t times = bytes < ((size_t)8 << 20) ? ((size_t)8 << 20) / bytes : 1, third = bytes / 3 / LINE * LINE;
  volatile uint64_t sink = read_all((uint64_t *)place, bytes / 8);
  double t = now();
  for (size_t i = 0; i < times; i++)
    sink = read_all((uint64_t *)place, bytes / 8);
  told("read", bytes, (now() - t) / ((double)times * (double)bytes));
  double *a = (double *)place, *b = (double *)(place + third), *c = (double *)(place + 2 * third);
  triad(a, b, c, third / 8);
  t = now();
  for (size_t i = 0; i < times; i++)
    triad(a, b, c, third / 8);
  told("triad", bytes, (now() - t) / ((double)times * 3.0 * (double)third));
  (void)sink;
}

/* As a program sees them that asks for memory and says nothing about its pages. */
static void page_faults(void) {
  const size_t bytes = (size_t)32 << 20;
  char *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return;
  double t = now();
  for (size_t at = 0; at < bytes; at += PAGE)
    ((volatile char *)place)[at] = 1;
  told("page_fault", bytes, (now() - t) / ((double)bytes / PAGE));
  munmap(place, bytes);
}

int main(int count, char **words) {
  if (count < 3)
    return 2;
  enum { ROUNDS = 20, REPEATS = 3 };
  const double until = wall() + atof(words[1]);
  const size_t most = (size_t)strtoull(words[2], NULL, 10);
  for (int round = 0; round < ROUNDS && wall() < until; round++) {
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      chains();
      page_faults();
    }
    for (size_t bytes = (size_t)16 << 10; bytes <= most; bytes *= 2)
      for (int large = 1; large >= 0; large--) {
        if (wall() > until)
          return 0;
        char *place = region(bytes, large);
        if (!place)
          return 1;
        link_lines(place, bytes);
        for (int repeat = 0; repeat < REPEATS; repeat++)
          latency(place, bytes, large ? "latency" : "latency_small_pages", large ? "reads_apart" : "reads_apart_small_pages");
        memset(place, 0, bytes);
        for (int repeat = 0; large && repeat < REPEATS; repeat++)
          bandwidth(place, bytes);
        leave(place, bytes);
      }
  }
  return 0;
}
