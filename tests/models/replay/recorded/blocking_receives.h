/* Receives that block, for a recorder that notes no messages in MPI_Sendrecv, MPI_Wait and MPI_Waitall (EZTrace 2.0).
 *
 * A receive that does not block is remembered and made by MPI_Recv where its request is completed; a send stays
 * MPI_Isend. So the messages of a program, their bytes and their order are its own, and its receives are posted late. */
#include <mpi.h>
#include <stdlib.h>

static struct late {
    void *data;
    int count, source, tag;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Request *request;
} late_receives[1024];
static int late_count;

static inline int late_irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                             MPI_Request *request) {
    if (late_count == 1024) abort();
    late_receives[late_count++] = (struct late){data, count, source, tag, type, comm, request};
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static inline int late_wait(MPI_Request *request, MPI_Status *status) {
    for (int i = 0; i < late_count; i++) {
        const struct late one = late_receives[i];
        if (one.request != request) continue;
        late_receives[i] = late_receives[--late_count];
        MPI_Status came;
        const int failed = MPI_Recv(one.data, one.count, one.type, one.source, one.tag, one.comm, &came);
        if (status != MPI_STATUS_IGNORE) *status = came;
        return failed;
    }
    return MPI_Wait(request, status);
}

static inline int late_waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    int failed = MPI_SUCCESS;
    for (int i = 0; i < count && failed == MPI_SUCCESS; i++)
        failed = late_wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    return failed;
}

static inline int late_sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                                void *got, int got_count, MPI_Datatype got_type, int from, int got_tag,
                                MPI_Comm comm, MPI_Status *status) {
    MPI_Request request;
    MPI_Status came;
    MPI_Isend(sent, sent_count, sent_type, to, sent_tag, comm, &request);
    const int failed = MPI_Recv(got, got_count, got_type, from, got_tag, comm, &came);
    if (status != MPI_STATUS_IGNORE) *status = came;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return failed;
}

#define MPI_Irecv late_irecv
#define MPI_Wait late_wait
#define MPI_Waitall late_waitall
#define MPI_Sendrecv late_sendrecv
