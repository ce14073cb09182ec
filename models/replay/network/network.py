"""The network that a trace is replayed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.collectives.algorithms.registry import COLLECTIVES
from dse.models.replay.trace.kinds import OPERATIONS

__all__ = ["EAGER_LIMIT", "Network", "network_of"]

EAGER_LIMIT = 8192.0
"""Bytes up to which a blocking send asks nobody, by default [B]."""


_LEAST_BANDWIDTH = 1e-100
"""B/s: the time of a byte and sums of them stay numbers."""


@dataclass(frozen=True, eq=False)
class Network:
    """What messages cost; each time and the bandwidth is a number, or an array over designs.

    Attributes
    ----------
    latency : float or ndarray
        L [s].
    overhead : float or ndarray
        o, the time a rank is busy with a send [s].
    bandwidth : float or ndarray
        B of the interface of a rank, which serves one message at a time [B/s]; infinite is allowed.
    receiver_overhead : float or ndarray, optional
        o_r, the time a rank is busy with a receive [s]. Default: `overhead`.
    eager_limit : float
        Largest blocking send that goes without asking [B].
    collectives : str or mapping of str to str
        "best": the quickest algorithm of `dse.models.collectives` for each operation; "simple": one closed form (see
        `dse.models.replay.timing.operation_times`); the name of an algorithm for each operation, others by the best.
    """

    latency: Any
    overhead: Any
    bandwidth: Any
    receiver_overhead: Any = None
    eager_limit: float = EAGER_LIMIT
    collectives: str | Mapping[str, str] = "best"

    def __post_init__(self) -> None:
        if self.receiver_overhead is None:
            object.__setattr__(self, "receiver_overhead", self.overhead)
        for name in ("latency", "overhead", "receiver_overhead", "bandwidth", "eager_limit"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name)))
        if np.ndim(self.eager_limit):
            raise InputError("is an array", key="network.eager_limit", allowed="one number for all designs")
        object.__setattr__(self, "eager_limit", float(self.eager_limit))
        _check_collectives(self.collectives)
        try:
            _ = self.shape
        except ValueError:
            shapes = {name: np.shape(getattr(self, name)) for name in ("latency", "overhead", "bandwidth")}
            raise InputError(f"shapes {shapes}", key="network", allowed="shapes that broadcast") from None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the designs; () of a single network."""
        return np.broadcast_shapes(
            *(np.shape(value) for value in (self.latency, self.overhead, self.receiver_overhead, self.bandwidth))
        )

    @property
    def byte_time(self) -> np.ndarray:
        """G, the time of a byte [s/B]."""
        return np.asarray(1.0 / np.asarray(self.bandwidth))

    def with_(self, **values: Any) -> Network:
        """Return the network with other values; without a `receiver_overhead` it stays what it is."""
        return replace(self, **values)

    def without_delay(self) -> Network:
        """Return the network with no latency and infinite bandwidth; overheads stay."""
        nothing = np.zeros(self.shape)
        return replace(self, latency=nothing, bandwidth=np.full(self.shape, np.inf))

    def ideal(self) -> Network:
        """Return the network on which messages cost nothing at all."""
        nothing = np.zeros(self.shape)
        free = np.full(self.shape, np.inf)
        return replace(self, latency=nothing, overhead=nothing, receiver_overhead=nothing, bandwidth=free)


def network_of(given: Network | Mapping[str, Any]) -> Network:
    """Return a network, or one of a mapping with its values by name."""
    if isinstance(given, Network):
        return given
    if not isinstance(given, Mapping):
        raise InputError(shown(given), key="network", allowed="a Network, or a mapping with its values")
    known = [field.name for field in fields(Network)]
    for name in given:
        if name not in known:
            raise InputError(f"'{name}' is no value", key="network", allowed=known, wrong=str(name), candidates=known)
    for name in ("latency", "overhead", "bandwidth"):
        if name not in given:
            raise InputError(f"no '{name}'", key="network", allowed=known)
    return Network(**given)


def _numbers(name: str, value: Any) -> Any:
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "fiu":
            raise TypeError
        numbers = numbers.astype(float)
    except (TypeError, ValueError):
        raise InputError(shown(value), key=f"network.{name}", allowed="a number, or an array of numbers") from None
    if name == "bandwidth":
        wrong, allowed = ~(numbers >= _LEAST_BANDWIDTH), f"a number > 0, or infinite; from {_LEAST_BANDWIDTH:g} B/s on"
    elif name == "eager_limit":
        wrong, allowed = ~(numbers >= 0.0), "a number >= 0"
    else:
        wrong, allowed = ~(np.isfinite(numbers) & (numbers >= 0.0)), "a finite number >= 0"
    if wrong.any():
        raise InputError(shown(numbers[wrong][0]), key=f"network.{name}", allowed=allowed)
    return numbers


def _check_collectives(given: str | Mapping[str, str]) -> None:
    if isinstance(given, str):
        if given not in ("best", "simple"):
            choices = ["best", "simple"]
            raise InputError(
                shown(given),
                key="network.collectives",
                allowed=[*choices, "algorithms by operation"],
                wrong=given,
                candidates=choices,
            )
        return
    for operation, algorithm in given.items():
        key = f"network.collectives.{operation}"
        if operation not in OPERATIONS:
            raise InputError(
                "no such operation", key=key, allowed=OPERATIONS, wrong=str(operation), candidates=OPERATIONS
            )
        known = COLLECTIVES[operation]
        if algorithm not in known and algorithm not in ("best", "simple"):
            raise InputError(
                shown(algorithm), key=key, allowed=["best", "simple", *known], wrong=str(algorithm), candidates=known
            )
