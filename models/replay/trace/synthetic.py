"""Traces that are made up: a stencil on a periodic grid, every step with neighbours and a sum over all ranks."""

from __future__ import annotations

import numpy as np

from dse.errors import InputError
from dse.models.replay.trace.assembling import assembled
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import KINDS

__all__ = ["stencil_trace"]


def stencil_trace(
    sides: tuple[int, int],
    steps: int,
    *,
    compute: float = 2e-4,
    halo: float = 16_384.0,
    imbalance: float = 0.1,
    noise: float = 0.05,
    reduce_every: int = 1,
    seed: int = 1,
) -> Trace:
    """Return the trace of a stencil of two dimensions; nothing in it is measured.

    Parameters
    ----------
    sides : (int, int)
        Ranks along the dimensions of the periodic grid, at least 3 each; dimension 1 fastest.
    steps : int
        Each of a compute, four receives and four sends that do not block, a waitall, and an allreduce of 8 B.
    compute : float
        Mean seconds of a compute.
    halo : float
        Bytes of a message.
    imbalance, noise : float
        Relative standard deviation of the work of a rank, and of each step of it.
    reduce_every : int
        Steps from one allreduce to the next; 0 for none.
    seed : int

    Examples
    --------
    >>> stencil_trace((3, 3), 2)
    <Trace 'stencil 3x3': 9 ranks, 198 events, synthetic>
    """
    if min(sides) < 3 or steps < 1:
        raise InputError(f"a grid of {sides[0]}x{sides[1]}, {steps} steps", allowed="sides >= 3, steps >= 1")
    rng = np.random.default_rng(seed)
    ranks = sides[0] * sides[1]
    rank = np.arange(ranks)
    x, y = rank % sides[0], rank // sides[0]
    neighbours = np.stack(
        [
            (x + 1) % sides[0] + sides[0] * y,
            (x - 1) % sides[0] + sides[0] * y,
            x + sides[0] * ((y + 1) % sides[1]),
            x + sides[0] * ((y - 1) % sides[1]),
        ]
    )
    plan = [("compute", -1), *(("irecv", way) for way in range(4)), *(("isend", way) for way in range(4))]
    plan += [("waitall", -1), ("collective", -1)]
    kinds = np.array([KINDS.index(kind) for kind, _ in plan])
    way = np.array([way_of_peer for _, way_of_peer in plan])
    shape = (ranks, steps, len(plan))
    kind, direction = np.broadcast_to(kinds, shape), np.broadcast_to(way, shape)
    peer = np.where(direction >= 0, neighbours[direction, rank[:, None, None]], -1)
    sends = kind == KINDS.index("isend")
    # What leaves in one direction arrives from the opposite one, and has the number of that.
    tag = np.where(direction >= 0, np.where(sends, direction ^ 1, direction), 0)
    work = np.maximum(1.0 + imbalance * rng.standard_normal((ranks, 1)), 0.1)
    seconds = compute * work * np.maximum(1.0 + noise * rng.standard_normal((ranks, steps)), 0.1)
    values = {
        "rank": np.broadcast_to(rank[:, None, None], shape),
        "kind": np.array(KINDS, dtype=object)[kind],
        "seconds": np.where(kind == 0, np.round(seconds, 9)[:, :, None], np.nan),
        "peer": peer,
        "bytes": np.where(direction >= 0, halo, np.where(kind == KINDS.index("collective"), 8.0, np.nan)),
        "tag": tag,
        "request": np.where(direction >= 0, np.where(sends, 4 + direction, direction), -1),
        "op": np.where(kind == KINDS.index("collective"), "allreduce", "").astype(object),
    }
    kept = np.ones(shape, dtype=bool)
    if reduce_every != 1:
        after = np.arange(1, steps + 1) % reduce_every == 0 if reduce_every else np.zeros(steps, dtype=bool)
        kept[:, ~after, -1] = False
    header = {
        "name": f"stencil {sides[0]}x{sides[1]}",
        "source": f"ours: made up, dse.models.replay.trace.synthetic.stencil_trace, seed {seed}",
        "licence": "MIT",
        "synthetic": True,
    }
    return assembled({name: value[kept] for name, value in values.items()}, header)
