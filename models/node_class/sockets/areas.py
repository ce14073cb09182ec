"""Areas of sockets with published dies beside those that the law of silicon gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.declare.declaration import Column
from dse.authoring.table import read_table

__all__ = ["Area", "areas"]

_LARGEST = 10.5  # nm: the cores that the areas are read off are of 7 nm, and far older ones are others
_COUNTED_AS = {4.0: 5.0}  # nm: as devices of the catalogue are counted


@dataclass(frozen=True)
class Area:
    """Silicon of one socket [m^2]: all dies as published, and by the law."""

    name: str
    published: float
    computed: float


@cache
def areas() -> tuple[Area, ...]:
    """Return the sockets of ``spaces/node_class/sockets.csv`` with a published area, 10 nm and below."""
    from dse.models.node_class import many_core, silicon

    path = Path(str(files("dse.spaces"))) / "node_class" / "sockets.csv"
    columns = {"die_area": Column("m^2"), "private_cache": Column("B"), "shared_cache": Column("B")}
    table = read_table(path, columns=columns, name="spaces/node_class/sockets.csv", empty=True)
    kept = np.isfinite(table["die_area"]) & (table["node_nm"] < _LARGEST) & (table["private_cache"] > 0.0)
    table = table.rows(kept)
    technology = 1e-9 * np.array([_COUNTED_AS.get(float(label), float(label)) for label in table["node_nm"]])
    given = {
        name: np.full(len(table), item.value)
        for module in (many_core, silicon)
        for name, item in vars(module).items()
        if hasattr(item, "value")
    }
    given |= {
        "technology": technology,
        "cores_per_socket": table["cores"],
        "vector_bits": table["vector_bits"],
        "vector_pipes": table["vector_pipes"],
        "unit_area_ratio": np.ones(len(table)),
        "private_cache": table["private_cache"],
        "shared_cache": table["shared_cache"],
    }
    for function in (many_core.core_caches, silicon.logic_area_factor, silicon.socket_area):
        result = function(*(given[need] for need in function.needs))
        given |= dict(zip(function.gives, result if len(function.gives) > 1 else (result,), strict=True))
    pairs = zip(table["name"], table["die_area"], given["socket_area"], strict=True)
    return tuple(Area(str(name), float(published), float(computed)) for name, published, computed in pairs)
