/* Counts what a process sends and receives through MPI: each MPI_X here calls PMPI_X.
 *
 * Received bytes are what arrived (the status of the completed receive), sent bytes are count x size of the type. Peers
 * are ranks in MPI_COMM_WORLD. Of a collective operation the bytes that this process receives are counted, its own part
 * included; what MPI_IN_PLACE leaves in place counts as if it had been received. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int __dse_thread(void) __attribute__((weak));

enum { kThreads = 1024, kSizes = 66, kBuckets = 4096 };

enum collective {
  kBarrier, kBcast, kReduce, kAllreduce, kScan, kExscan, kGather, kGatherv, kAllgather, kAllgatherv, kScatter, kScatterv,
  kAlltoall, kAlltoallv, kReduceScatter, kReduceScatterBlock, kNeighborAllgather, kNeighborAlltoall, kCommunicators, kKinds
};
static const char *const kNames[kKinds] = {
  "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv",
  "MPI_Allgather", "MPI_Allgatherv", "MPI_Scatter", "MPI_Scatterv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Reduce_scatter",
  "MPI_Reduce_scatter_block", "MPI_Neighbor_allgather", "MPI_Neighbor_alltoall", "MPI_Comm_create"};

typedef unsigned long long Big;
typedef struct { Big messages, bytes; } Sum;
typedef struct {
  Sum received, sent, sizes[kSizes], calls[kKinds];
  Sum *from, *to; /* by world rank */
} Thread;

/* A request that is not done: an immediate or persistent receive, or a persistent send. */
typedef struct Pending {
  MPI_Request request;
  MPI_Comm comm;
  int persistent, is_send, dest;
  Big bytes;
  struct Pending *next;
} Pending;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Thread *threads[kThreads];
static Pending *pending[kBuckets];
static int world_rank = -1, world_size, key_of_ranks = MPI_KEYVAL_INVALID;
static MPI_Group world_group;

static Thread *mine(void) {
  int number = __dse_thread ? __dse_thread() : 0;
  if (number < 0 || number >= kThreads)
    number = kThreads - 1;
  if (!threads[number]) {
    Thread *made = calloc(1, sizeof *made);
    if (!made || !(made->from = calloc(world_size, sizeof(Sum))) || !(made->to = calloc(world_size, sizeof(Sum)))) {
      fputs("dse: no memory to count MPI calls\n", stderr);
      abort();
    }
    threads[number] = made;
  }
  return threads[number];
}

static int free_ranks(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  free(value);
  return MPI_SUCCESS;
}

/* Ranks in the world of the processes that a communicator's ranks name (the remote ones of an intercommunicator). */
static const int *world_ranks(MPI_Comm comm) {
  void *value;
  int found, size, inter;
  MPI_Group group;
  PMPI_Comm_get_attr(comm, key_of_ranks, &value, &found);
  if (found)
    return value;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Group_size(group, &size);
  int *own = malloc(sizeof(int) * size), *ranks = malloc(sizeof(int) * size);
  if (!own || !ranks)
    abort();
  for (int rank = 0; rank < size; ++rank)
    own[rank] = rank;
  PMPI_Group_translate_ranks(group, size, own, world_group, ranks);
  PMPI_Group_free(&group);
  free(own);
  PMPI_Comm_set_attr(comm, key_of_ranks, ranks);
  return ranks;
}

static void begin(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_ranks, &key_of_ranks, NULL);
}

static Big bytes_of(Big count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return count * (Big)size;
}

static void sent_bytes(Big bytes, int dest, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL)
    return;
  pthread_mutex_lock(&lock);
  Thread *own = mine();
  const int bin = bytes < 2 ? (int)bytes : 65 - __builtin_clzll(bytes - 1); /* 0, 1, 2, 4, 8, ... */
  const int rank = world_ranks(comm)[dest];
  own->sent.messages++, own->sent.bytes += bytes;
  own->sizes[bin].messages++, own->sizes[bin].bytes += bytes;
  if (rank >= 0 && rank < world_size)
    own->to[rank].messages++, own->to[rank].bytes += bytes;
  pthread_mutex_unlock(&lock);
}

static void sent(int count, MPI_Datatype type, int dest, MPI_Comm comm) { sent_bytes(bytes_of(count, type), dest, comm); }

static void received_from(int source, Big bytes, MPI_Comm comm) {
  pthread_mutex_lock(&lock);
  Thread *own = mine();
  const int rank = world_ranks(comm)[source];
  own->received.messages++, own->received.bytes += bytes;
  if (rank >= 0 && rank < world_size)
    own->from[rank].messages++, own->from[rank].bytes += bytes;
  pthread_mutex_unlock(&lock);
}

static void received(const MPI_Status *status, MPI_Comm comm) {
  MPI_Count bytes = 0;
  int cancelled = 0;
  if (status->MPI_SOURCE < 0) /* MPI_PROC_NULL, or the empty status of an inactive request */
    return;
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled)
    return;
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  received_from(status->MPI_SOURCE, bytes, comm);
}

static unsigned bucket(MPI_Request request) {
  return (unsigned)(((uint64_t)(uintptr_t)request * 0x9E3779B97F4A7C15u) >> 52) % kBuckets;
}

static void keep(MPI_Request request, MPI_Comm comm, int persistent, int is_send, Big bytes, int dest) {
  if (request == MPI_REQUEST_NULL)
    return;
  Pending *made = malloc(sizeof *made);
  if (!made)
    abort();
  pthread_mutex_lock(&lock);
  *made = (Pending){request, comm, persistent, is_send, dest, bytes, pending[bucket(request)]};
  pending[bucket(request)] = made;
  pthread_mutex_unlock(&lock);
}

/* Tells what is known of a request, and forgets it unless it stays in use: handles are used again. */
static int take(MPI_Request request, int forget, Pending *out) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (Pending **at = &pending[bucket(request)]; *at; at = &(*at)->next)
    if ((*at)->request == request) {
      Pending *one = *at;
      *out = *one;
      found = 1;
      if (forget || !one->persistent) {
        *at = one->next;
        free(one);
      }
      break;
    }
  pthread_mutex_unlock(&lock);
  return found;
}

static void completed(MPI_Request request, const MPI_Status *status) {
  Pending one;
  if (request != MPI_REQUEST_NULL && take(request, 0, &one) && !one.is_send)
    received(status, one.comm);
}

int MPI_Init(int *argc, char ***argv) {
  const int done = PMPI_Init(argc, argv);
  begin();
  return done;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int done = PMPI_Init_thread(argc, argv, required, provided);
  begin();
  return done;
}

#define SEND(name) \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    sent(count, type, dest, comm); \
    return PMPI_##name(buffer, count, type, dest, tag, comm); \
  }
SEND(Send) SEND(Ssend) SEND(Bsend) SEND(Rsend)
#define ISEND(name) \
  int MPI_##name(const void *b, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    sent(count, type, dest, comm); \
    return PMPI_##name(b, count, type, dest, tag, comm, request); \
  }
ISEND(Isend) ISEND(Issend) ISEND(Ibsend) ISEND(Irsend)
#define SEND_INIT(name) \
  int MPI_##name(const void *b, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    const int done = PMPI_##name(b, count, type, dest, tag, comm, request); \
    keep(*request, comm, 1, 1, bytes_of(count, type), dest); \
    return done; \
  }
SEND_INIT(Send_init) SEND_INIT(Ssend_init) SEND_INIT(Bsend_init) SEND_INIT(Rsend_init)

int MPI_Recv(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Recv(b, count, type, source, tag, comm, status);
  received(status, comm);
  return done;
}
int MPI_Irecv(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  const int done = PMPI_Irecv(b, count, type, source, tag, comm, request);
  keep(*request, comm, 0, 0, 0, source);
  return done;
}
int MPI_Recv_init(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  const int done = PMPI_Recv_init(b, count, type, source, tag, comm, request);
  keep(*request, comm, 1, 0, 0, source);
  return done;
}
static void started(MPI_Request request) {
  Pending one;
  if (take(request, 0, &one) && one.is_send)
    sent_bytes(one.bytes, one.dest, one.comm);
}
int MPI_Start(MPI_Request *request) {
  started(*request);
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i)
    started(requests[i]);
  return PMPI_Startall(count, requests);
}
int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int dest, int tag, void *in, int in_count,
                 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  sent(count, type, dest, comm);
  const int done = PMPI_Sendrecv(out, count, type, dest, tag, in, in_count, in_type, source, in_tag, comm, status);
  received(status, comm);
  return done;
}
int MPI_Sendrecv_replace(void *b, int count, MPI_Datatype type, int dest, int tag, int source, int in_tag, MPI_Comm comm,
                         MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  sent(count, type, dest, comm);
  const int done = PMPI_Sendrecv_replace(b, count, type, dest, tag, source, in_tag, comm, status);
  received(status, comm);
  return done;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  MPI_Status own;
  const MPI_Request before = *request;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Wait(request, status);
  completed(before, status);
  return done;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  MPI_Status own;
  const MPI_Request before = *request;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Test(request, flag, status);
  if (*flag)
    completed(before, status);
  return done;
}

/* Copies of the handles, which the calls overwrite, and room for the statuses that the program ignores. */
typedef struct { MPI_Request *before; MPI_Status *statuses; int own; } Several;
static Several several(int count, const MPI_Request requests[], MPI_Status statuses[]) {
  Several made = {malloc(sizeof(MPI_Request) * (count + 1)), statuses, statuses == MPI_STATUSES_IGNORE};
  if (made.own)
    made.statuses = malloc(sizeof(MPI_Status) * (count + 1));
  if (!made.before || !made.statuses)
    abort();
  if (count)
    memcpy(made.before, requests, sizeof(MPI_Request) * count);
  return made;
}
static void end(Several made) {
  free(made.before);
  if (made.own)
    free(made.statuses);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  Several all = several(count, requests, statuses);
  const int done = PMPI_Waitall(count, requests, all.statuses);
  for (int i = 0; i < count; ++i)
    completed(all.before[i], &all.statuses[i]);
  end(all);
  return done;
}
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  Several all = several(count, requests, statuses);
  const int done = PMPI_Testall(count, requests, flag, all.statuses);
  for (int i = 0; *flag && i < count; ++i)
    completed(all.before[i], &all.statuses[i]);
  end(all);
  return done;
}
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
  MPI_Status one;
  Several all = several(count, requests, &one);
  if (status == MPI_STATUS_IGNORE)
    status = &one;
  const int done = PMPI_Waitany(count, requests, index, status);
  if (*index != MPI_UNDEFINED)
    completed(all.before[*index], status);
  end(all);
  return done;
}
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  MPI_Status one;
  Several all = several(count, requests, &one);
  if (status == MPI_STATUS_IGNORE)
    status = &one;
  const int done = PMPI_Testany(count, requests, index, flag, status);
  if (*flag && *index != MPI_UNDEFINED)
    completed(all.before[*index], status);
  end(all);
  return done;
}
#define SOME(name) \
  int MPI_##name(int count, MPI_Request requests[], int *completions, int indices[], MPI_Status statuses[]) { \
    Several all = several(count, requests, statuses); \
    const int done = PMPI_##name(count, requests, completions, indices, all.statuses); \
    for (int i = 0; *completions != MPI_UNDEFINED && i < *completions; ++i) \
      completed(all.before[indices[i]], &all.statuses[i]); \
    end(all); \
    return done; \
  }
SOME(Waitsome) SOME(Testsome)
int MPI_Request_free(MPI_Request *request) {
  Pending one;
  take(*request, 1, &one);
  return PMPI_Request_free(request);
}

/* One-sided: what the caller moves counts as its messages. */
static int target_of(int target, MPI_Win window) {
  MPI_Group group;
  int rank;
  PMPI_Win_get_group(window, &group);
  PMPI_Group_translate_ranks(group, 1, &target, world_group, &rank);
  PMPI_Group_free(&group);
  return rank;
}
int MPI_Put(const void *b, int count, MPI_Datatype type, int target, MPI_Aint at, int n, MPI_Datatype t, MPI_Win window) {
  if (target != MPI_PROC_NULL)
    sent(count, type, target_of(target, window), MPI_COMM_WORLD);
  return PMPI_Put(b, count, type, target, at, n, t, window);
}
int MPI_Accumulate(const void *b, int count, MPI_Datatype type, int target, MPI_Aint at, int n, MPI_Datatype t, MPI_Op op,
                   MPI_Win window) {
  if (target != MPI_PROC_NULL)
    sent(count, type, target_of(target, window), MPI_COMM_WORLD);
  return PMPI_Accumulate(b, count, type, target, at, n, t, op, window);
}
int MPI_Get(void *b, int count, MPI_Datatype type, int target, MPI_Aint at, int n, MPI_Datatype t, MPI_Win window) {
  if (target != MPI_PROC_NULL)
    received_from(target_of(target, window), bytes_of(count, type), MPI_COMM_WORLD);
  return PMPI_Get(b, count, type, target, at, n, t, window);
}

static void called(enum collective kind, Big bytes) {
  pthread_mutex_lock(&lock);
  Thread *own = mine();
  own->calls[kind].messages++, own->calls[kind].bytes += bytes;
  pthread_mutex_unlock(&lock);
}
static int size_of(MPI_Comm comm) { /* processes that send to this one */
  int size, inter;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter)
    PMPI_Comm_remote_size(comm, &size);
  else
    PMPI_Comm_size(comm, &size);
  return size;
}
static int rank_of(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
static int is_root(int root, MPI_Comm comm) { return root == MPI_ROOT || root == rank_of(comm); }
static int is_outside(int root) { return root == MPI_ROOT || root == MPI_PROC_NULL; }
static Big sum(const int counts[], int length) {
  Big total = 0;
  for (int i = 0; i < length; ++i)
    total += (Big)counts[i];
  return total;
}
static int sources_of(MPI_Comm comm) {
  int kind, in = 0, out, weighted;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART)
    return PMPI_Cartdim_get(comm, &in), 2 * in;
  if (kind == MPI_DIST_GRAPH)
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  if (kind == MPI_GRAPH)
    PMPI_Graph_neighbors_count(comm, rank_of(comm), &in);
  return in;
}

/* A collective operation and its non-blocking form: `bytes` may use the names of the arguments. */
#define UNPACK(...) __VA_ARGS__
#define BOTH(kind, name, given, passed, bytes) \
  int MPI_##name(UNPACK given) { \
    called(kind, bytes); \
    return PMPI_##name(UNPACK passed); \
  }
#define BLOCKING_OR_NOT(kind, name, iname, given, passed, bytes) \
  BOTH(kind, name, given, passed, bytes) \
  BOTH(kind, iname, (UNPACK given, MPI_Request *request), (UNPACK passed, request), bytes)
#define COUNTED BLOCKING_OR_NOT

COUNTED(kBarrier, Barrier, Ibarrier, (MPI_Comm comm), (comm), 0)
COUNTED(kBcast, Bcast, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm), (b, n, t, root, comm),
        is_root(root, comm) || is_outside(root) ? 0 : bytes_of(n, t))
COUNTED(kReduce, Reduce, Ireduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
        (s, r, n, t, op, root, comm), is_root(root, comm) ? bytes_of(n, t) : 0)
COUNTED(kAllreduce, Allreduce, Iallreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
        (s, r, n, t, op, comm), bytes_of(n, t))
COUNTED(kScan, Scan, Iscan, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm),
        bytes_of(n, t))
COUNTED(kExscan, Exscan, Iexscan, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
        (s, r, n, t, op, comm), rank_of(comm) ? bytes_of(n, t) : 0)
COUNTED(kGather, Gather, Igather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, rt, root, comm), is_root(root, comm) ? size_of(comm) * bytes_of(rn, rt) : 0)
COUNTED(kGatherv, Gatherv, Igatherv,
        (const void *s, int n, MPI_Datatype t, void *r, const int rn[], const int at[], MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, at, rt, root, comm), is_root(root, comm) ? bytes_of(sum(rn, size_of(comm)), rt) : 0)
COUNTED(kAllgather, Allgather, Iallgather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        size_of(comm) * bytes_of(rn, rt))
COUNTED(kAllgatherv, Allgatherv, Iallgatherv,
        (const void *s, int n, MPI_Datatype t, void *r, const int rn[], const int at[], MPI_Datatype rt, MPI_Comm comm),
        (s, n, t, r, rn, at, rt, comm), bytes_of(sum(rn, size_of(comm)), rt))
/* The root of a scatter may give MPI_IN_PLACE for its receive side: then the send side tells the size of a block. */
COUNTED(kScatter, Scatter, Iscatter,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, rt, root, comm), r == MPI_IN_PLACE ? bytes_of(n, t) : is_outside(root) ? 0 : bytes_of(rn, rt))
COUNTED(kScatterv, Scatterv, Iscatterv,
        (const void *s, const int n[], const int at[], MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, at, t, r, rn, rt, root, comm),
        r == MPI_IN_PLACE ? bytes_of(n[rank_of(comm)], t) : is_outside(root) ? 0 : bytes_of(rn, rt))
COUNTED(kAlltoall, Alltoall, Ialltoall,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        size_of(comm) * bytes_of(rn, rt))
COUNTED(kAlltoallv, Alltoallv, Ialltoallv,
        (const void *s, const int n[], const int at[], MPI_Datatype t, void *r, const int rn[], const int rat[],
         MPI_Datatype rt, MPI_Comm comm),
        (s, n, at, t, r, rn, rat, rt, comm), bytes_of(sum(rn, size_of(comm)), rt))
COUNTED(kReduceScatter, Reduce_scatter, Ireduce_scatter,
        (const void *s, void *r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm),
        bytes_of(n[rank_of(comm)], t))
COUNTED(kReduceScatterBlock, Reduce_scatter_block, Ireduce_scatter_block,
        (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm), bytes_of(n, t))
COUNTED(kNeighborAllgather, Neighbor_allgather, Ineighbor_allgather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        sources_of(comm) * bytes_of(rn, rt))
COUNTED(kNeighborAlltoall, Neighbor_alltoall, Ineighbor_alltoall,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        sources_of(comm) * bytes_of(rn, rt))
BOTH(kCommunicators, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made), 0)
BOTH(kCommunicators, Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), 0)
BOTH(kCommunicators, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), 0)

/* What the record takes over; a text lives until the next call. */
const char *__dse_mpi_world(void) {
  static char text[64];
  if (world_rank < 0)
    return NULL;
  snprintf(text, sizeof text, "\"rank\":%d,\"size\":%d", world_rank, world_size);
  return text;
}

static void peers(FILE *out, const char *name, const Sum *of) {
  const char *before = "";
  fprintf(out, ",\"%s\":[", name);
  for (int rank = 0; rank < world_size; ++rank)
    if (of[rank].messages) {
      fprintf(out, "%s[%d,%llu,%llu]", before, rank, of[rank].messages, of[rank].bytes);
      before = ",";
    }
  fputs("]", out);
}

const char *__dse_mpi_json(int number) {
  static char *text;
  size_t length;
  const char *before = "";
  if (number < 0 || number >= kThreads || !threads[number])
    return NULL;
  const Thread *own = threads[number];
  free(text);
  text = NULL;
  FILE *out = open_memstream(&text, &length);
  if (!out)
    return NULL;
  fputs("{", out);
  if (own->received.messages || own->sent.messages) {
    fprintf(out, "\"p2p\":{\"messages\":%llu,\"bytes\":%llu,\"sent_messages\":%llu,\"sent_bytes\":%llu", own->received.messages,
            own->received.bytes, own->sent.messages, own->sent.bytes);
    peers(out, "peers", own->from);
    peers(out, "sent_peers", own->to);
    fputs(",\"sizes\":[", out);
    for (int bin = 0; bin < kSizes; ++bin)
      if (own->sizes[bin].messages) {
        const Big upper = bin < 2 ? (Big)bin : 1ULL << (bin - 1);
        fprintf(out, "%s[%llu,%llu,%llu]", before, upper, own->sizes[bin].messages, own->sizes[bin].bytes);
        before = ",";
      }
    fputs("]},", out);
  }
  fputs("\"collectives\":{", out);
  before = "";
  for (int kind = 0; kind < kKinds; ++kind)
    if (own->calls[kind].messages) {
      fprintf(out, "%s\"%s\":{\"count\":%llu,\"bytes\":%llu}", before, kNames[kind], own->calls[kind].messages,
              own->calls[kind].bytes);
      before = ",";
    }
  fputs("}}", out);
  fclose(out);
  return text;
}
