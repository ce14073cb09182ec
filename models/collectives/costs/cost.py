"""What a collective operation costs by one algorithm: time, energy and the memory of its offload descriptors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dse.errors import InputError, shown
from dse.models.collectives.algorithms.composition import BLOCKS, Given
from dse.models.collectives.algorithms.loggp import LogGP, network
from dse.models.collectives.algorithms.pipelines import PIPELINES, best_pieces
from dse.models.collectives.algorithms.registry import Algorithm, algorithm

__all__ = [
    "DESCRIPTOR_RULES",
    "MOST_PROCESSES",
    "STATIC_SCOPES",
    "Cost",
    "asked",
    "check_choice",
    "cost",
    "one_array",
    "priced",
    "tuned_pieces",
]

_LARGEST_MESSAGE = 1e100  # of many processes too, no sum of bytes, times and energies overflows
MOST_PROCESSES = 2**40
STATIC_SCOPES = ("per_process", "single")
DESCRIPTOR_RULES = ("hm", "sends")


@dataclass(frozen=True, eq=False)
class Cost:
    """What an operation costs; all arrays have one shape, and a single case gives arrays without axes.

    Attributes
    ----------
    time : ndarray
        Until the last process is done [s].
    messages, bytes : ndarray
        Of all processes, and bytes over all hops [B].
    dynamic_energy, static_energy : ndarray
        ``messages e + bytes E``, and the static power of the interfaces over the time [J].
    memory : ndarray
        Offload descriptors of the process with the most [B].
    arity, pieces : ndarray
        With which it was computed; NaN where the algorithm has none.
    algorithm : ndarray of str
        Its name.
    """

    time: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray
    dynamic_energy: np.ndarray
    static_energy: np.ndarray
    memory: np.ndarray
    arity: np.ndarray
    pieces: np.ndarray
    algorithm: np.ndarray

    @property
    def energy(self) -> np.ndarray:
        """Dynamic and static energy [J]."""
        result: np.ndarray = self.dynamic_energy + self.static_energy
        return result


def cost(
    algorithm_name: str,
    collective: str,
    processes: npt.ArrayLike,
    message_size: npt.ArrayLike,
    net: LogGP | str = "infiniband",
    *,
    arity: npt.ArrayLike | None = None,
    pieces: npt.ArrayLike | None = None,
    static_scope: str = "per_process",
    descriptor_rule: str = "hm",
    undefined: str = "refuse",
) -> Cost:
    """Return what an operation costs by an algorithm.

    Parameters
    ----------
    algorithm_name, collective : str
        As `dse.models.collectives.COLLECTIVES` lists them.
    processes : array_like of int
        P, 1 to 2^40.
    message_size : array_like
        s [B], of each process; of each destination for scatter, gather, allgather, alltoall and reduce_scatter. 0 for a
        barrier.
    net : LogGP or str
        A network, or the name of one in `NETWORKS`.
    arity : array_like of int, optional
        Children of a node of a k-ary tree, at least 2. Default: 2.
    pieces : array_like of int, optional
        Into which a pipeline cuts the message. Default: the number with the least time.
    static_scope : {"per_process", "single"}
        Whether the static power of all interfaces counts, or that of one.
    descriptor_rule : {"hm", "sends"}
        Whether towards the root a descriptor is counted for each receive too (Hoefler and Moor), or for sends only.
    undefined : {"refuse", "nan"}
        What becomes of numbers of processes that the algorithm is not defined for.

    Returns
    -------
    Cost

    Raises
    ------
    InputError
        By name: an operation, an algorithm, a number that is not allowed, a number of processes without a closed form.

    Examples
    --------
    >>> found = cost("butterfly", "allreduce", [8, 1024], 8)
    >>> (found.time * 1e6).round(4).tolist()
    [46.2175, 154.0584]
    """
    chosen = algorithm(collective, algorithm_name)
    given = asked(collective, processes, message_size, network(net), arity=arity, pieces=pieces, chosen=chosen)
    check_choice(static_scope, STATIC_SCOPES, "static_scope")
    check_choice(descriptor_rule, DESCRIPTOR_RULES, "descriptor_rule")
    check_choice(undefined, ("refuse", "nan"), "undefined")
    if undefined == "refuse":
        outside = ~chosen.is_defined(given.processes)
        if outside.any():
            raise InputError(
                shown(given.processes[outside][0]),
                key="processes",
                allowed=f"for {chosen.name}, {chosen.defined}, or a single process",
            )
    return priced(chosen, given, static_scope=static_scope, descriptor_rule=descriptor_rule)


def priced(chosen: Algorithm, given: Given, *, static_scope: str, descriptor_rule: str) -> Cost:
    """Return the cost of an algorithm for what was asked and checked."""
    parts = chosen.parts(given, matched_receives=descriptor_rule == "hm")
    net = given.net
    interfaces = given.processes if static_scope == "per_process" else 1.0
    numbers = np.broadcast_arrays(
        parts.time,
        parts.messages,
        parts.bytes,
        parts.messages * np.asarray(net.message_energy) + parts.bytes * np.asarray(net.byte_energy),
        np.asarray(net.static_power) * interfaces * parts.time,
        parts.sends * np.asarray(net.descriptor_size),
        given.arity if chosen.tuned == "arity" else np.nan,
        given.pieces if chosen.tuned == "pieces" else np.nan,
        given.processes,
    )[:-1]
    values: list[np.ndarray] = [np.array(number, dtype=float) for number in numbers]
    return Cost(*[*values, np.full(values[0].shape, chosen.name)])


def asked(
    collective: str,
    processes: npt.ArrayLike,
    message_size: npt.ArrayLike,
    net: LogGP,
    *,
    arity: npt.ArrayLike | None = None,
    pieces: npt.ArrayLike | None = None,
    chosen: Algorithm | None = None,
) -> Given:
    """Check what is asked and return it as arrays; without a number of pieces, the fastest."""
    ranks = _whole(processes, "processes", 1, MOST_PROCESSES)
    size = _size(message_size)
    if collective == "barrier" and (size != 0).any():
        raise InputError(shown(size[size != 0][0]), key="message_size", allowed="0: a barrier carries nothing")
    tuned = chosen.tuned if chosen is not None else ""
    for name, value in (("arity", arity), ("pieces", pieces)):
        if value is not None and chosen is not None and tuned != name:
            raise InputError(f"'{name}' is given, and {chosen.name} has none", key=name, allowed="nothing")
    given = Given(
        ranks,
        size,
        net,
        _whole(2 if arity is None else arity, "arity", 2, MOST_PROCESSES),
        _whole(1 if pieces is None else pieces, "pieces", 1, MOST_PROCESSES),
    )
    shape = _shape(given)
    if tuned == "pieces" and pieces is None and chosen is not None:
        given = tuned_pieces(chosen, given)
    return given._replace(processes=np.broadcast_to(given.processes, shape), size=np.broadcast_to(given.size, shape))


def tuned_pieces(
    chosen: Algorithm,
    given: Given,
    *,
    watts: npt.ArrayLike = 0.0,
    joules: npt.ArrayLike = 0.0,
    most: npt.ArrayLike = np.inf,
) -> Given:
    """Return what is asked with the pieces of the least time, or of the least T watts + messages joules."""
    (block,) = {phase.block for phase in chosen.phases if phase.block in PIPELINES}
    combining = [phase.up and BLOCKS[phase.block].combined is not None for phase in chosen.phases]
    low, high = best_pieces(
        block,
        given.processes,
        given.size,
        given.net,
        watts=np.asarray(watts),
        joules=np.asarray(joules),
        most=np.asarray(most),
        combining=np.mean(combining) * np.asarray(given.net.reduction_time),
    )
    costs = []
    for pieces in (low, high):
        parts = chosen.parts(given._replace(pieces=pieces))
        weight = np.where((np.asarray(watts) == 0) & (np.asarray(joules) == 0), 1.0, watts)
        costs.append(weight * parts.time + np.asarray(joules) * parts.messages)
    return given._replace(pieces=np.where(costs[1] < costs[0], high, low))


def one_array(key: str, value: npt.ArrayLike, dimensions: tuple[int, ...]) -> np.ndarray:
    """Return an argument as an array of so many dimensions, or refuse it by name."""
    allowed = "numbers" + (" along one axis" if dimensions == (1,) else "")
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(shown(value), key=key, allowed=allowed) from None
    if array.dtype.kind not in "fiu" or array.ndim not in dimensions:
        raise InputError(shown(value), key=key, allowed=allowed)
    return array


def _shape(given: Given) -> tuple[int, ...]:
    net = given.net
    arrays = [given.processes, given.size, given.arity, given.pieces, *map(np.asarray, vars(net).values())]
    try:
        return np.broadcast_shapes(*(np.shape(array) for array in arrays))
    except ValueError:
        shapes = ", ".join(str(np.shape(array)) for array in arrays[:4])
        raise InputError(
            f"processes, message_size, arity and pieces have the shapes {shapes}",
            allowed="shapes that broadcast with each other and with those of the network",
        ) from None


def _whole(value: npt.ArrayLike, key: str, low: int, high: int) -> np.ndarray:
    allowed = f"a whole number from {low} to 2^40" if high == MOST_PROCESSES else f"a whole number >= {low}"
    try:
        numbers = np.asarray(value)
    except ValueError:
        raise InputError(shown(value), key=key, allowed=allowed) from None
    if numbers.dtype.kind not in "fiu":
        raise InputError(shown(value), key=key, allowed=allowed)
    wrong = ~((numbers >= low) & (numbers <= high) & (np.floor(numbers) == numbers))
    if wrong.any():
        raise InputError(shown(numbers[wrong][0]), key=key, allowed=allowed)
    return numbers.astype(np.int64)


def _size(value: npt.ArrayLike) -> np.ndarray:
    allowed = f"a finite number of bytes >= 0, at most {_LARGEST_MESSAGE:g}"
    try:
        sizes = np.asarray(value)
    except ValueError:
        raise InputError(shown(value), key="message_size", allowed=allowed) from None
    if sizes.dtype.kind not in "fiu":
        raise InputError(shown(value), key="message_size", allowed=allowed)
    sizes = sizes.astype(float)
    wrong = ~((sizes >= 0) & (sizes <= _LARGEST_MESSAGE))
    if wrong.any():
        raise InputError(shown(sizes[wrong][0]), key="message_size", allowed=allowed)
    return sizes


def check_choice(value: str, allowed: tuple[str, ...], key: str) -> None:
    """Refuse a word that is not among those allowed."""
    if value not in allowed:
        raise InputError(f"'{value}'", key=key, allowed=allowed, wrong=str(value), candidates=allowed)
