"""Parts of a layer: matrix products, the core of the attention, and what goes through memory.

A product of r rows, n columns and depth k takes::

    T_mm(n, k, r) = 2 r n k / (eta R) + (beta (r k + k n) + 2 r n) / W'

so its efficiency falls with its size by the balance of the device, and no table is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Machine",
    "Widths",
    "attention_time",
    "elementwise_time",
    "expert_time",
    "feed_forward_time",
    "product_time",
]


class Machine(NamedTuple):
    """What a device sustains: eta R [1/s], W' [B/s], and bytes of an operand."""

    matmul_rate: Any
    memory_rate: Any
    operand_bytes: Any


class Widths(NamedTuple):
    """Widths of a layer and how many devices share it: h, a d_h, k_v d_h, P_a, t."""

    hidden: Any
    queries: Any
    keys: Any
    attention_parameters: Any
    tensor_parallel: Any


def product_time(columns: Any, depth: Any, rows: Any, machine: Machine) -> Any:
    """Return the time of a product [s].

    Parameters
    ----------
    columns, depth, rows : array_like
        n, k and r.
    machine : Machine
    """
    moved = machine.operand_bytes * (rows + columns) * depth + 2.0 * rows * columns
    return 2.0 * rows * columns * depth / machine.matmul_rate + moved / machine.memory_rate


def attention_time(widths: Widths, rows: Any, machine: Machine) -> Any:
    """Return the time of the products of the attention without scores, A [s]: queries, keys and values; the output.

    Where an architecture has other weights than h (2 a d_h + 2 k_v d_h), both products are wider by their ratio z.
    """
    hidden, queries, keys, own, tensor = widths
    z = own / (hidden * (2.0 * queries + 2.0 * keys))
    into = product_time((queries + 2.0 * keys) * z / tensor, hidden, rows, machine)
    return into + product_time(hidden * z, queries / tensor, rows, machine)


def feed_forward_time(hidden: Any, width: Any, matrices: Any, tensor: Any, rows: Any, machine: Machine) -> Any:
    """Return the time of the products of a feed-forward part of a width [s]."""
    wide = product_time((matrices - 1.0) * width / tensor, hidden, rows, machine)
    return wide + product_time(hidden, width / tensor, rows, machine)


def expert_time(
    hidden: Any,
    expert_ffn: Any,
    matrices: Any,
    tensor: Any,
    rows: Any,
    machine: Machine,
    routed: tuple[Any, Any, Any, Any],
) -> Any:
    """Return the time of the products of experts on a device, routed and shared [s].

    Parameters
    ----------
    hidden, expert_ffn, matrices, tensor, rows, machine
        h, f_e, g, t, x.
    routed : (array_like, array_like, array_like, array_like)
        Experts of a device, n = E/e; experts of a token, k; imbalance, lambda; shared experts, E_s.
    """
    many, top_k, imbalance, shared = routed
    each = feed_forward_time(hidden, expert_ffn, matrices, tensor, rows * top_k * imbalance / many, machine)
    beside = feed_forward_time(hidden, expert_ffn * shared, matrices, tensor, rows, machine)
    return many * each + np.where(shared > 0.0, beside, 0.0)


def elementwise_time(
    hidden: Any,
    queries: Any,
    inner: Any,
    rows: Any,
    tensor: Any,
    memory_rate: Any,
    kinds: tuple[Any, Any, Any, Any],
) -> Any:
    """Return the time of what goes through memory element by element, forward [s].

    Parameters
    ----------
    hidden, queries, inner, rows, tensor : array_like
        h, a d_h, F, x, t.
    memory_rate : array_like
        W' [B/s].
    kinds : (array_like, array_like, array_like, array_like)
        Devices that share what tensor parallelism leaves whole (t with sequence parallelism, else 1); 1 where dropout
        masks are kept; matrices of the feed-forward part; 1 where operands are cast below 16 bits.
    """
    sharers, dropout, matrices, casts = kinds
    whole = (16.0 + 6.0 * dropout) * hidden * rows / sharers
    activation = np.where(matrices > 2.5, 6.0, 8.0) * inner * rows / tensor
    cast = casts * 3.0 * rows * (2.0 * hidden + (queries + inner) / tensor)
    return (whole + activation + cast) / memory_rate
