/* Messages between two processes: each MPI_X here calls PMPI_X and counts what went right. */
#include "mpi_requests.h"

static void received_on(int done, const MPI_Status *status, MPI_Comm comm) {
  if (done != MPI_SUCCESS)
    return;
  Peers *peers = dse_mpi_peers(comm);
  dse_mpi_arrived(done, status, peers);
  dse_mpi_give_back(peers);
}
static void sent(int done, int count, MPI_Datatype type, int dest, MPI_Comm comm) {
  if (done != MPI_SUCCESS || dest == MPI_PROC_NULL)
    return;
  Peers *peers = dse_mpi_peers(comm);
  dse_mpi_sent(dse_mpi_bytes(count, type), dest, peers);
  dse_mpi_give_back(peers);
}

int MPI_Init(int *argc, char ***argv) {
  const int done = PMPI_Init(argc, argv);
  dse_mpi_begin();
  return done;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int done = PMPI_Init_thread(argc, argv, required, provided);
  dse_mpi_begin();
  return done;
}

#define SEND(name) \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    const int done = PMPI_##name(buffer, count, type, dest, tag, comm); \
    sent(done, count, type, dest, comm); \
    return done; \
  }
SEND(Send) SEND(Ssend) SEND(Bsend) SEND(Rsend)
#define ISEND(name) \
  int MPI_##name(const void *b, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    const int done = PMPI_##name(b, count, type, dest, tag, comm, request); \
    sent(done, count, type, dest, comm); \
    return done; \
  }
ISEND(Isend) ISEND(Issend) ISEND(Ibsend) ISEND(Irsend)
#define SEND_INIT(name) \
  int MPI_##name(const void *b, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    const int done = PMPI_##name(b, count, type, dest, tag, comm, request); \
    dse_mpi_keep(done, (Pending){.handle = number_of(*request), .persistent = 1, .is_send = 1, .dest = dest, \
                         .bytes = dse_mpi_bytes(count, type)}, comm); \
    return done; \
  }
SEND_INIT(Send_init) SEND_INIT(Ssend_init) SEND_INIT(Bsend_init) SEND_INIT(Rsend_init)

int MPI_Recv(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Recv(b, count, type, source, tag, comm, status);
  received_on(done, status, comm);
  return done;
}
int MPI_Irecv(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  const int done = PMPI_Irecv(b, count, type, source, tag, comm, request);
  if (source != MPI_PROC_NULL)
    dse_mpi_keep(done, (Pending){.handle = number_of(*request)}, comm);
  return done;
}
int MPI_Recv_init(void *b, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  const int done = PMPI_Recv_init(b, count, type, source, tag, comm, request);
  if (source != MPI_PROC_NULL)
    dse_mpi_keep(done, (Pending){.handle = number_of(*request), .persistent = 1}, comm);
  return done;
}
int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int dest, int tag, void *in, int in_count,
                 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Sendrecv(out, count, type, dest, tag, in, in_count, in_type, source, in_tag, comm, status);
  sent(done, count, type, dest, comm);
  received_on(done, status, comm);
  return done;
}
int MPI_Sendrecv_replace(void *b, int count, MPI_Datatype type, int dest, int tag, int source, int in_tag, MPI_Comm comm,
                         MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Sendrecv_replace(b, count, type, dest, tag, source, in_tag, comm, status);
  sent(done, count, type, dest, comm);
  received_on(done, status, comm);
  return done;
}

/* A matched message has no communicator any more: it is kept from the probe on. */
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  const int done = PMPI_Mprobe(source, tag, comm, message, status);
  if (source != MPI_PROC_NULL)
    dse_mpi_keep(done, (Pending){.handle = number_of_message(*message), .is_message = 1}, comm);
  return done;
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  const int done = PMPI_Improbe(source, tag, comm, flag, message, status);
  if (done == MPI_SUCCESS && *flag && source != MPI_PROC_NULL)
    dse_mpi_keep(done, (Pending){.handle = number_of_message(*message), .is_message = 1}, comm);
  return done;
}
int MPI_Mrecv(void *b, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  Pending *one = dse_mpi_take(number_of_message(*message), 1, 0);
  const int done = PMPI_Mrecv(b, count, type, message, status);
  dse_mpi_settle(one, done, status);
  return done;
}
int MPI_Imrecv(void *b, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
  Pending *one = dse_mpi_take(number_of_message(*message), 1, 0);
  const int done = PMPI_Imrecv(b, count, type, message, request);
  if (one && done == MPI_SUCCESS) {
    one->handle = number_of(*request);
    one->is_message = 0;
    dse_mpi_put_back(one);
  } else if (one) {
    dse_mpi_forget(one);
  }
  return done;
}
