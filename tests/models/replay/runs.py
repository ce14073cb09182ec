"""Runs as lists of tuples, as `event_simulation` takes them, and as traces."""

import random

from dse.models.replay import trace_of_rows

US = 1e-6


def c(time):
    return ("compute", time * US)


def send(peer, size=1000.0, tag=0):
    return ("send", peer, float(size), tag)


def recv(peer, tag=0):
    return ("recv", peer, tag)


def row(rank, event):
    kind, *rest = event
    if kind == "compute":
        return {"rank": rank, "kind": kind, "seconds": rest[0]}
    if kind in ("send", "isend"):
        names = ("peer", "bytes", "tag", "request")
    elif kind in ("recv", "irecv"):
        names = ("peer", "tag", "request")
    elif kind == "collective":
        names = ("op", "bytes")
    else:
        names = ("request",)
    return {"rank": rank, "kind": kind, **dict(zip(names, rest, strict=False))}


def as_trace(ranks, **header):
    return trace_of_rows([row(rank, event) for rank, events in enumerate(ranks) for event in events], **header)


def random_run(seed, ranks=None, length=40, *, careless=False):
    """Return a random run; of a careless one the order in a rank is shuffled a little, so that it may never end."""
    chance = random.Random(seed)
    ranks = ranks or chance.randint(2, 6)
    events = [[] for _ in range(ranks)]
    opened = [[] for _ in range(ranks)]
    numbers = [0] * ranks
    late = []  # sends and receives whose partner has begun already

    def size():
        return chance.choice([0.0, 8.0, 1000.0, 8192.0, 8193.0, 5e4, 2e6])

    def request(rank):
        numbers[rank] += 1
        opened[rank].append(numbers[rank])
        return numbers[rank]

    def close(rank):
        number = opened[rank].pop(chance.randrange(len(opened[rank])))
        events[rank].append(("wait", number))

    for step in range(length):
        chosen = chance.random()
        one, other = chance.sample(range(ranks), 2)
        if chosen < 0.25:
            events[one].append(("compute", chance.choice([0.0, chance.random() * 20 * US])))
        elif chosen < 0.45:
            tag = chance.randrange(2)
            events[one].append(("send", other, size(), tag))
            events[other].append(("recv", one, tag))
        elif chosen < 0.6:
            tag = chance.randrange(2)
            events[one].append(("isend", other, size(), tag, request(one)))
            events[other].append(("recv", one, tag))
        elif chosen < 0.7:  # a receive that is posted long before
            events[other].append(("irecv", one, 100 + step, request(other)))
            late.append((one, other, 100 + step, opened[other][-1]))
        elif chosen < 0.78 and late:
            source, target, tag, number = late.pop(chance.randrange(len(late)))
            if number in opened[target]:
                blocking = chance.random() < 0.5
                made = ("send", target, size(), tag) if blocking else ("isend", target, size(), tag, request(source))
                events[source].append(made)
        elif chosen < 0.9:
            ready = [rank for rank in range(ranks) if opened[rank] and not any(rank == two[1] for two in late)]
            if ready:
                rank = chance.choice(ready)
                if chance.random() < 0.5:
                    close(rank)
                else:
                    opened[rank].clear()
                    events[rank].append(("waitall",))
        elif chosen < 0.95:
            operation = chance.choice(["barrier", "allreduce", "bcast", "alltoall", "gather"])
            held = 0.0 if operation == "barrier" else chance.choice([8.0, 1e4])
            for rank in range(ranks):
                events[rank].append(("collective", operation, held))
    for source, target, tag, _ in late:
        events[source].append(("send", target, size(), tag))
    if careless:
        for rank in range(ranks):
            for _ in range(2):
                movable = [place for place, event in enumerate(events[rank]) if event[0] in ("send", "recv")]
                if movable:
                    moved = events[rank].pop(chance.choice(movable))
                    events[rank].insert(chance.randrange(len(events[rank]) + 1), moved)
    for rank in range(ranks):
        events[rank].append(("waitall",) if opened[rank] or chance.random() < 0.5 else ("compute", US))
    return events
