/* One-sided communication: what the caller moves counts as its messages, with the target as its peer. */
#include "mpi_counts.h"

/* Bytes below 0: nothing goes that way. */
static void moved(int done, long long out, long long in, int target, MPI_Win window) {
  if (done != MPI_SUCCESS || target == MPI_PROC_NULL)
    return;
  Peers *peers = dse_mpi_peers_of_window(window);
  if (out >= 0)
    dse_mpi_sent((Big)out, target, peers);
  if (in >= 0)
    dse_mpi_received((Big)in, target, peers);
  dse_mpi_give_back(peers);
}
static long long bytes(int count, MPI_Datatype type) { return (long long)dse_mpi_bytes(count, type); }

#define UNPACK(...) __VA_ARGS__
#define MOVES(name, given, passed, out, in) \
  int MPI_##name(UNPACK given) { \
    const int done = PMPI_##name(UNPACK passed); \
    moved(done, out, in, target, window); \
    return done; \
  }
#define PLACE int target, MPI_Aint at, int target_count, MPI_Datatype target_type
MOVES(Put, (const void *b, int n, MPI_Datatype t, PLACE, MPI_Win window), (b, n, t, target, at, target_count, target_type, window),
      bytes(n, t), -1)
MOVES(Rput, (const void *b, int n, MPI_Datatype t, PLACE, MPI_Win window, MPI_Request *request),
      (b, n, t, target, at, target_count, target_type, window, request), bytes(n, t), -1)
MOVES(Get, (void *b, int n, MPI_Datatype t, PLACE, MPI_Win window), (b, n, t, target, at, target_count, target_type, window), -1,
      bytes(n, t))
MOVES(Rget, (void *b, int n, MPI_Datatype t, PLACE, MPI_Win window, MPI_Request *request),
      (b, n, t, target, at, target_count, target_type, window, request), -1, bytes(n, t))
MOVES(Accumulate, (const void *b, int n, MPI_Datatype t, PLACE, MPI_Op op, MPI_Win window),
      (b, n, t, target, at, target_count, target_type, op, window), bytes(n, t), -1)
MOVES(Raccumulate, (const void *b, int n, MPI_Datatype t, PLACE, MPI_Op op, MPI_Win window, MPI_Request *request),
      (b, n, t, target, at, target_count, target_type, op, window, request), bytes(n, t), -1)
/* MPI_NO_OP only reads. */
MOVES(Get_accumulate, (const void *b, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, PLACE, MPI_Op op, MPI_Win window),
      (b, n, t, r, rn, rt, target, at, target_count, target_type, op, window), op == MPI_NO_OP ? -1 : bytes(n, t), bytes(rn, rt))
MOVES(Rget_accumulate,
      (const void *b, int n, MPI_Datatype t, void *r, int rn, MPI_Datatype rt, PLACE, MPI_Op op, MPI_Win window, MPI_Request *request),
      (b, n, t, r, rn, rt, target, at, target_count, target_type, op, window, request), op == MPI_NO_OP ? -1 : bytes(n, t),
      bytes(rn, rt))
MOVES(Fetch_and_op, (const void *b, void *r, MPI_Datatype t, int target, MPI_Aint at, MPI_Op op, MPI_Win window),
      (b, r, t, target, at, op, window), op == MPI_NO_OP ? -1 : bytes(1, t), bytes(1, t))
/* The new value and the one to compare with go out, the old one comes back. */
MOVES(Compare_and_swap, (const void *b, const void *compare, void *r, MPI_Datatype t, int target, MPI_Aint at, MPI_Win window),
      (b, compare, r, t, target, at, window), bytes(2, t), bytes(1, t))
