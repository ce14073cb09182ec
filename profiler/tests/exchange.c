// Programs of MPI that say themselves what they sent and what arrived: exchange SCENARIO FOLDER.
// What a collective operation brings is seen in the buffer: bytes that are no longer 0xff.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static FILE *told;
static unsigned char in[4096], out[4096], shared[256];
static MPI_Request request;

static void fresh(void) { memset(in, 0xff, sizeof in); }
static void tell(const char *name) {
  int bytes = 0;
  for (unsigned i = 0; i < sizeof in; i++)
    bytes += in[i] != 0xff;
  fprintf(told, "%s %d\n", name, bytes);
}
static int finish(int done) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return done;
}
#define ARRIVES(name, ...) (fresh(), MPI_##name(__VA_ARGS__), tell("MPI_" #name))
#define ARRIVES_LATER(name, lower, ...) (fresh(), finish(MPI_I##lower(__VA_ARGS__, &request)), tell("MPI_" #name))
#define TWICE(name, lower, ...) (ARRIVES(name, __VA_ARGS__), ARRIVES_LATER(name, lower, __VA_ARGS__))

static void collectives(void) {
  const MPI_Comm all = MPI_COMM_WORLD;
  int counts[8], places[8], ones[8], far_apart[8];
  MPI_Datatype types[8], bytes[8];
  for (int i = 0; i < size; i++) {
    counts[i] = i + 1, ones[i] = rank + 1, places[i] = 8 * i, far_apart[i] = 16 * i;
    types[i] = i % 2 ? MPI_INT : MPI_SHORT, bytes[i] = rank % 2 ? MPI_INT : MPI_SHORT;
  }
  TWICE(Barrier, barrier, all);
  TWICE(Bcast, bcast, rank ? in : out, 7, MPI_INT, 0, all);
  TWICE(Reduce, reduce, out, in, 5, MPI_INT, MPI_SUM, 1, all);
  TWICE(Allreduce, allreduce, out, in, 6, MPI_SHORT, MPI_MAX, all);
  TWICE(Scan, scan, out, in, 3, MPI_INT, MPI_SUM, all);
  TWICE(Exscan, exscan, out, in, 3, MPI_INT, MPI_SUM, all);
  TWICE(Gather, gather, out, 2, MPI_INT, in, 2, MPI_INT, 2, all);
  TWICE(Gatherv, gatherv, out, rank + 1, MPI_SHORT, in, counts, places, MPI_SHORT, 0, all);
  TWICE(Allgather, allgather, out, 4, MPI_SHORT, in, 4, MPI_SHORT, all);
  TWICE(Allgatherv, allgatherv, out, rank + 1, MPI_SHORT, in, counts, places, MPI_SHORT, all);
  TWICE(Scatter, scatter, out, 3, MPI_INT, in, 3, MPI_INT, 0, all);
  TWICE(Scatterv, scatterv, out, counts, places, MPI_SHORT, in, rank + 1, MPI_SHORT, 0, all);
  TWICE(Alltoall, alltoall, out, 2, MPI_SHORT, in, 2, MPI_SHORT, all);
  TWICE(Alltoallv, alltoallv, out, counts, places, MPI_SHORT, in, ones, places, MPI_SHORT, all);
  TWICE(Alltoallw, alltoallw, out, counts, places, bytes, in, ones, far_apart, types, all);
  TWICE(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, all);
  TWICE(Reduce_scatter_block, reduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, all);

  MPI_Comm grid, graph, apart, between;
  const int periodic = 0, sources[2] = {(rank + size - 1) % size, (rank + 1) % size};
  fresh();
  MPI_Cart_create(all, 1, &size, &periodic, 0, &grid);
  tell("MPI_Comm_create");
  MPI_Dist_graph_create_adjacent(all, 2, sources, MPI_UNWEIGHTED, 2, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  tell("MPI_Comm_create");
  const int two[2] = {rank + 1, rank + 1}, from[2] = {sources[0] + 1, sources[1] + 1}, at[2] = {0, 16};
  const MPI_Aint far[2] = {0, 64};
  const MPI_Datatype shorts[2] = {MPI_SHORT, MPI_SHORT};
  for (int i = 0; i < 2; i++) {
    const MPI_Comm comm = i ? graph : grid;
    TWICE(Neighbor_allgather, neighbor_allgather, out, 3, MPI_SHORT, in, 3, MPI_SHORT, comm);
    TWICE(Neighbor_allgatherv, neighbor_allgatherv, out, rank + 1, MPI_SHORT, in, from, at, MPI_SHORT, comm);
    TWICE(Neighbor_alltoall, neighbor_alltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    TWICE(Neighbor_alltoallv, neighbor_alltoallv, out, two, at, MPI_SHORT, in, from, at, MPI_SHORT, comm);
    TWICE(Neighbor_alltoallw, neighbor_alltoallw, out, two, far, shorts, in, from, far, shorts, comm);
  }
  MPI_Comm_split(all, rank == 0, 0, &apart);
  fresh();
  tell("MPI_Comm_create");
  MPI_Intercomm_create(apart, 0, all, rank ? 0 : 1, 9, &between);
  ARRIVES(Bcast, rank ? in : out, 11, MPI_BYTE, rank ? 0 : MPI_ROOT, between);
  ARRIVES(Gather, out, 5, MPI_BYTE, in, 5, MPI_BYTE, rank ? 0 : MPI_ROOT, between);
}

static void to(int world, int bytes) { fprintf(told, "to %d %d\n", world, bytes); }
static void from(int world, int bytes) { fprintf(told, "from %d %d\n", world, bytes); }

// A message of so many bytes to the next one of a communicator whose ranks are the world's, or the same turned round.
static void round_trip(MPI_Comm comm, int bytes, int matched, int turned) {
  int own, flag = 0;
  MPI_Message message;
  MPI_Request both[2];
  MPI_Status status;
  MPI_Comm_rank(comm, &own);
  const int next = (own + 1) % size, last = (own + size - 1) % size;
  MPI_Isend(out, bytes, MPI_BYTE, next, 3, comm, &both[0]);
  if (matched == 1) {
    MPI_Mprobe(MPI_ANY_SOURCE, 3, comm, &message, &status);
    MPI_Mrecv(in, sizeof in, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    both[1] = MPI_REQUEST_NULL;
  } else if (matched) {
    while (!flag)
      MPI_Improbe(last, 3, comm, &flag, &message, &status);
    MPI_Imrecv(in, sizeof in, MPI_BYTE, &message, &both[1]);
  } else {
    MPI_Irecv(in, sizeof in, MPI_BYTE, MPI_ANY_SOURCE, 3, comm, &both[1]);
  }
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  to(turned ? size - 1 - next : next, bytes);
  from(turned ? size - 1 - last : last, bytes);
}

static void messages(void) {
  MPI_Comm copy, turned, gone;
  MPI_Request both[2];
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, 0, size - rank, &turned);
  MPI_Comm_dup(turned, &gone);
  round_trip(copy, 10, 0, 0);
  round_trip(turned, 21, 0, 1);
  round_trip(turned, 33, 1, 1);
  round_trip(copy, 0, 2, 0);
  // The communicator is freed while its messages are on their way.
  MPI_Irecv(in, 64, MPI_BYTE, MPI_ANY_SOURCE, 1, gone, &both[0]);
  MPI_Isend(out, 17, MPI_BYTE, (size - rank) % size, 1, gone, &both[1]);
  MPI_Comm_free(&gone);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  to(last, 17);
  from(next, 17);
  // Nothing moves: to nobody, cancelled, wrong.
  MPI_Irecv(in, 64, MPI_BYTE, MPI_PROC_NULL, 1, copy, &both[0]);
  MPI_Irecv(in, 64, MPI_BYTE, next, 99, copy, &both[1]);
  MPI_Cancel(&both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  if (MPI_Send(out, 1, MPI_BYTE, 99, 0, copy) == MPI_SUCCESS)
    fprintf(told, "wrong\n");
}

static void windows(void) {
  MPI_Win window;
  MPI_Comm turned;
  MPI_Request r;
  int old, one = 1, none = 0;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
  const int next = (size - rank) % size, world = size - 1 - next;
  MPI_Win_create(shared, sizeof shared, 1, MPI_INFO_NULL, turned, &window);
  MPI_Win_lock_all(0, window);
  MPI_Put(out, 5, MPI_INT, next, 0, 5, MPI_INT, window), to(world, 20);
  MPI_Put(out, 5, MPI_INT, MPI_PROC_NULL, 0, 5, MPI_INT, window);
  MPI_Get(in, 3, MPI_SHORT, next, 32, 3, MPI_SHORT, window), from(world, 6);
  MPI_Accumulate(out, 7, MPI_BYTE, next, 64, 7, MPI_BYTE, MPI_REPLACE, window), to(world, 7);
  MPI_Rput(out, 9, MPI_BYTE, next, 96, 9, MPI_BYTE, window, &r), to(world, 9), MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Rget(in, 4, MPI_INT, next, 128, 4, MPI_INT, window, &r), from(world, 16), MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, next, 160, 2, MPI_INT, MPI_SUM, window), to(world, 8), from(world, 8);
  MPI_Get_accumulate(out, 0, MPI_INT, in, 2, MPI_INT, next, 160, 2, MPI_INT, MPI_NO_OP, window), from(world, 8);
  MPI_Fetch_and_op(&one, &old, MPI_INT, next, 192, MPI_SUM, window), to(world, 4), from(world, 4);
  MPI_Compare_and_swap(&one, &none, &old, MPI_INT, next, 224, window), to(world, 8), from(world, 4);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void *talk(void *number) {
  const long own = (long)number, bytes = 100 * (own + 1);
  unsigned char here[512];
  MPI_Comm comm = own ? MPI_COMM_WORLD : MPI_COMM_SELF;
  const int next = own ? (rank + 1) % size : 0;
  for (int i = 0; i < 200; i++) {
    MPI_Request both[2];
    MPI_Irecv(here, sizeof here, MPI_BYTE, MPI_ANY_SOURCE, own, comm, &both[0]);
    MPI_Isend(out, bytes, MPI_BYTE, next, own, comm, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  return 0;
}

int main(int argc, char **argv) {
  char name[4096];
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "%s/told-%d", argv[2], rank);
  told = fopen(name, "w");
  memset(out, 1, sizeof out);
  fresh();
  if (argv[1][0] == 'c')
    collectives();
  else if (argv[1][0] == 'm')
    messages();
  else if (argv[1][0] == 'w')
    windows();
  else {
    pthread_t threads[2];
    fprintf(told, "level %d\n", level == MPI_THREAD_MULTIPLE);
    for (long i = 0; i < 2; i++)
      pthread_create(&threads[i], 0, talk, (void *)i);
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], 0);
  }
  fclose(told);
  MPI_Finalize();
  return 0;
}
