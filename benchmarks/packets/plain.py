"""The same simulator as a plain Python loop: the compiled one equals it packet by packet, and is timed beside it."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

import numpy as np

from benchmarks.packets.routes import DATELINE, HOP, Tables
from benchmarks.packets.simulator import Outcome, Settings, Switches, outcome, ports_of, settings_of

__all__ = ["simulate_plainly"]

FREE, CREDIT, ARRIVE = range(3)
_MASK = (1 << 64) - 1


class _Packet:
    __slots__ = ("bent", "born", "channel", "destination", "goal", "hop", "link", "next_channel", "stop", "tail")


class _World:
    def __init__(self, tables: Tables, settings: Settings, period: np.ndarray, flows: Sequence[Sequence[int]]) -> None:
        self.tables, self.set = tables, settings
        self.period, self.latency = period.tolist(), tables.latency.tolist()
        self.target, self.attached = tables.target.tolist(), tables.attached.tolist()
        self.first, self.links, self.upto = tables.first.tolist(), tables.links.tolist(), tables.upto.tolist()
        self.dimension, self.wrap, self.stops = tables.dimension.tolist(), tables.wrap.tolist(), tables.stops.tolist()
        links = len(tables.names)
        self.room = [settings.buffer] * (links * settings.channels)
        self.busy, self.freed = [False] * links, [-1] * links
        self.queues: list[dict[tuple[int, int], deque[_Packet]]] = [{} for _ in range(links)]
        self.flows, self.turn = flows, [0] * tables.nodes
        self.sent = [[0] * len(targets) for targets in flows]
        self.heap: list[tuple[float, int, int, int, _Packet | None]] = []
        self.state, self.order, self.now = settings.seed, 0, 0.0
        self.delivered, self.finish = [0] * tables.nodes, [0.0] * tables.nodes
        self.in_flight = self.made = self.hops = 0

    def drawn(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def push(self, time: float, kind: int, of: int, packet: _Packet | None = None) -> None:
        heapq.heappush(self.heap, (time, self.order, kind, of, packet))
        self.order += 1

    def new_packet(self, node: int) -> _Packet | None:
        if self.set.random:
            to = int(self.drawn() * (self.set.nodes - 1))
            to += to >= node
        else:
            sent, count = self.sent[node], len(self.flows[node])
            if all(packets == self.set.per_flow for packets in sent):
                return None
            while sent[self.turn[node]] == self.set.per_flow:
                self.turn[node] = (self.turn[node] + 1) % count
            to = self.flows[node][self.turn[node]]
            sent[self.turn[node]] += 1
            self.turn[node] = (self.turn[node] + 1) % count
        packet = _Packet()
        packet.destination, packet.goal = to, self.attached[to]
        packet.stop = self.stops[int(self.drawn() * len(self.stops))] if self.set.valiant else -1
        packet.hop = packet.bent = packet.channel = packet.next_channel = 0
        packet.tail = packet.born = self.now
        self.in_flight += 1
        self.made += 1
        return packet

    def start(self, link: int) -> None:
        if self.busy[link]:
            return
        channels = self.set.channels
        if link < self.set.nodes:
            if not self.room[link * channels]:
                return
            packet = self.new_packet(link)
            self.freed[link] = -1
        else:
            packet = self.served(link)
            if packet:
                self.freed[link] = packet.link * channels + packet.channel
        if packet is None:
            return
        ends = max(self.now + self.period[link], packet.tail)
        self.busy[link] = True
        packet.link, packet.channel, packet.tail = link, packet.next_channel, ends + self.latency[link]
        self.push(ends, FREE, link)
        if self.target[link] < 0:
            self.push(packet.tail, ARRIVE, link, packet)
        else:
            self.room[link * channels + packet.channel] -= 1
            self.push(self.now + self.set.head * self.period[link] + self.latency[link], ARRIVE, link, packet)

    def served(self, link: int) -> _Packet | None:
        """Take the first packet that may go: of the queues in turn, or the oldest."""
        queues, first = self.queues[link], self.set.channels * link
        ready = [
            (queue[0].born, place, key)
            for place, (key, queue) in enumerate(queues.items())
            if self.target[link] < 0 or self.room[first + queue[0].next_channel]
        ]
        if not ready:
            return None
        key = min(ready, key=lambda entry: entry[:2])[2] if self.set.oldest else ready[0][2]
        queue = queues.pop(key)
        packet = queue.popleft()
        if queue:
            queues[key] = queue
        return packet

    def arrive(self, packet: _Packet) -> None:
        tables, settings, link = self.tables, self.set, packet.link
        here = self.target[link]
        if here < 0:
            self.delivered[packet.destination] += self.now >= settings.warm
            self.finish[packet.destination] = max(self.finish[packet.destination], self.now)
            self.in_flight -= 1
            return
        if link >= 2 * tables.nodes:
            packet.hop += 1
            self.hops += 1
        if packet.stop == here:
            packet.stop, packet.hop, packet.bent = -1, 0, 0
        aim = packet.stop if packet.stop >= 0 else packet.goal
        if aim == here:
            out, packet.next_channel = tables.nodes + packet.destination, 0
        else:
            out = self.chosen(int(settings.layers > 1 and packet.hop > 0), here, aim)
            packet.next_channel = self.next_channel(packet, out)
        self.queues[out].setdefault((link, packet.channel), deque()).append(packet)
        self.start(out)

    def chosen(self, layer: int, here: int, aim: int) -> int:
        at = (layer * self.tables.switches + here) * self.tables.switches + aim
        first, end = self.first[at], self.first[at + 1]
        if end - first > 1:
            draw = self.drawn()
            while first + 1 < end and draw >= self.upto[first]:
                first += 1
        return self.links[first]

    def next_channel(self, packet: _Packet, out: int) -> int:
        phase = self.set.per_phase if self.set.valiant and packet.stop < 0 else 0
        if self.set.rule == HOP:
            return phase + packet.hop
        if self.set.rule != DATELINE:
            return phase
        if packet.link < 2 * self.tables.nodes or self.dimension[packet.link] != self.dimension[out]:
            packet.bent = 0
        if self.wrap[out]:
            packet.bent = 1
        return phase + packet.bent

    def run(self) -> int:
        """Work through the events; return how many there were."""
        for node in range(self.set.nodes):
            self.start(node)
        events = 0
        while self.heap:
            self.now, _, kind, of, packet = heapq.heappop(self.heap)
            if self.set.random and self.now >= self.set.horizon:
                return events
            events += 1
            if packet is not None:
                self.arrive(packet)
            elif kind == CREDIT:
                self.room[of] += 1
                self.start(of // self.set.channels)
            else:
                self.busy[of] = False
                if self.freed[of] >= 0:
                    self.push(self.now + self.latency[self.freed[of] // self.set.channels], CREDIT, self.freed[of])
                self.start(of)
        if self.in_flight:
            raise RuntimeError("the packet simulation stopped: deadlock")
        return events


def simulate_plainly(
    tables: Tables,
    flows: Sequence[Sequence[int]] | None = None,
    *,
    per_flow: int = 256,
    warm: float = 0.0,
    horizon: float = 0.0,
    valiant: bool = False,
    switches: Switches | None = None,
    seed: int = 1,
) -> Outcome:
    """Run packets through a network, as `benchmarks.packets.simulator.simulate` does."""
    kind = switches or Switches()
    settings = settings_of(
        tables, kind, valiant=valiant, per_flow=per_flow if flows else 0, warm=warm, horizon=horizon, seed=seed
    )
    assert ports_of(tables)[1].min() > 0
    world = _World(tables, settings, kind.packet / tables.capacity, flows or [[]] * tables.nodes)
    events = world.run()
    delivered, finish = np.array(world.delivered), np.array(world.finish)
    return outcome(kind, delivered, finish, world.made, world.hops, events, world.now, flows, per_flow, warm)
