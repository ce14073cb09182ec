"""How the groups of a dragonfly are wired, and which groups can be: stated once, for closed forms, routing and picture.

Global port t of a group is on its switch t div h. It is copy t div (g − 1) of the link to the group
t mod (g − 1) + 1 further on. Numbers may be arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["GLOBAL", "LOCAL", "all_pairs_once", "links_per_pair", "port_to", "switch_of_port", "uneven"]

LOCAL, GLOBAL = "local", "global"


def all_pairs_once(a: Any, h: Any) -> Any:
    """Return the groups that a·h global ports of each link with each other once, a·h + 1: the default of g."""
    return a * h + 1


def links_per_pair(a: Any, h: Any, g: Any) -> Any:
    """Return the links between two groups, K = a·h/(g − 1)."""
    return a * h // (g - 1)


def uneven(a: Any, h: Any, g: Any) -> Any:
    """Return whether the a·h global ports of a group do not spread evenly over the g − 1 other groups."""
    return np.mod(a * h, np.maximum(g - 1, 1)) != 0


def port_to(offset: Any, copy: Any, g: Any) -> Any:
    """Return the global port of a group with this copy of the link to the group at an offset (there: g − offset)."""
    return copy * (g - 1) + offset - 1


def switch_of_port(port: Any, h: Any) -> Any:
    """Return the switch of the group that has a global port."""
    return port // h
