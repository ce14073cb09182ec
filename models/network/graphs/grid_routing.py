"""What routing flows over a torus and over a HyperX has in common: switches on a grid, dimension 1 fastest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.graphs.flow_routing import read_whole_number
from dse.models.network.graphs.grid import class_name

__all__ = ["coordinates", "dimension_classes", "read_dimensions"]


def read_dimensions(topology: str, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the sizes of the dimensions of a torus or a HyperX."""
    try:
        sizes = tuple(read_whole_number(f"d[{position}]", size) for position, size in enumerate(parameters["d"]))
    except KeyError:
        raise InputError(f"the topology '{topology}' needs 'd'", key="parameters") from None
    except TypeError:
        sizes = ()
    if not sizes:
        raise InputError(f"{parameters['d']}", key="d", allowed="one whole number >= 1 per dimension")
    return sizes


def dimension_classes(sizes: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the link classes, one per dimension."""
    return tuple(class_name(position) for position in range(len(sizes)))


def coordinates(switch: np.ndarray, sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the coordinates of switches of a torus or a HyperX, dimension 1 first."""
    for size in sizes:
        rest = switch // size
        yield switch - rest * size
        switch = rest
