#include "mpi_counts.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern int __dse_thread(void) __attribute__((weak));
extern int __dse_inside(void) __attribute__((weak));

enum { kThreads = 1024, kSizes = 66 };

static const char *const kNames[kKinds] = {
  "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv",
  "MPI_Allgather", "MPI_Allgatherv", "MPI_Scatter", "MPI_Scatterv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",
  "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Neighbor_allgather", "MPI_Neighbor_allgatherv",
  "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw", "MPI_Comm_create"};

typedef struct { Big messages, bytes; } Sum;
typedef struct {
  Sum received, sent, sizes[kSizes], calls[kKinds];
  Sum *from, *to; /* by world rank */
} Thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, lock_of_peers = PTHREAD_MUTEX_INITIALIZER;
static Thread *threads[kThreads];
static int world_rank = -1, world_size, process;
static int outside, began; /* of a region */
static int key_of_comm = MPI_KEYVAL_INVALID, key_of_window = MPI_KEYVAL_INVALID;
static MPI_Group world_group;

/* Whether what the calling thread does now is to be left out. */
static int is_left_out(void) {
  const int inside = __dse_inside ? __dse_inside() : -1;
  return inside < 0 ? outside : !inside;
}

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

/* Takes no lock: MPI calls it while it holds its own, and asks for ours inside calls that take MPI's. */
void dse_mpi_give_back(Peers *peers) {
  if (peers && !__atomic_sub_fetch(&peers->users, 1, __ATOMIC_ACQ_REL))
    free(peers);
}
static int comm_is_freed(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  dse_mpi_give_back(value);
  return MPI_SUCCESS;
}
static int window_is_freed(MPI_Win window, int key, void *value, void *extra) {
  (void)window, (void)key, (void)extra;
  dse_mpi_give_back(value);
  return MPI_SUCCESS;
}

void dse_mpi_begin(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_is_freed, &key_of_comm, NULL);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, window_is_freed, &key_of_window, NULL);
  process = (int)getpid();
}

static Peers *translated(MPI_Group group) {
  int size;
  PMPI_Group_size(group, &size);
  int *own = malloc(sizeof(int) * (size + 1));
  Peers *peers = malloc(sizeof *peers + sizeof(int) * size);
  if (!own || !peers)
    abort();
  *peers = (Peers){2, size}; /* the attribute, and who asked */
  for (int rank = 0; rank < size; ++rank)
    own[rank] = rank;
  PMPI_Group_translate_ranks(group, size, own, world_group, peers->rank);
  free(own);
  return peers;
}

Peers *dse_mpi_peers(MPI_Comm comm) {
  Peers *peers;
  int found, inter;
  MPI_Group group;
  if (world_rank < 0)
    return NULL;
  pthread_mutex_lock(&lock_of_peers);
  PMPI_Comm_get_attr(comm, key_of_comm, &peers, &found);
  if (found) {
    __atomic_add_fetch(&peers->users, 1, __ATOMIC_ACQ_REL);
  } else {
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
      PMPI_Comm_remote_group(comm, &group);
    else
      PMPI_Comm_group(comm, &group);
    peers = translated(group);
    PMPI_Group_free(&group);
    PMPI_Comm_set_attr(comm, key_of_comm, peers);
  }
  pthread_mutex_unlock(&lock_of_peers);
  return peers;
}

Peers *dse_mpi_peers_of_window(MPI_Win window) {
  Peers *peers;
  int found;
  MPI_Group group;
  if (world_rank < 0)
    return NULL;
  pthread_mutex_lock(&lock_of_peers);
  PMPI_Win_get_attr(window, key_of_window, &peers, &found);
  if (found) {
    __atomic_add_fetch(&peers->users, 1, __ATOMIC_ACQ_REL);
  } else {
    PMPI_Win_get_group(window, &group);
    peers = translated(group);
    PMPI_Group_free(&group);
    PMPI_Win_set_attr(window, key_of_window, peers);
  }
  pthread_mutex_unlock(&lock_of_peers);
  return peers;
}

Big dse_mpi_bytes(Big count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return count * (Big)size;
}

static void add(Sum *to, Big bytes) { to->messages++, to->bytes += bytes; }

/* Negative ranks are MPI_PROC_NULL, or of the empty status of an inactive request; processes that were spawned later are
 * no ranks of the world. */
void dse_mpi_sent(Big bytes, int rank, const Peers *peers) {
  if (!peers || rank < 0 || rank >= peers->size)
    return;
  const int bin = bytes < 2 ? (int)bytes : 65 - __builtin_clzll(bytes - 1); /* 0, 1, 2, 4, 8, ... */
  const int world = peers->rank[rank];
  pthread_mutex_lock(&lock);
  if (!is_left_out()) {
    Thread *own = mine();
    add(&own->sent, bytes);
    add(&own->sizes[bin], bytes);
    if (world >= 0 && world < world_size)
      add(&own->to[world], bytes);
  }
  pthread_mutex_unlock(&lock);
}

void dse_mpi_received(Big bytes, int rank, const Peers *peers) {
  if (!peers || rank < 0 || rank >= peers->size)
    return;
  const int world = peers->rank[rank];
  pthread_mutex_lock(&lock);
  if (!is_left_out()) {
    Thread *own = mine();
    add(&own->received, bytes);
    if (world >= 0 && world < world_size)
      add(&own->from[world], bytes);
  }
  pthread_mutex_unlock(&lock);
}

void dse_mpi_called(enum collective kind, Big bytes) {
  if (world_rank < 0)
    return;
  pthread_mutex_lock(&lock);
  if (!is_left_out())
    add(&mine()->calls[kind], bytes);
  pthread_mutex_unlock(&lock);
}

void dse_mpi_region(int on) {
  if (__dse_inside && __dse_inside() >= 0)
    return; /* the calls of a function are recorded, whatever the program marks */
  pthread_mutex_lock(&lock);
  for (int number = 0; on && !began && number < kThreads; ++number)
    if (threads[number]) {
      Thread *own = threads[number];
      Sum *to = own->to, *from = own->from;
      memset(own, 0, sizeof *own);
      own->to = to, own->from = from;
      memset(to, 0, sizeof *to * (size_t)world_size);
      memset(from, 0, sizeof *from * (size_t)world_size);
    }
  began |= on;
  outside = !on;
  pthread_mutex_unlock(&lock);
}

/* What the record takes over; a text lives until the next call. A process that a rank forked is no rank. */
const char *__dse_mpi_world(void) {
  static char text[64];
  if (world_rank < 0 || process != (int)getpid())
    return NULL;
  snprintf(text, sizeof text, "\"rank\":%d,\"size\":%d", world_rank, world_size);
  return text;
}

static void peers_as_json(FILE *out, const char *name, const Sum *of) {
  const char *before = "";
  fprintf(out, ",\"%s\":[", name);
  for (int rank = 0; rank < world_size; ++rank)
    if (of[rank].messages) {
      fprintf(out, "%s[%d,%llu,%llu]", before, rank, of[rank].messages, of[rank].bytes);
      before = ",";
    }
  fputs("]", out);
}

static void messages_as_json(FILE *out, const Thread *own) {
  const char *before = "";
  fprintf(out, "\"p2p\":{\"messages\":%llu,\"bytes\":%llu,\"sent_messages\":%llu,\"sent_bytes\":%llu", own->received.messages,
          own->received.bytes, own->sent.messages, own->sent.bytes);
  peers_as_json(out, "peers", own->from);
  peers_as_json(out, "sent_peers", own->to);
  fputs(",\"sizes\":[", out);
  for (int bin = 0; bin < kSizes; ++bin)
    if (own->sizes[bin].messages) {
      const Big upper = bin < 2 ? (Big)bin : 1ULL << (bin - 1);
      fprintf(out, "%s[%llu,%llu,%llu]", before, upper, own->sizes[bin].messages, own->sizes[bin].bytes);
      before = ",";
    }
  fputs("]},", out);
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
  if (own->received.messages || own->sent.messages)
    messages_as_json(out, own);
  fputs("\"collectives\":{", out);
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
