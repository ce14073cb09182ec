/* What a process sends and receives through MPI, by thread: received bytes are what arrived, sent bytes count x size of
 * the type, peers are ranks in MPI_COMM_WORLD. Of a collective operation the bytes that this process receives are
 * counted, its own part included; what MPI_IN_PLACE leaves in place counts as if it had been received. */
#pragma once
#define _GNU_SOURCE
#include <mpi.h>

#pragma GCC visibility push(hidden)

typedef unsigned long long Big;

enum collective {
  kBarrier, kBcast, kReduce, kAllreduce, kScan, kExscan, kGather, kGatherv, kAllgather, kAllgatherv, kScatter, kScatterv,
  kAlltoall, kAlltoallv, kAlltoallw, kReduceScatter, kReduceScatterBlock, kNeighborAllgather, kNeighborAllgatherv,
  kNeighborAlltoall, kNeighborAlltoallv, kNeighborAlltoallw, kCommunicators, kKinds
};

/* Ranks in the world of the processes that the ranks of a communicator or a window name (the remote ones of an
 * intercommunicator). It outlives the communicator while requests made on it are open. */
typedef struct { int users, size, rank[]; } Peers;

void dse_mpi_begin(void);
Peers *dse_mpi_peers(MPI_Comm comm); /* to be given back, as the next one; null before MPI_Init */
Peers *dse_mpi_peers_of_window(MPI_Win window);
void dse_mpi_give_back(Peers *peers);

Big dse_mpi_bytes(Big count, MPI_Datatype type);
void dse_mpi_sent(Big bytes, int rank, const Peers *peers);
void dse_mpi_received(Big bytes, int rank, const Peers *peers);
void dse_mpi_called(enum collective kind, Big bytes);
void dse_mpi_region(int on); /* the first one that begins forgets what was counted before */

#pragma GCC visibility pop
