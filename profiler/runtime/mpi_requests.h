/* Requests that are not done, and messages that were matched and are not received yet. */
#pragma once
#include "mpi_counts.h"
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* An immediate or persistent receive, a persistent send, or a matched message. */
typedef struct Pending {
  uint64_t handle;
  Peers *peers;
  int is_message, persistent, is_send, dest;
  Big bytes;
  struct Pending *next;
} Pending;

static inline uint64_t number_of(MPI_Request request) { return (uint64_t)(uintptr_t)request; }
static inline uint64_t number_of_message(MPI_Message message) { return (uint64_t)(uintptr_t)message; }

void dse_mpi_keep(int done, Pending what, MPI_Comm comm); /* where the call went right */
void dse_mpi_put_back(Pending *one);
void dse_mpi_forget(Pending *one);

/* What is known of a handle, or null. It is taken out before MPI is asked whether the request is done: from then on
 * another thread may get the same handle. Persistent requests keep theirs, and stay unless they are taken for good. */
Pending *dse_mpi_take(uint64_t handle, int is_message, int for_good);

void dse_mpi_arrived(int done, const MPI_Status *status, const Peers *peers); /* a receive is done */
void dse_mpi_settle(Pending *one, int done, const MPI_Status *status);

#pragma GCC visibility pop
