/* Requests: what is known of them until they are done. */
#include "mpi_requests.h"
#include <pthread.h>
#include <stdlib.h>

enum { kBuckets = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Pending *pending[kBuckets];

static Pending **bucket(uint64_t handle) { return &pending[(handle * 0x9E3779B97F4A7C15u >> 52) % kBuckets]; }

void dse_mpi_put_back(Pending *one) {
  if (!one || one->persistent)
    return;
  pthread_mutex_lock(&lock);
  one->next = *bucket(one->handle);
  *bucket(one->handle) = one;
  pthread_mutex_unlock(&lock);
}

void dse_mpi_forget(Pending *one) {
  dse_mpi_give_back(one->peers);
  free(one);
}

void dse_mpi_keep(int done, Pending what, MPI_Comm comm) {
  Pending *made = malloc(sizeof *made);
  if (!made)
    abort();
  *made = what;
  made->peers = done == MPI_SUCCESS ? dse_mpi_peers(comm) : NULL;
  if (!made->peers) {
    free(made);
    return;
  }
  pthread_mutex_lock(&lock);
  made->next = *bucket(made->handle);
  *bucket(made->handle) = made;
  pthread_mutex_unlock(&lock);
}

Pending *dse_mpi_take(uint64_t handle, int is_message, int for_good) {
  Pending *one = NULL;
  pthread_mutex_lock(&lock);
  for (Pending **at = bucket(handle); *at; at = &(*at)->next)
    if ((*at)->handle == handle && (*at)->is_message == is_message) {
      one = *at;
      if (for_good || !one->persistent)
        *at = one->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  return one;
}
static Pending *taken(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? NULL : dse_mpi_take(number_of(request), 0, 0);
}

void dse_mpi_arrived(int done, const MPI_Status *status, const Peers *peers) {
  MPI_Count bytes = 0;
  int cancelled = 0;
  if (done != MPI_SUCCESS || status->MPI_SOURCE < 0) /* MPI_PROC_NULL, or the empty status of an inactive request */
    return;
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled)
    return;
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  dse_mpi_received((Big)bytes, status->MPI_SOURCE, peers);
}
void dse_mpi_settle(Pending *one, int done, const MPI_Status *status) {
  if (!one)
    return;
  if (!one->is_send)
    dse_mpi_arrived(done, status, one->peers);
  if (!one->persistent)
    dse_mpi_forget(one);
}

static void started(int done, MPI_Request request) {
  Pending *one = done == MPI_SUCCESS ? taken(request) : NULL;
  if (one && one->is_send)
    dse_mpi_sent(one->bytes, one->dest, one->peers);
  dse_mpi_put_back(one);
}
int MPI_Start(MPI_Request *request) {
  const int done = PMPI_Start(request);
  started(done, *request);
  return done;
}
int MPI_Startall(int count, MPI_Request requests[]) {
  const int done = PMPI_Startall(count, requests);
  for (int i = 0; i < count; ++i)
    started(done, requests[i]);
  return done;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  MPI_Status own;
  Pending *one = taken(*request);
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Wait(request, status);
  dse_mpi_settle(one, done, status);
  return done;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  MPI_Status own;
  Pending *one = taken(*request);
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  const int done = PMPI_Test(request, flag, status);
  if (done == MPI_SUCCESS && !*flag)
    dse_mpi_put_back(one);
  else
    dse_mpi_settle(one, done, status);
  return done;
}

/* What is known of several requests, and room for the statuses that the program ignores. */
typedef struct { int count, own; Pending **taken; MPI_Status *statuses; } Several;

static Several several(int count, const MPI_Request requests[], MPI_Status statuses[]) {
  Several all = {count, statuses == MPI_STATUSES_IGNORE, malloc(sizeof(Pending *) * (count + 1)), statuses};
  if (all.own)
    all.statuses = malloc(sizeof(MPI_Status) * (count + 1));
  if (!all.taken || !all.statuses)
    abort();
  for (int i = 0; i < count; ++i)
    all.taken[i] = taken(requests[i]);
  return all;
}
static void settle_one(Several *all, int index, int done, const MPI_Status *status) {
  dse_mpi_settle(all->taken[index], done == MPI_ERR_IN_STATUS ? status->MPI_ERROR : done, status);
  all->taken[index] = NULL;
}
static void end(Several *all) {
  for (int i = 0; i < all->count; ++i)
    dse_mpi_put_back(all->taken[i]);
  free(all->taken);
  if (all->own)
    free(all->statuses);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  Several all = several(count, requests, statuses);
  const int done = PMPI_Waitall(count, requests, all.statuses);
  for (int i = 0; i < count; ++i)
    if (done != MPI_ERR_IN_STATUS || all.statuses[i].MPI_ERROR != MPI_ERR_PENDING)
      settle_one(&all, i, done, &all.statuses[i]);
  end(&all);
  return done;
}
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  Several all = several(count, requests, statuses);
  const int done = PMPI_Testall(count, requests, flag, all.statuses);
  for (int i = 0; done == MPI_SUCCESS && *flag && i < count; ++i)
    settle_one(&all, i, done, &all.statuses[i]);
  end(&all);
  return done;
}
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
  MPI_Status one;
  Several all = several(count, requests, &one);
  if (status == MPI_STATUS_IGNORE)
    status = &one;
  const int done = PMPI_Waitany(count, requests, index, status);
  if (*index >= 0 && *index < count)
    settle_one(&all, *index, done, status);
  end(&all);
  return done;
}
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  MPI_Status one;
  Several all = several(count, requests, &one);
  if (status == MPI_STATUS_IGNORE)
    status = &one;
  const int done = PMPI_Testany(count, requests, index, flag, status);
  if (*flag && *index >= 0 && *index < count)
    settle_one(&all, *index, done, status);
  end(&all);
  return done;
}
#define SOME(name) \
  int MPI_##name(int count, MPI_Request requests[], int *completions, int indices[], MPI_Status statuses[]) { \
    Several all = several(count, requests, statuses); \
    const int done = PMPI_##name(count, requests, completions, indices, all.statuses); \
    for (int i = 0; *completions != MPI_UNDEFINED && i < *completions; ++i) \
      settle_one(&all, indices[i], done, &all.statuses[i]); \
    end(&all); \
    return done; \
  }
SOME(Waitsome) SOME(Testsome)

int MPI_Request_free(MPI_Request *request) {
  Pending *one = *request == MPI_REQUEST_NULL ? NULL : dse_mpi_take(number_of(*request), 0, 1);
  if (one)
    dse_mpi_forget(one);
  return PMPI_Request_free(request);
}
