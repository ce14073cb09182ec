"""A store block by block: each waits for its turn to be issued, for a drive and for a link; no code of the models."""

from __future__ import annotations

import heapq


def finish_time(blocks, block, *, devices, device_bandwidth, links, link_bandwidth, operation_rate):
    """Return when the last of some blocks of equal size has arrived.

    Blocks are issued one after the other at the rate of operations; each then takes the drive that is free first, and
    after it the link that is free first.
    """
    drives, lines = [0.0] * devices, [0.0] * links
    last = 0.0
    for number in range(blocks):
        issued = (number + 1) / operation_rate if operation_rate else 0.0
        read = max(issued, heapq.heappop(drives)) + block / device_bandwidth
        heapq.heappush(drives, read)
        arrived = max(read, heapq.heappop(lines)) + block / link_bandwidth
        heapq.heappush(lines, arrived)
        last = max(last, arrived)
    return last
