"""Who sends how much to whom: the traffic matrix of a run, and its statistics (Anghel 2017, Section 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dse.errors import InputError, shown
from dse.models.replay.trace.events import Trace

__all__ = ["MOST_RANKS_OF_A_MATRIX", "Spread", "Traffic", "Volumes", "spread_of", "traffic_of", "volumes_of"]

MOST_RANKS_OF_A_MATRIX = 4096
"""Most ranks whose traffic is given as a whole matrix; flows are given of any number."""

_BINS = 20


@dataclass(frozen=True, eq=False)
class Traffic:
    """Flows between different ranks, in the order of source and destination, each once.

    Attributes
    ----------
    ranks : int
    source, destination : ndarray of int
    bytes, messages : ndarray
        Of each flow.
    """

    ranks: int
    source: np.ndarray
    destination: np.ndarray
    bytes: np.ndarray
    messages: np.ndarray

    def matrix(self, what: str = "bytes") -> np.ndarray:
        """Return the matrix of bytes or messages, row = source."""
        if self.ranks > MOST_RANKS_OF_A_MATRIX:
            raise InputError(
                f"a matrix of {self.ranks:,} ranks", allowed=f"at most {MOST_RANKS_OF_A_MATRIX:,}, or the flows"
            )
        matrix = np.zeros((self.ranks, self.ranks))
        matrix[self.source, self.destination] = self.bytes if what == "bytes" else self.messages
        return matrix

    @staticmethod
    def of_flows(
        ranks: int, source: np.ndarray, destination: np.ndarray, held: np.ndarray, messages: np.ndarray
    ) -> Traffic:
        """Return flows added up by their ends."""
        keys, of_key = np.unique(source.astype(np.int64) * ranks + destination, return_inverse=True)
        total, count = (np.bincount(of_key, weights=weights, minlength=len(keys)) for weights in (held, messages))
        return Traffic(ranks, keys // ranks, keys % ranks, total, count)


def traffic_of(trace: Trace) -> Traffic:
    """Return the traffic of the sends of a trace; collective operations are not in it."""
    if not isinstance(trace, Trace):
        raise InputError(f"the trace is {shown(trace)}", key="trace", allowed="a Trace, as read_trace gives it")
    sends = trace.sends
    return Traffic.of_flows(trace.ranks, trace.rank[sends], trace.peer[sends], trace.bytes[sends], np.ones(len(sends)))


class Spread(NamedTuple):
    """Mean, standard deviation over the mean (n in the denominator), skewness; NaN where there is nothing."""

    mean: float
    relative_deviation: float
    skewness: float


def spread_of(values: np.ndarray, others: int = 0) -> Spread:
    """Return the spread of values, and of so many zeros beside them."""
    count = len(values) + others
    if not count:
        return Spread(np.nan, np.nan, np.nan)
    mean = float(values.sum()) / count
    away = values - mean
    second = (float((away**2).sum()) + others * mean**2) / count
    third = (float((away**3).sum()) - others * mean**3) / count
    deviation = second**0.5
    return Spread(
        mean,
        deviation / mean if mean > 0.0 else np.nan,
        third / deviation**3 if deviation > 1e-12 * abs(mean) else 0.0,
    )


class Volumes(NamedTuple):
    """Statistics of a traffic matrix.

    Attributes
    ----------
    pairs, active_pairs : int
        Ordered pairs of different ranks, and those with traffic.
    all_bytes, active_bytes : Spread
        Volume of a pair [B], over all pairs and over the active ones.
    message_size : Spread
        Mean size of the messages of a pair [B], over the active pairs.
    bytes_histogram, size_histogram : (ndarray, ndarray)
        Active pairs by volume and by mean size: counts, and the edges between them.
    sizes : ndarray, (bins, 3)
        Single messages by powers of two: upper size, messages, bytes.
    """

    pairs: int
    active_pairs: int
    all_bytes: Spread
    active_bytes: Spread
    message_size: Spread
    bytes_histogram: tuple[np.ndarray, np.ndarray]
    size_histogram: tuple[np.ndarray, np.ndarray]
    sizes: np.ndarray


def volumes_of(trace: Trace, traffic: Traffic) -> Volumes:
    """Return the statistics of the pairs of ranks and of the messages of a trace."""
    pairs = traffic.ranks * (traffic.ranks - 1)
    active = len(traffic.bytes)
    means = traffic.bytes / traffic.messages
    return Volumes(
        pairs,
        active,
        spread_of(traffic.bytes, pairs - active),
        spread_of(traffic.bytes),
        spread_of(means),
        _histogram(traffic.bytes),
        _histogram(means),
        sizes_in_powers(trace.bytes[trace.sends]),
    )


def _histogram(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not len(values):
        return np.zeros(0), np.zeros(0)
    least, most = float(values.min()), float(values.max())
    if most - least <= 1e-12 * most:  # one size, whatever its rounding: bins of nothing would follow
        return np.array([len(values)]), np.array([least, most])
    return np.histogram(values, bins=_BINS)


def sizes_in_powers(sizes: np.ndarray) -> np.ndarray:
    """Return messages by size: the least power of two that holds them, how many, their bytes; 0 apart."""
    if not len(sizes):
        return np.zeros((0, 3))
    upper = np.where(sizes > 0.0, np.exp2(np.ceil(np.log2(np.maximum(sizes, 1.0)))), 0.0)
    bins, of_bin = np.unique(upper, return_inverse=True)
    return np.stack([bins, np.bincount(of_bin), np.bincount(of_bin, weights=sizes)], axis=1)
