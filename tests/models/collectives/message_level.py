"""An own simulation of collectives, message by message, written from the cost rules alone; no code of the models.

A process has a list of sends, which it does in that order. A send may begin when the process has done the one before
and has received all messages the send waits for. It occupies the process for the overhead (or the gap, if that is
longer) and the time of its bytes; the message arrives a latency after its last byte. Receiving occupies another engine
of the receiver, one message at a time in the order of their arrival. Computing and copying take no time.
"""

import heapq
from collections import Counter
from typing import NamedTuple


class Net(NamedTuple):
    L: float = 6e-6
    o: float = 4.7e-6
    o_r: float = 4.7e-6
    g: float = 0.0
    G: float = 0.73e-9


class Send(NamedTuple):
    to: int
    size: float
    name: object
    after: tuple = ()


class Outcome(NamedTuple):
    time: float
    messages: int
    size: float
    most_sends: int


def simulate(programs, net, *, bytes_at_receiver=False, sends_first=False):
    """Run the programs (process -> list of sends) to their end."""
    at_sender = 0.0 if bytes_at_receiver else net.G
    at_receiver = net.G if bytes_at_receiver else 0.0
    place = Counter()
    free = Counter()
    busy = Counter()
    received = {}
    arrivals = []
    order = 0

    def advance(process):
        nonlocal order
        program = programs.get(process, ())
        while place[process] < len(program):
            send = program[place[process]]
            if any((process, name) not in received for name in send.after):
                return
            start = max([free[process], *(received[process, name] for name in send.after)])
            free[process] = start + max(net.o, net.g) + send.size * at_sender
            done = start + net.o + send.size * at_sender
            heapq.heappush(arrivals, (done + net.L, order, send.to, send.name, send.size))
            order += 1
            place[process] += 1

    for process in programs:
        advance(process)
    if sends_first:
        busy.update(free)
    last = 0.0
    while arrivals:
        time, _, process, name, size = heapq.heappop(arrivals)
        busy[process] = max(busy[process], time) + net.o_r + size * at_receiver
        received[process, name] = busy[process]
        last = max(last, busy[process])
        advance(process)
    assert all(place[process] == len(program) for process, program in programs.items()), "a send waits for ever"
    sends = [len(program) for program in programs.values()]
    return Outcome(last, sum(sends), sum(s.size for p in programs.values() for s in p), max(sends, default=0))
