"""Heights, degrees and sums over trees of any number of nodes, by whole numbers: no floating logarithm decides a level.

All functions take whole numbers up to 2^40 that broadcast, and take a number of steps that grows with the logarithm of
the number of nodes. A k-ary tree is the heap tree: the children of node n are kn + 1 … kn + k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = [
    "BijectiveDigits",
    "bits_set",
    "busiest_path",
    "ceil_log2",
    "depths",
    "floor_log2",
    "full_nodes",
    "is_full_binary",
    "is_power_of_two",
    "kary_height",
    "kary_path",
    "whole_power",
]


def _bit_length(n: np.ndarray) -> np.ndarray:
    # frexp is exact: n has less than 53 bits.
    length: np.ndarray = np.frexp(n.astype(float))[1].astype(np.int64)
    return length


def floor_log2(n: np.ndarray) -> np.ndarray:
    """Return the largest m with 2^m <= n (n >= 1)."""
    return _bit_length(n) - 1


def ceil_log2(n: np.ndarray) -> np.ndarray:
    """Return the smallest m with 2^m >= n (n >= 1)."""
    return _bit_length(n - 1)


def is_power_of_two(n: np.ndarray) -> np.ndarray:
    """Tell which whole numbers >= 1 are powers of two."""
    result: np.ndarray = (n & (n - 1)) == 0
    return result


def is_full_binary(n: np.ndarray) -> np.ndarray:
    """Tell which are numbers of nodes of a full binary tree of two levels or more (3, 7, 15)."""
    return is_power_of_two(n + 1) & (n >= 3)


class BijectiveDigits(NamedTuple):
    """What the digits 1 … k of the last node of a k-ary tree say.

    Attributes
    ----------
    height : ndarray of int
        Levels below the root: the number of digits.
    sends : ndarray of int
        Sends that are done one after another on the path to the node that is reached last, if it is of the last level.
    """

    height: np.ndarray
    sends: np.ndarray


def kary_path(nodes: np.ndarray, arity: np.ndarray) -> BijectiveDigits:
    """Read the last node of a k-ary tree in bijective base k.

    A node is reached after as many sends as its digits add up to, and as many hops as it has digits. The worst node of
    the last level has the digits of the last node, or the same up to a digit that is one less, then digits k.
    """
    nodes, arity = np.broadcast_arrays(nodes, arity)
    rest = nodes - 1
    height = np.zeros(rest.shape, dtype=np.int64)
    worst = np.zeros(rest.shape, dtype=np.int64)
    while (rest > 0).any():
        going = rest > 0
        above = np.where(going, (rest - 1) // arity, 0)
        digit = np.where(going, (rest - 1) % arity + 1, 0)
        smaller = np.where(digit > 1, digit - 1 + arity * np.where(going, height, 0), 0)
        worst = np.where(going, np.maximum(digit + worst, smaller), worst)
        height = height + going
        rest = above
    return BijectiveDigits(height, worst)


def kary_height(nodes: np.ndarray, arity: np.ndarray) -> np.ndarray:
    """Return the smallest h with 1 + k + … + k^h >= P."""
    return kary_path(nodes, arity).height


def full_nodes(arity: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Return 1 + k + … + k^h as a float, 0 for a height of -1."""
    k, height = np.broadcast_arrays(np.asarray(arity, dtype=float), height)
    total = np.zeros(k.shape)
    for level in range(int(height.max(initial=-1)) + 1):
        total = np.where(level <= height, total * k + 1.0, total)
    return total


def whole_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Return base^exponent by multiplication, exact where it is a whole number below 2^53."""
    base, exponent = np.broadcast_arrays(np.asarray(base, dtype=float), exponent)
    total = np.ones(base.shape)
    for turn in range(int(exponent.max(initial=0))):
        total = np.where(turn < exponent, total * base, total)
    return total


def depths(nodes: np.ndarray, arity: np.ndarray) -> np.ndarray:
    """Return the sum of the depths of all nodes of a k-ary tree, as a float."""
    nodes, arity = np.broadcast_arrays(nodes, arity)
    level = np.ones(nodes.shape)
    rest = nodes - 1.0
    total, depth = np.zeros(nodes.shape), 0
    while (rest > 0).any():
        depth += 1
        level = np.minimum(level * arity, rest)
        total = total + depth * level
        rest = rest - level
    return total


def busiest_path(arity: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Return the blocks that are sent one after another on the busiest path of a full personalised k-ary tree.

    The sum over j = 1 … h of (h - j + 1) k^j, which is k (k^(h+1) - (h+1) k + h) / (k-1)^2.
    """
    k, h = np.asarray(arity, dtype=float), np.asarray(height, dtype=float)
    result: np.ndarray = k * (whole_power(k, h + 1.0) - (h + 1.0) * k + h) / ((k - 1.0) * (k - 1.0))
    return result


def bits_set(nodes: np.ndarray) -> np.ndarray:
    """Return how many bits are set in all numbers below P together, as a float."""
    nodes = np.asarray(nodes)
    total, bit = np.zeros(nodes.shape, dtype=np.int64), 0
    most = int(nodes.max(initial=0))
    while most >> bit:
        half = 1 << bit
        total = total + ((nodes >> (bit + 1)) << bit) + np.maximum((nodes & (2 * half - 1)) - half, 0)
        bit += 1
    return total.astype(float)
