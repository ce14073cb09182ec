"""Scale-up domains: devices that reach each other without the network between nodes.

Slot ``scale_up_domain``: ``of-device`` (as the device is sold), ``of-node`` (all devices of a node, at a share of the
device's scale-up bandwidth: domains that nobody sells are extrapolated).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity

__all__: list[str] = []

_SOLD: dict[str, Any] = {"slot": "scale_up_domain", "provider": "of-device", "default": True}
_NODE: dict[str, Any] = {"slot": "scale_up_domain", "provider": "of-node"}
_MARK: dict[str, Any] = {
    "marks": ("uneven_domains",),
    "mark_words": {"uneven_domains": "have tensor groups that do not fill scale-up domains evenly"},
}
_GIVES = {"domain_devices": "1", "uneven_domains": "1"}

scale_up_width = assumption(
    1.0,
    unit="1",
    source="the device as it is sold",
    doc="Scale-up bandwidth of a device over that of its row in the catalogue",
    above=0,
    maximum=4,
)


def _uneven(devices: Any, tensor: Any) -> Any:
    """Return 1 where neither divides the other."""
    large, small = np.maximum(devices, tensor), np.minimum(devices, tensor)
    return np.where(large > small * np.floor(large / small), 1.0, 0.0)


@quantities(gives=_GIVES, source="data sheets", **_MARK, **_SOLD)
def domain_of_device(scale_up_devices, tensor_parallel):
    """Devices of a scale-up domain, S, as it is sold; and whether tensor groups fill it unevenly."""
    return scale_up_devices * 1.0, _uneven(scale_up_devices, tensor_parallel)


@quantities(gives=_GIVES, source="ours: a node is a domain", **_MARK, **_NODE)
def domain_of_node(devices_per_node, tensor_parallel):
    """Devices of a scale-up domain, S: all of a node; and whether tensor groups fill it unevenly."""
    return devices_per_node * 1.0, _uneven(devices_per_node, tensor_parallel)


@quantity(unit="B/s", source="bus rates of collective tests", **_SOLD)
def scale_up_rate(scale_up_bandwidth, scale_up_share):
    """Bandwidth of a device within its scale-up domain that collective operations sustain, u'."""
    return scale_up_bandwidth * scale_up_share


@quantity(
    unit="B/s",
    name="scale_up_rate",
    source="bus rates of collective tests; ours: a part of the links, or more of them",
    valid={"devices_per_node": (1, 72), "scale_up_width": (0.2, 1.0)},
    **_NODE,
)
def scale_up_rate_of_node(scale_up_bandwidth, scale_up_share, scale_up_width, devices_per_node):
    """Bandwidth of a device within its node that collective operations sustain, u'."""
    return scale_up_bandwidth * scale_up_share * scale_up_width
