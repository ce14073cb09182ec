r"""The machine-repairman queue: some customers, each of which thinks for a while and then waits for one server.

Mean-value analysis, exact for exponential service; other services by their squared coefficient of variation cv2, after
which what is left of the service in progress is counted (Reiser 1979). With k customers, from k = 1 on,

.. math::
    r_k = \max(b, b (1 + Q_{k-1}) + U_{k-1} b (cv2 - 1) / 2), \quad x_k = \min(k / (r_k + z), 1 / b),

    Q_k = k - x_k z, \quad U_k = \min(1, x_k b)

Where services vary more than exponential ones (cv2 > 1) and customers hardly think, x_k falls with k, which that of
no queue does: then the largest of x_1 to x_k stands.

Each row has its own number of customers; a row has the same bits in any company.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["EXACT_CUSTOMERS", "FEW", "response_of_few", "throughput"]

FEW = 3
"""Customers up to which a server of constant service is taken exactly."""
_LARGEST = 200.0

EXACT_CUSTOMERS = 256
"""Customers up to which the recursion runs; above, the approximation of Schweitzer, which needs none.

At its knee that is low by 2.3 % for 257 customers, by 1.3 % for 1,000, and hardly elsewhere."""


def throughput(
    service: np.ndarray, think: np.ndarray, customers: np.ndarray, variation: Any, exact: int = EXACT_CUSTOMERS
) -> tuple[np.ndarray, np.ndarray]:
    """Return throughput and response time of the server.

    Parameters
    ----------
    service : (n,) ndarray
        Mean service time b, above 0.
    think : (n,) ndarray
        Time z between an answer and the next request, at least 0.
    customers : (n,) ndarray
        Whole numbers k, falling: rows of many customers come first.
    variation : float or (n,) ndarray
        Squared coefficient of variation of the service.
    exact : int
        Customers above which Q_{k-1} and U_{k-1} are taken as (k-1)/k of Q_k and U_k (Schweitzer 1979). The equation
        that results is one of second degree.

    Returns
    -------
    (n,) ndarray
        Requests per unit of time, x.
    (n,) ndarray
        Time from a request to its answer, k/x - z, at least b.
    """
    residual = service * (np.broadcast_to(variation, service.shape) - 1.0) / 2.0
    many = int(np.count_nonzero(customers > exact))
    rate, response = np.empty_like(service), np.empty_like(service)
    if many:
        rate[:many], response[:many] = _schweitzer(service[:many], think[:many], customers[:many], residual[:many])
    if many < len(service):
        rest = slice(many, None)
        rate[rest], response[rest] = _recursion(service[rest], think[rest], customers[rest], residual[rest])
    return rate, response


def response_of_few(service: np.ndarray, think: np.ndarray, customers: np.ndarray) -> np.ndarray:
    r"""Return the response of a server of constant service to a few customers whose thinking is exponential, exact.

    A customer that arrives sees the others alone, and of a service in progress more is left than half: the fewer they
    are, the likelier it has just begun. The recursion, which takes half of it, is up to 7 % fast where the server is
    just busy. The busy period of a finite source (Takacs 1962) knows it: with a = b/z,

    .. math::
        s = \sum_{j=0}^{k-1} \binom{k-1}{j} \prod_{i=1}^{j} (e^{i a} - 1), \quad x = k s / (k b s + z),
        \quad r = k/x - z = k b - z (1 - 1/s)

    Parameters
    ----------
    service, think, customers : (n,) ndarray
        b, z and k of `throughput`; at most `FEW` customers.
    """
    ratio = service / np.where(think > 0.0, think, 1.0)
    served, way = np.ones_like(service), np.ones_like(service)
    for place in range(1, FEW):
        way = way * np.maximum(customers - place, 0.0) / place * np.expm1(np.minimum(place * ratio, _LARGEST))
        served = served + way
    waited = customers * service - think * (1.0 - 1.0 / served)
    result: np.ndarray = np.clip(np.where(think > 0.0, waited, customers * service), service, customers * service)
    return result


def _recursion(b: np.ndarray, z: np.ndarray, customers: np.ndarray, residual: np.ndarray) -> tuple[Any, Any]:
    rows = len(b)
    most = 1.0 / b
    queue, busy, rate, wait, best = (np.zeros(rows) for _ in range(5))
    added = np.empty(rows)
    counts = customers.astype(np.int64)
    # Rows of at least k customers are the first ones.
    ends = np.searchsorted(-counts, -np.arange(1, int(counts[0]) + 1), side="right")
    for k, end in enumerate(ends.tolist(), 1):
        r, q, u, x, t, s = wait[:end], queue[:end], busy[:end], rate[:end], added[:end], b[:end]
        np.multiply(s, q, out=r)
        r += s
        np.multiply(u, residual[:end], out=t)
        r += t
        np.maximum(r, s, out=r)
        np.add(r, z[:end], out=t)
        np.divide(float(k), t, out=x)
        np.minimum(x, most[:end], out=x)
        np.maximum(best[:end], x, out=best[:end])
        np.multiply(x, z[:end], out=t)
        np.subtract(float(k), t, out=q)
        np.multiply(x, s, out=u)
        np.minimum(u, 1.0, out=u)
    # k/x - z without its cancellation: where x is the most, the server is always busy.
    last = np.maximum(wait, customers * b - z)
    return best, np.where(best > rate, np.maximum(customers / best - z, b), last)


def _schweitzer(b: np.ndarray, z: np.ndarray, customers: np.ndarray, residual: np.ndarray) -> tuple[Any, Any]:
    share = (customers - 1.0) / customers
    # x (r + z) = k with r = b (1 + share (k - x z)) + share x b residual
    square = share * b * (z - residual)
    linear = b * customers + z
    root = np.sqrt(np.maximum(linear * linear - 4.0 * square * customers, 0.0))
    rate = np.minimum(np.minimum(2.0 * customers / (linear + root), customers / (b + z)), 1.0 / b)
    return rate, np.maximum(np.maximum(customers / rate - z, b), customers * b - z)
