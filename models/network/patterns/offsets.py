"""Where a shift of the nodes takes the flows of a switch: to one or two neighbouring switches in the linear order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dse.models.network.patterns.blocks import shift_step

__all__ = ["switch_offsets"]


def switch_offsets(
    pattern: str, switches: Any, nodes_per_switch: Any, options: Mapping[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """Yield the two offsets in switches, modulo their number, and how many flows of a switch go there.

    A shift by s = Q p + R takes p − R of the p flows of a switch to the Q-th next switch and R to the one after it.
    """
    step = shift_step(pattern, switches * nodes_per_switch, options)
    whole, rest = np.floor(step / nodes_per_switch), np.mod(step, nodes_per_switch)
    yield np.mod(whole, switches), nodes_per_switch - rest
    yield np.mod(whole + 1.0, switches), rest
