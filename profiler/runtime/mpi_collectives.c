/* Collective operations: each MPI_X here calls PMPI_X and counts what went right, with the bytes this process receives. */
#include "mpi_counts.h"
#include <stddef.h>

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
/* Between two groups the root calls itself MPI_ROOT: the others' number is of the other group. */
static int is_root(int root, MPI_Comm comm) {
  int inter;
  PMPI_Comm_test_inter(comm, &inter);
  return inter ? root == MPI_ROOT : root == rank_of(comm);
}
static int is_outside(int root) { return root == MPI_ROOT || root == MPI_PROC_NULL; }
static Big sum(const int counts[], int length) {
  Big total = 0;
  for (int i = 0; i < length; ++i)
    total += (Big)counts[i];
  return total;
}
static Big sum_of_types(const int counts[], const MPI_Datatype types[], int length) {
  Big total = 0;
  for (int i = 0; i < length; ++i)
    total += dse_mpi_bytes((Big)counts[i], types[i]);
  return total;
}

/* What arrives from the neighbours of a topology: `n` elements of `type` each, or counts and types of their own. A
 * process at the edge of a grid has fewer neighbours than the grid has directions. */
static Big from_neighbours(MPI_Comm comm, int n, MPI_Datatype type, const int counts[], const MPI_Datatype types[]) {
  int kind, in = 0, out, weighted, before, behind;
  Big total = 0;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &in);
    in *= 2;
  } else if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, rank_of(comm), &in);
  }
  for (int i = 0; i < in; ++i) {
    if (kind == MPI_CART) {
      PMPI_Cart_shift(comm, i / 2, 1, &before, &behind);
      if ((i % 2 ? behind : before) == MPI_PROC_NULL)
        continue;
    }
    total += dse_mpi_bytes((Big)(counts ? counts[i] : n), types ? types[i] : type);
  }
  return total;
}

/* A collective operation and its non-blocking form: `bytes` may use the names of the arguments. */
#define UNPACK(...) __VA_ARGS__
#define BOTH(kind, name, given, passed, bytes) \
  int MPI_##name(UNPACK given) { \
    const int done = PMPI_##name(UNPACK passed); \
    if (done == MPI_SUCCESS) \
      dse_mpi_called(kind, bytes); \
    return done; \
  }
#define BLOCKING_OR_NOT(kind, name, iname, given, passed, bytes) \
  BOTH(kind, name, given, passed, bytes) \
  BOTH(kind, iname, (UNPACK given, MPI_Request *request), (UNPACK passed, request), bytes)

BLOCKING_OR_NOT(kBarrier, Barrier, Ibarrier, (MPI_Comm comm), (comm), 0)
BLOCKING_OR_NOT(kBcast, Bcast, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm), (b, n, t, root, comm),
        is_root(root, comm) || is_outside(root) ? 0 : dse_mpi_bytes(n, t))
BLOCKING_OR_NOT(kReduce, Reduce, Ireduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
        (s, r, n, t, op, root, comm), is_root(root, comm) ? dse_mpi_bytes(n, t) : 0)
BLOCKING_OR_NOT(kAllreduce, Allreduce, Iallreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
        (s, r, n, t, op, comm), dse_mpi_bytes(n, t))
BLOCKING_OR_NOT(kScan, Scan, Iscan, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm),
        dse_mpi_bytes(n, t))
BLOCKING_OR_NOT(kExscan, Exscan, Iexscan, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
        (s, r, n, t, op, comm), rank_of(comm) ? dse_mpi_bytes(n, t) : 0)
BLOCKING_OR_NOT(kGather, Gather, Igather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, rt, root, comm), is_root(root, comm) ? size_of(comm) * dse_mpi_bytes(rn, rt) : 0)
BLOCKING_OR_NOT(kGatherv, Gatherv, Igatherv,
        (const void *s, int n, MPI_Datatype t, void *r, const int rn[], const int at[], MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, at, rt, root, comm), is_root(root, comm) ? dse_mpi_bytes(sum(rn, size_of(comm)), rt) : 0)
BLOCKING_OR_NOT(kAllgather, Allgather, Iallgather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        size_of(comm) * dse_mpi_bytes(rn, rt))
BLOCKING_OR_NOT(kAllgatherv, Allgatherv, Iallgatherv,
        (const void *s, int n, MPI_Datatype t, void *r, const int rn[], const int at[], MPI_Datatype rt, MPI_Comm comm),
        (s, n, t, r, rn, at, rt, comm), dse_mpi_bytes(sum(rn, size_of(comm)), rt))
/* The root of a scatter may give MPI_IN_PLACE for its receive side: then the send side tells the size of a block. */
BLOCKING_OR_NOT(kScatter, Scatter, Iscatter,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, t, r, rn, rt, root, comm), r == MPI_IN_PLACE ? dse_mpi_bytes(n, t) : is_outside(root) ? 0 : dse_mpi_bytes(rn, rt))
BLOCKING_OR_NOT(kScatterv, Scatterv, Iscatterv,
        (const void *s, const int n[], const int at[], MPI_Datatype t, void *r, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
        (s, n, at, t, r, rn, rt, root, comm),
        r == MPI_IN_PLACE ? dse_mpi_bytes(n[rank_of(comm)], t) : is_outside(root) ? 0 : dse_mpi_bytes(rn, rt))
BLOCKING_OR_NOT(kAlltoall, Alltoall, Ialltoall,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        size_of(comm) * dse_mpi_bytes(rn, rt))
BLOCKING_OR_NOT(kAlltoallv, Alltoallv, Ialltoallv,
        (const void *s, const int n[], const int at[], MPI_Datatype t, void *r, const int rn[], const int rat[],
         MPI_Datatype rt, MPI_Comm comm),
        (s, n, at, t, r, rn, rat, rt, comm), dse_mpi_bytes(sum(rn, size_of(comm)), rt))
BLOCKING_OR_NOT(kReduceScatter, Reduce_scatter, Ireduce_scatter,
        (const void *s, void *r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm),
        dse_mpi_bytes(n[rank_of(comm)], t))
BLOCKING_OR_NOT(kReduceScatterBlock, Reduce_scatter_block, Ireduce_scatter_block,
        (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm), dse_mpi_bytes(n, t))
BLOCKING_OR_NOT(kNeighborAllgather, Neighbor_allgather, Ineighbor_allgather,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        from_neighbours(comm, rn, rt, NULL, NULL))
BLOCKING_OR_NOT(kNeighborAlltoall, Neighbor_alltoall, Ineighbor_alltoall,
        (const void *s, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, MPI_Comm comm), (s, n, t, r, rn, rt, comm),
        from_neighbours(comm, rn, rt, NULL, NULL))
BLOCKING_OR_NOT(kAlltoallw, Alltoallw, Ialltoallw,
        (const void *s, const int n[], const int at[], const MPI_Datatype t[], void *r, const int rn[], const int rat[],
         const MPI_Datatype rt[], MPI_Comm comm),
        (s, n, at, t, r, rn, rat, rt, comm), sum_of_types(rn, rt, size_of(comm)))
BLOCKING_OR_NOT(kNeighborAllgatherv, Neighbor_allgatherv, Ineighbor_allgatherv,
        (const void *s, int n, MPI_Datatype t, void *r, const int rn[], const int rat[], MPI_Datatype rt, MPI_Comm comm),
        (s, n, t, r, rn, rat, rt, comm), from_neighbours(comm, 0, rt, rn, NULL))
BLOCKING_OR_NOT(kNeighborAlltoallv, Neighbor_alltoallv, Ineighbor_alltoallv,
        (const void *s, const int n[], const int at[], MPI_Datatype t, void *r, const int rn[], const int rat[],
         MPI_Datatype rt, MPI_Comm comm),
        (s, n, at, t, r, rn, rat, rt, comm), from_neighbours(comm, 0, rt, rn, NULL))
BLOCKING_OR_NOT(kNeighborAlltoallw, Neighbor_alltoallw, Ineighbor_alltoallw,
        (const void *s, const int n[], const MPI_Aint at[], const MPI_Datatype t[], void *r, const int rn[],
         const MPI_Aint rat[], const MPI_Datatype rt[], MPI_Comm comm),
        (s, n, at, t, r, rn, rat, rt, comm), from_neighbours(comm, 0, MPI_BYTE, rn, rt))

#define COMMUNICATOR(name, given, passed) BOTH(kCommunicators, name, given, passed, 0)
COMMUNICATOR(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
COMMUNICATOR(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
COMMUNICATOR(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
COMMUNICATOR(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
COMMUNICATOR(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
COMMUNICATOR(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
COMMUNICATOR(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
COMMUNICATOR(Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm *made),
             (comm, n, sizes, periods, reorder, made))
COMMUNICATOR(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
COMMUNICATOR(Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
             (comm, n, index, edges, reorder, made))
COMMUNICATOR(Dist_graph_create,
             (MPI_Comm comm, int n, const int sources[], const int degrees[], const int dests[], const int weights[],
              MPI_Info info, int reorder, MPI_Comm *made),
             (comm, n, sources, degrees, dests, weights, info, reorder, made))
COMMUNICATOR(Dist_graph_create_adjacent,
             (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int dests[],
              const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
             (comm, in, sources, in_weights, out, dests, out_weights, info, reorder, made))
