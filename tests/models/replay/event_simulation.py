"""A run simulated event by event: ranks as processes, interfaces as queues, a heap of what happens next.

It shares no code with the library, and takes plain tuples: ("compute", seconds), ("send", peer, bytes, tag),
("isend", peer, bytes, tag, request), ("recv", peer, tag), ("irecv", peer, tag, request), ("wait", request),
("waitall",), ("collective", operation, bytes).
"""

import heapq
import math
from collections import defaultdict, deque


class Stuck(Exception):
    """No event is left, and ranks still wait."""


class Future:
    def __init__(self):
        self.done = False
        self.waiters = []


class Simulation:
    def __init__(self, ranks, latency, overhead, receiver, bandwidth, eager):
        self.ranks, self.latency, self.overhead, self.receiver = ranks, latency, overhead, receiver
        self.bandwidth, self.eager = bandwidth, eager
        self.now, self.heap, self.number = 0.0, [], 0
        self.queues = [deque() for _ in ranks]
        self.busy = [False] * len(ranks)
        self.sent, self.taken = defaultdict(int), defaultdict(int)
        self.arrived = defaultdict(Future)
        self.posted = defaultdict(Future)
        self.came, self.meeting = defaultdict(int), defaultdict(Future)
        self.finish = [None] * len(ranks)

    def at(self, time, act):
        heapq.heappush(self.heap, (time, self.number, act))
        self.number += 1

    def fulfil(self, future):
        future.done = True
        for act in future.waiters:
            act()
        future.waiters.clear()

    def when(self, future, act):
        if future.done:
            act()
        else:
            future.waiters.append(act)

    def enqueue(self, rank, message, size, left):
        self.queues[rank].append((message, size, left))
        if not self.busy[rank]:
            self.serve(rank)

    def serve(self, rank):
        if not self.queues[rank]:
            self.busy[rank] = False
            return
        self.busy[rank] = True
        message, size, left = self.queues[rank].popleft()

        def out():
            self.fulfil(left)
            self.at(self.now + self.latency, lambda: self.fulfil(self.arrived[message]))
            self.serve(rank)

        self.at(self.now + size / self.bandwidth, out)

    def process(self, rank):
        opened, meetings = {}, 0
        for kind, *rest in self.ranks[rank]:
            if kind == "compute":
                yield rest[0]
            elif kind in ("send", "isend"):
                peer, size, tag = rest[:3]
                message = (rank, peer, tag, self.sent[rank, peer, tag])
                self.sent[rank, peer, tag] += 1
                yield self.overhead
                left = Future()
                if kind == "send" and size > self.eager:
                    leave = Future()

                    def asked(message=message, leave=leave):
                        answer = lambda: self.at(self.now + self.latency, lambda: self.fulfil(leave))  # noqa: E731
                        self.when(self.posted[message], answer)

                    self.at(self.now + self.latency, asked)
                    yield leave
                    self.enqueue(rank, message, size, left)
                    yield left
                else:
                    self.enqueue(rank, message, size, left)
                    if kind == "isend":
                        opened[rest[3]] = ("sent", left)
            elif kind in ("recv", "irecv"):
                peer, tag = rest[:2]
                message = (peer, rank, tag, self.taken[peer, rank, tag])
                self.taken[peer, rank, tag] += 1
                self.fulfil(self.posted[message])
                if kind == "irecv":
                    opened[rest[2]] = ("received", self.arrived[message])
                else:
                    yield self.arrived[message]
                    yield self.receiver
            elif kind in ("wait", "waitall"):
                for request in [rest[0]] if kind == "wait" else list(opened):
                    what, future = opened.pop(request)
                    yield future
                    if what == "received":
                        yield self.receiver
            else:
                operation, size = rest
                self.came[meetings] += 1
                if self.came[meetings] == len(self.ranks):
                    met = self.meeting[meetings]
                    self.at(self.now + self.operation(operation, size), lambda met=met: self.fulfil(met))
                yield self.meeting[meetings]
                meetings += 1
        self.finish[rank] = self.now

    def operation(self, operation, size):
        ranks = len(self.ranks)
        rounds = math.ceil(math.log2(ranks))
        if operation in ("barrier", "bcast", "reduce", "allreduce", "scan"):
            return rounds * (self.overhead + self.receiver + self.latency + size / self.bandwidth)
        others = ranks - 1
        return self.latency + self.overhead * others + self.receiver + others * size / self.bandwidth

    def advance(self, process):
        try:
            wanted = next(process)
        except StopIteration:
            return
        if isinstance(wanted, Future):
            self.when(wanted, lambda: self.at(self.now, lambda: self.advance(process)))
        else:
            self.at(self.now + wanted, lambda: self.advance(process))

    def run(self):
        for rank in range(len(self.ranks)):
            self.advance(self.process(rank))
        while self.heap:
            self.now, _, act = heapq.heappop(self.heap)
            act()
        if None in self.finish:
            raise Stuck
        return self.finish


def simulate(ranks, latency, overhead, receiver, bandwidth, eager):
    """Return when each rank is done."""
    return Simulation(ranks, latency, overhead, receiver, bandwidth, eager).run()
