"""A closed loop over workers apart, as benchmarks run them: n requests are always in flight, over all workers.

The batch b of a decode worker solves X first(X) + W_d b = n, with X no more than the workers for prompts take::

    X = min(W_d b/(s_o time per token), 1/serve)      first(X): as `apart`, rho = X serve, at most 0.98

28 halvings, for comparing with measured rows only; no study searches over it. By Little's law the first token takes
what the answers leave of the loop, n/X - s_o time per token, which where prompts limit is the whole queue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["ClosedLoop", "closed_loop"]

_HALVINGS = 28
_LARGEST_LOAD = 0.98


@dataclass(frozen=True)
class ClosedLoop:
    """What a closed loop settles at; arrays, one value per loop.

    Attributes
    ----------
    time_per_token, first_token : ndarray
        s
    rate : ndarray
        Tokens a second of all workers.
    decoding : ndarray
        Requests that decode.
    """

    time_per_token: np.ndarray
    first_token: np.ndarray
    rate: np.ndarray
    decoding: np.ndarray


def closed_loop(
    concurrency: np.ndarray,
    output_tokens: np.ndarray,
    decode_workers: np.ndarray,
    serve_time: np.ndarray,
    first_without_wait: np.ndarray,
    time_per_token: Callable[[np.ndarray], np.ndarray],
) -> ClosedLoop:
    """Return what closed loops settle at.

    Parameters
    ----------
    concurrency : (n,) ndarray
        Requests in flight over all workers.
    output_tokens, decode_workers : (n,) ndarray
    serve_time : (n,) ndarray
        Time that a prompt takes of all workers for prompts together.
    first_without_wait : (n,) ndarray
        Front end, handing over and a prompt of its own.
    time_per_token : callable
        Of the requests of each decode worker.

    Returns
    -------
    ClosedLoop
    """

    def at(batch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        token = time_per_token(batch)
        rate = np.minimum(decode_workers * batch / (output_tokens * token), 1.0 / serve_time)
        load = np.minimum(rate * serve_time, _LARGEST_LOAD)
        wait = load * serve_time / (2.0 * (1.0 - load))
        return token, rate, first_without_wait + token + wait

    low, high = np.zeros_like(concurrency), concurrency / decode_workers
    for _ in range(_HALVINGS):
        batch = (low + high) / 2.0
        _, rate, first = at(batch)
        above = rate * first + decode_workers * batch > concurrency
        low, high = np.where(above, low, batch), np.where(above, batch, high)
    batch = (low + high) / 2.0
    token, rate, _ = at(batch)
    return ClosedLoop(token, concurrency / rate - output_tokens * token, rate * output_tokens, decode_workers * batch)
