"""What is typed after `dse trace`, read: type sizes, and a network from its texts."""

from __future__ import annotations

import math

from dse.errors import InputError
from dse.models.replay.network.network import Network
from dse.units import parse_quantity

__all__ = ["network_of_texts", "read_value", "sizes_of"]

_EXAMPLES = {"latency": "'2 us'", "overhead": "'0.5 us'", "bandwidth": "'10 GB/s'"}


def sizes_of(items: list[str]) -> dict[int, float]:
    """Return bytes of types by their codes, of texts such as ``7=8``."""
    sizes = {}
    for item in items:
        code, _, size = item.partition("=")
        try:
            key, value = int(code), float(size)
        except ValueError:
            key, value = 0, math.nan
        if not 0.0 < value < math.inf:
            raise InputError(f"'{item}'", key="--type-size", allowed="CODE=BYTES, such as 7=8")
        sizes[key] = value
    return sizes


def network_of_texts(
    latency: str, overhead: str, receiver_overhead: str, bandwidth: str, eager_limit: str, collectives: str
) -> Network:
    """Return the network of the options of a command, each with its unit."""
    for name, text in (("latency", latency), ("overhead", overhead), ("bandwidth", bandwidth)):
        if not text:
            raise InputError(
                "the network is not given",
                key=f"--{name}",
                allowed=f"a value such as {_EXAMPLES[name]}, or --study and --design",
            )
    return Network(
        read_value(latency, "s", "latency"),
        read_value(overhead, "s", "overhead"),
        read_value(bandwidth, "B/s", "bandwidth"),
        read_value(receiver_overhead, "s", "receiver-overhead") if receiver_overhead else None,
        eager_limit=read_value(eager_limit, "B", "eager-limit"),
        collectives=collectives,
    )


def read_value(text: str, unit: str, option: str) -> float:
    """Return the value of an option in SI; a bandwidth is above 0, all others 0 or more."""
    try:
        value = parse_quantity(text, unit)
    except InputError as error:
        raise error.within(key=f"--{option}") from None
    if value < 0.0 or (unit == "B/s" and value == 0.0):
        raise InputError(f"'{text}'", key=f"--{option}", allowed="above 0" if unit == "B/s" else "0 or more")
    return float(value)
