"""An own simulation of collectives on an explicit network, message by message; no code of the models.

A process does its sends in their order, each when the messages that it waits for are received. A send occupies the
process for the overhead, then its bytes flow through the links of the path: the rate is the least over the links of
capacity over the sum of the shares of all messages that are under way, and changes whenever one starts or ends. When
the bytes are out the process is free, and the message arrives a latency of its path later, where receiving takes its
overhead, one message at a time.

The network is a graph of `tests/models/network/oracle.py`, with its paths.
"""

import heapq
import math
from typing import NamedTuple


class Send(NamedTuple):
    source: int
    to: int
    size: float
    name: object
    after: tuple = ()


def sends_of(algorithm, ranks, size):
    """Schedules written down from their definitions, as lists of sends in program order."""
    levels = math.ceil(math.log2(ranks))
    everyone = range(ranks)

    def in_rounds(steps):
        """Everyone sends in every round, and waits for what it gets in it: steps are (partner, bytes, giver)."""
        return [
            Send(r, to(r), amount, (number, r), ((number - 1, steps[number - 1][2](r)),) if number else ())
            for number, (to, amount, _) in enumerate(steps)
            for r in everyone
        ]

    def ahead(step, amount):
        return (lambda r: (r + step) % ranks, amount, lambda r: (r - step) % ranks)

    def swap(distance, amount):
        return (lambda r: r ^ distance, amount, lambda r: r ^ distance)

    powers = [2**k for k in range(levels)]
    if algorithm == "butterfly":
        return in_rounds([swap(d, size) for d in powers])
    if algorithm == "butterfly_pers":
        return in_rounds([swap(d, size * d) for d in powers])
    if algorithm == "rabenseifner":
        down = [swap(d, size * d / ranks) for d in reversed(powers)]
        return in_rounds(down + down[::-1])
    if algorithm == "reduce_scatter_halving":
        return in_rounds([swap(d, size * d) for d in reversed(powers)])
    if algorithm == "dissemination":
        return in_rounds([ahead(d, size) for d in powers])
    if algorithm == "bruck_allgather":
        return in_rounds([ahead(-d, size * min(d, ranks - d)) for d in powers])
    if algorithm == "bruck_alltoall":
        return in_rounds([ahead(d, size * sum(j // d % 2 for j in everyone)) for d in powers])
    if algorithm == "ring_allgather":
        return in_rounds([ahead(1, size)] * (ranks - 1))
    if algorithm == "ring_allreduce":
        return in_rounds([ahead(1, size / ranks)] * (2 * ranks - 2))
    if algorithm == "pairwise":
        return in_rounds([ahead(j, size) for j in range(1, ranks)])
    if algorithm == "direct":
        return [Send(r, (r + j) % ranks, size, (r, j)) for r in everyone for j in range(1, ranks)]
    if algorithm == "flat":
        return [Send(0, d, size, d) for d in range(1, ranks)]
    if algorithm in ("binomial", "binomial_pers"):
        sends = []
        for distance in reversed(powers):
            for r in range(0, ranks - distance, 2 * distance):
                amount = min(distance, ranks - r - distance) if algorithm == "binomial_pers" else 1
                sends.append(Send(r, r + distance, size * amount, r + distance, (r,) if r else ()))
        return sends
    if algorithm == "folded_butterfly":
        largest = 2 ** (levels - 1)
        sends = [Send(r, r - largest, size, ("in", r - largest)) for r in range(largest, ranks)]
        partner = {}
        for number, d in enumerate(powers[:-1]):
            for r in range(largest):
                before = (("in", r),) if number == 0 and r < ranks - largest else ()
                before += ((number - 1, r ^ powers[number - 1]),) if number else ()
                sends.append(Send(r, r ^ d, size, (number, r), before))
                partner[r] = r ^ d
        last = levels - 2
        return sends + [Send(r, r + largest, size, ("out", r), ((last, partner[r]),)) for r in range(ranks - largest)]
    raise ValueError(algorithm)


def simulate(sends, network, overhead, receiving, switch_latency):
    """Return when the last process is done."""
    waiting = {}
    for send in sends:
        waiting.setdefault(send.source, []).append(send)
    place = dict.fromkeys(waiting, 0)
    free = dict.fromkeys(waiting, True)
    receiver_free = {}
    received = set()
    needed = {}
    for send in sends:
        for name in send.after:
            needed.setdefault(name, set()).add(send.source)

    known = {}

    def way(source, to):
        """Return shares by link, and the latency."""
        if (source, to) not in known:
            shares = {("up", source): 1.0, ("down", to): 1.0}
            latency = 2 * network.node_latency + switch_latency
            for share, links in network.minimal(network.attached[source], network.attached[to]):
                for link in links:
                    shares[link] = shares.get(link, 0.0) + share
                    latency += share * (network.latency[network.links[link]] + switch_latency)
            known[source, to] = shares, latency
        return known[source, to]

    def capacity(link):
        return network.node_capacity if link[0] in ("up", "down") else network.capacity[network.links[link]]

    events, order, now, done = [], 0, 0.0, 0.0
    left, on_link = {}, {}

    def push(time, kind, send):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, kind, send))

    def begin(rank):
        if free[rank] and place[rank] < len(waiting[rank]):
            send = waiting[rank][place[rank]]
            if received.issuperset(send.after):
                free[rank] = False
                place[rank] += 1
                push(now + overhead, "flow", send)

    def out(send):
        free[send.source] = True
        push(now + way(send.source, send.to)[1], "arrive", send)
        begin(send.source)

    for rank in waiting:
        begin(rank)
    while events or left:
        load = {link: sum(users.values()) for link, users in on_link.items() if users}
        rates = {send: min(capacity(link) / load[link] for link in way(send.source, send.to)[0]) for send in left}
        ends = min((left[send] / rates[send] for send in left), default=math.inf)
        until = min(events[0][0] if events else math.inf, now + ends)
        for send in left:
            left[send] -= rates[send] * (until - now)
        now = until
        for send in [send for send in left if left[send] <= 1e-9 * send.size]:
            del left[send]
            for link in way(send.source, send.to)[0]:
                del on_link[link][send]
            out(send)
        while events and events[0][0] <= now:
            _, _, kind, send = heapq.heappop(events)
            if kind == "flow" and send.size > 0:
                left[send] = send.size
                for link, share in way(send.source, send.to)[0].items():
                    on_link.setdefault(link, {})[send] = share
            elif kind == "flow":
                out(send)
            elif kind == "arrive":
                receiver_free[send.to] = max(now, receiver_free.get(send.to, 0.0)) + receiving
                push(receiver_free[send.to], "received", send)
            else:
                received.add(send.name)
                done = max(done, now)
                for rank in needed.get(send.name, ()):
                    begin(rank)
    assert all(place[rank] == len(waiting[rank]) for rank in waiting)
    return done
