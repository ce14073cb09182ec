/* Records the calls of MPI that the examples heat_mpi.c and fft.c make, by the profiling interface: link it before MPI.
   At the end each rank writes PREFIX.RANK, events in the order of its program, the columns of a trace of dse.
   An exchange is two requests that are posted together; time between calls is computing. */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXCHANGE, ALLREDUCE, ALLTOALL };
typedef struct {
  double enter, leave;
  int kind, to, from, sent_tag, received_tag;
  long sent, received;
} Call;

static Call *calls;
static long count, room;
static double begun;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for all ranks of a node */
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static Call *next_call(int kind) {
  if (count == room) {
    room = room ? 2 * room : 1 << 16;
    calls = realloc(calls, room * sizeof *calls);
    if (!calls) abort();
  }
  calls[count] = (Call){.kind = kind};
  return &calls[count++];
}

static long bytes(int number, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (long)number * size;
}

int MPI_Init(int *argc, char ***argv) {
  const int result = PMPI_Init(argc, argv);
  next_call(EXCHANGE);
  count = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  begun = now();
  return result;
}

int MPI_Sendrecv(const void *out, int sent, MPI_Datatype of_sent, int to, int sent_tag, void *in, int received,
                 MPI_Datatype of_received, int from, int received_tag, MPI_Comm comm, MPI_Status *status) {
  Call *call = next_call(EXCHANGE);
  *call = (Call){0, 0, EXCHANGE, to, from, sent_tag, received_tag, bytes(sent, of_sent), bytes(received, of_received)};
  call->enter = now();
  const int result =
      PMPI_Sendrecv(out, sent, of_sent, to, sent_tag, in, received, of_received, from, received_tag, comm, status);
  call->leave = now();
  return result;
}

int MPI_Allreduce(const void *out, void *in, int number, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  Call *call = next_call(ALLREDUCE);
  call->sent = bytes(number, type);
  call->enter = now();
  const int result = PMPI_Allreduce(out, in, number, type, operation, comm);
  call->leave = now();
  return result;
}

int MPI_Alltoall(const void *out, int sent, MPI_Datatype of_sent, void *in, int received, MPI_Datatype of_received,
                 MPI_Comm comm) {
  Call *call = next_call(ALLTOALL);
  call->sent = bytes(sent, of_sent);
  call->enter = now();
  const int result = PMPI_Alltoall(out, sent, of_sent, in, received, of_received, comm);
  call->leave = now();
  return result;
}

int MPI_Finalize(void) {
  const double ended = now();
  int rank;
  char name[4096];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", getenv("RECORDED"), rank);
  FILE *file = fopen(name, "w");
  if (!file) abort();
  double zero = begun, before;
  PMPI_Bcast(&zero, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  before = begun > zero ? begun - zero : 0.0;
  for (long i = 0; i <= count; i++) {
    const double enter = (i < count ? calls[i].enter : ended) - zero;
    if (enter > before) fprintf(file, "%d,compute,%.9f,,,,,,%.9f,%.9f\n", rank, enter - before, before, enter);
    if (i == count) break;
    const Call *c = &calls[i];
    const double leave = c->leave - zero;
    if (c->kind == EXCHANGE) {
      fprintf(file, "%d,irecv,,%d,%ld,%d,%ld,,%.9f,%.9f\n", rank, c->from, c->received, c->received_tag, 2 * i, enter, enter);
      fprintf(file, "%d,isend,,%d,%ld,%d,%ld,,%.9f,%.9f\n", rank, c->to, c->sent, c->sent_tag, 2 * i + 1, enter, enter);
      fprintf(file, "%d,wait,,,,,%ld,,%.9f,%.9f\n", rank, 2 * i, enter, leave);
      fprintf(file, "%d,wait,,,,,%ld,,%.9f,%.9f\n", rank, 2 * i + 1, leave, leave);
    } else {
      fprintf(file, "%d,collective,,,%ld,,,%s,%.9f,%.9f\n", rank, c->sent, c->kind == ALLREDUCE ? "allreduce" : "alltoall", enter, leave);
    }
    before = leave;
  }
  fclose(file);
  return PMPI_Finalize();
}
