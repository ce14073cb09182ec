"""Operations made of rooted ones: one phase towards the root, one away from it, or both.

Charging the time of bytes at the side of the root makes a reduction or a gather the time reversal of a broadcast or a
scatter, with the same time (an upper bound for binomial trees of other P than powers of two).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dse.models.collectives.algorithms.fibonacci import fibonacci
from dse.models.collectives.algorithms.geometry import ceil_log2, floor_log2, kary_height
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.parts import Parts
from dse.models.collectives.algorithms.personalised import binomial_pers, flat_pers, kary_pers
from dse.models.collectives.algorithms.pipelines import chain, double_tree, double_tree_pipe, pbt, pbt_pers
from dse.models.collectives.algorithms.trees import binomial, flat, kary, split_binary

__all__ = ["BLOCKS", "Block", "Given", "Phase", "composed"]


class Given(NamedTuple):
    """What an algorithm is asked for: arrays that broadcast against each other."""

    processes: np.ndarray
    size: np.ndarray
    net: LogGP
    arity: np.ndarray
    pieces: np.ndarray


@dataclass(frozen=True)
class Block:
    """A rooted operation.

    Attributes
    ----------
    form : callable
        Its closed form away from the root.
    inner : callable
        Most sends of a process that is not the root, away from the root.
    upward : callable
        Sends of a process towards the root.
    combined : callable, optional
        Operands combined one after another on the way to the root, in units of the message; none for separate blocks.
    """

    form: Callable[[Given], Parts]
    inner: Callable[[Given], np.ndarray]
    upward: Callable[[Given], np.ndarray]
    combined: Callable[[Given], np.ndarray] | None = None


@dataclass(frozen=True)
class Phase:
    """A block in one direction; `whole` when it carries the blocks of all processes, P times the message."""

    block: str
    up: bool = False
    whole: bool = False


def _one(given: Given) -> np.ndarray:
    return np.ones(())


def _others(given: Given) -> np.ndarray:
    return given.processes - 1.0


def _nothing(given: Given) -> np.ndarray:
    return np.zeros(())


def _rounds(given: Given) -> np.ndarray:
    return ceil_log2(given.processes) * 1.0


def _inner_of_kary(given: Given) -> np.ndarray:
    inner: np.ndarray = np.clip(given.processes - 1.0 - given.arity, 0, given.arity)
    return inner


def _inner_of_binomial(given: Given) -> np.ndarray:
    m = ceil_log2(given.processes)
    handed = np.maximum(given.processes - (1 << np.maximum(m - 1, 0)), 1)
    result: np.ndarray = 1.0 * np.maximum(ceil_log2(handed), np.maximum(m - 2, 0))
    return result


def _inner_of_split(given: Given) -> np.ndarray:
    # Its half goes to a process of the other half of the tree, and down to two children where it has any.
    return np.where(given.processes > 3, 3.0, 1.0)


def _inner_of_binary_pipeline(given: Given) -> np.ndarray:
    result: np.ndarray = np.clip(given.processes - 3.0, 0.0, 2.0) * given.pieces
    return result


def _inner_of_double_tree(given: Given) -> np.ndarray:
    return np.where(given.processes > 3, 2.0 * given.pieces, 0.0)


def _combined_by_kary(given: Given) -> np.ndarray:
    arity = np.minimum(given.arity, given.processes - 1.0)
    result: np.ndarray = arity * kary_height(given.processes, given.arity)
    return result


def _height(given: Given) -> np.ndarray:
    return floor_log2(given.processes) * 1.0


def _height_without_root(given: Given) -> np.ndarray:
    return floor_log2(np.maximum(given.processes - 1, 1)) * 1.0


_PLAIN: dict[str, Block] = {
    "flat": Block(lambda g: flat(*g[:3]), _nothing, _one, _others),
    "kary": Block(lambda g: kary(*g[:4]), _inner_of_kary, _one, _combined_by_kary),
    "split_binary": Block(lambda g: split_binary(*g[:3]), _inner_of_split, _one),
    "binomial": Block(lambda g: binomial(*g[:3]), _inner_of_binomial, _one, _rounds),
    "fibonacci": Block(
        lambda g: fibonacci(*g[:3]),
        lambda g: np.maximum(fibonacci(*g[:3]).sends - 1.0, 0.0),
        _one,
        lambda g: fibonacci(*g[:3]).sends,
    ),
    "chain": Block(
        lambda g: chain(*g[:3], g.pieces),
        lambda g: np.where(g.processes > 2, g.pieces * 1.0, 0.0),
        lambda g: g.pieces * 1.0,
        lambda g: (g.pieces + g.processes - 2.0) / g.pieces,
    ),
    "pbt": Block(
        lambda g: pbt(*g[:3], g.pieces),
        _inner_of_binary_pipeline,
        lambda g: g.pieces * 1.0,
        lambda g: 2.0 * (g.pieces + _height(g) - 1.0) / g.pieces,
    ),
    "double_tree": Block(
        lambda g: double_tree(*g[:3], g.pieces),
        _inner_of_double_tree,
        lambda g: 2.0 * g.pieces,
        lambda g: 1.0 + (g.pieces + _height_without_root(g) - 1.0) / g.pieces,
    ),
    "double_tree_pipe": Block(
        lambda g: double_tree_pipe(*g[:3], g.pieces),
        _inner_of_double_tree,
        lambda g: 2.0 * g.pieces,
        lambda g: (g.pieces + _height_without_root(g)) / g.pieces,
    ),
}

BLOCKS: dict[str, Block] = {
    **_PLAIN,
    "flat_pers": Block(lambda g: flat_pers(*g[:3]), _nothing, _one),
    "kary_pers": Block(lambda g: kary_pers(*g[:4]), _inner_of_kary, _one),
    "binomial_pers": Block(lambda g: binomial_pers(*g[:3]), _inner_of_binomial, _one),
    "pbt_pers": Block(lambda g: pbt_pers(*g[:3], g.pieces), _inner_of_binary_pipeline, lambda g: g.pieces * 1.0),
}
"""Rooted operations by name."""


def composed(phases: tuple[Phase, ...], given: Given, *, matched_receives: bool) -> Parts:
    """Add up phases, one after the other.

    Parameters
    ----------
    phases : tuple of Phase
    given : Given
    matched_receives : bool
        Whether descriptors of the way up are counted as many as those of the way down (a receive is matched for each),
        or only what a process sends: the root on the way down, or an inner process on both.

    Returns
    -------
    Parts
        With the time of combining operands (`LogGP.reduction_time`), where something is combined.
    """
    time, messages, moved, descriptors, root, inner = (np.zeros(()) for _ in range(6))
    alone = given.processes == 1
    for phase in phases:
        block = BLOCKS[phase.block]
        size = given.size * given.processes if phase.whole else given.size
        asked = given._replace(size=size)
        parts = block.form(asked)
        time = time + parts.time
        if phase.up and block.combined is not None:
            combined = np.where(alone, 0.0, block.combined(asked))
            time = time + combined * np.asarray(given.net.reduction_time) * size
        messages = messages + parts.messages
        moved = moved + parts.bytes
        descriptors = descriptors + parts.sends
        defined = parts.sends * 0.0  # NaN where the block is not defined
        root = root + (defined if phase.up else parts.sends)
        inner = inner + defined + (block.upward(asked) if phase.up else block.inner(asked))
    sends = descriptors if matched_receives else np.where(alone, 0.0, np.maximum(root, inner))
    return Parts(np.asarray(time), np.asarray(messages), np.asarray(moved), np.asarray(sends))
