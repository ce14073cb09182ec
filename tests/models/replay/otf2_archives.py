"""Archives written by the classes of the OTF2 library, for runs as lists of tuples; no code of the reader is used."""

import otf2
from otf2.enums import CollectiveOp, GroupType, Paradigm

TICKS = 10**12
CALLS = {"send": "MPI_Send", "isend": "MPI_Isend", "recv": "MPI_Recv", "irecv": "MPI_Irecv", "wait": "MPI_Wait"}
CALLS |= {"waitall": "MPI_Waitall"}


class Archive:
    """An archive that is being written: a clock and a writer for each rank."""

    def __init__(self, path, ranks, *, group=None, creator="", offsets=None):
        self.trace = otf2.writer.Writer(str(path), archive_name="run", timer_resolution=TICKS)
        if creator:
            self.trace.creator = creator
        made = self.trace.definitions
        node = made.system_tree_node("node")
        self.locations = [
            made.location(f"thread {rank}", group=made.location_group(f"process {rank}", system_tree_parent=node))
            for rank in range(ranks)
        ]
        made.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=self.locations)
        world = made.group("world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=self.locations)
        self.world = made.comm("MPI_COMM_WORLD", world)
        if group is not None:
            some = [self.locations[rank] for rank in group]
            self.part = made.comm(
                "part", made.group("part", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=some)
            )
        self.outs = [self.trace.event_writer_from_location(location) for location in self.locations]
        self.now = [round(offset * TICKS) for offset in offsets or [0.0] * ranks]
        self.regions = {}

    def region(self, name):
        if name not in self.regions:
            paradigm = Paradigm.MPI if name.startswith("MPI_") else Paradigm.USER
            self.regions[name] = self.trace.definitions.region(name, paradigm=paradigm)
        return self.regions[name]

    def compute(self, rank, seconds, name="work"):
        out = self.outs[rank]
        out.enter(self.now[rank], self.region(name))
        self.now[rank] += round(seconds * TICKS)
        out.leave(self.now[rank], self.region(name))

    def call(self, rank, name, *records, lasts=0.0):
        """A call of MPI with records: names of the writer's methods, and their values after the time."""
        out = self.outs[rank]
        out.enter(self.now[rank], self.region(name))
        self.now[rank] += round(lasts * TICKS)
        for method, *values in records:
            getattr(out, method)(self.now[rank], *values)
        out.leave(self.now[rank], self.region(name))

    def close(self):
        self.trace.close()


def write_run(path, run):
    """Write a run of `runs`, a call for each event; the bytes of a collective operation are those of the call."""
    archive = Archive(path, len(run))
    held = {}
    for rank, events in enumerate(run):
        for event in events:
            if event[0] in ("send", "isend"):
                held.setdefault((rank, event[1], event[3]), []).append(int(event[2]))
    for rank, events in enumerate(run):
        received, open_requests = {}, {}
        for kind, *rest in events:
            if kind == "compute":
                archive.compute(rank, rest[0])
            elif kind == "collective":
                operation, size = rest
                values = (getattr(CollectiveOp, operation.upper()), archive.world, 0, int(size), int(size))
                archive.call(rank, f"MPI_{operation.capitalize()}", ("mpi_collective_end", *values))
            elif kind == "send":
                peer, size, tag = rest
                archive.call(rank, CALLS[kind], ("mpi_send", peer, archive.world, tag, int(size)))
            elif kind == "isend":
                peer, size, tag, request = rest
                open_requests[request] = ("mpi_isend_complete", request)
                archive.call(rank, CALLS[kind], ("mpi_isend", peer, archive.world, tag, int(size), request))
            elif kind in ("recv", "irecv"):
                peer, tag, *request = rest
                place = received.get((peer, tag), 0)
                received[peer, tag] = place + 1
                message = (peer, archive.world, tag, held[peer, rank, tag][place])
                if kind == "recv":
                    archive.call(rank, CALLS[kind], ("mpi_recv", *message))
                else:
                    open_requests[request[0]] = ("mpi_irecv", *message, request[0])
                    archive.call(rank, CALLS[kind], ("mpi_irecv_request", request[0]))
            elif kind == "wait":
                archive.call(rank, CALLS[kind], open_requests.pop(rest[0]))
            else:
                archive.call(rank, CALLS[kind], *open_requests.values())
                open_requests.clear()
    archive.close()
    return path / "run.otf2"
