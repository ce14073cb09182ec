"""The registry: every algorithm of every collective operation, where it is defined and how exact its closed form is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dse.errors import InputError
from dse.models.collectives.algorithms import unrooted
from dse.models.collectives.algorithms.composition import Given, Phase, composed
from dse.models.collectives.algorithms.geometry import ceil_log2, floor_log2, is_full_binary, is_power_of_two
from dse.models.collectives.algorithms.parts import Parts

__all__ = ["ALGORITHMS", "COLLECTIVES", "MULTICAST", "Algorithm", "algorithm", "algorithms_of", "number_of"]

ANY, POWERS, FULL, FOUR = "any number", "powers of two", "full binary trees (3, 7, 15, ...)", "4 or more"


@dataclass(frozen=True)
class Algorithm:
    """One way to do a collective operation.

    Attributes
    ----------
    name : str
    defined : str
        For which numbers of processes: "any number", "powers of two", "full binary trees (3, 7, 15, ...)", "4 or more".
        A single process takes nothing by any algorithm.
    exact : str
        For which numbers of processes the closed form equals a simulation of the messages.
    elsewhere : str
        What it is for the others: "an upper bound", "a lower bound", "an approximation".
    tuned : str
        "arity", "pieces", or "" where there is nothing to choose.
    phases : tuple of Phase
        Of rooted blocks; empty for a pattern without a root.
    form : callable, optional
        Of such a pattern.
    combined : callable, optional
        Operands it combines one after another, in units of the message, as (processes) -> array.
    """

    name: str
    defined: str = ANY
    exact: str = ANY
    elsewhere: str = ""
    tuned: str = ""
    phases: tuple[Phase, ...] = ()
    form: Callable[..., Parts] | None = None
    combined: Callable[[np.ndarray], np.ndarray] | None = None

    def parts(self, given: Given, *, matched_receives: bool = True) -> Parts:
        """Return time, messages, bytes and descriptors; NaN where the algorithm is not defined."""
        if self.form is None:
            return composed(self.phases, given, matched_receives=matched_receives)
        parts = self.form(given.processes, given.size, given.net)
        if self.combined is None:
            return parts
        work = np.where(given.processes == 1, 0.0, self.combined(given.processes)) * np.asarray(given.size)
        return parts._replace(time=parts.time + work * np.asarray(given.net.reduction_time))

    def is_defined(self, processes: np.ndarray) -> np.ndarray:
        """Tell for which numbers of processes there is a closed form."""
        result: np.ndarray = (processes == 1) | _within(self.defined, processes)
        return result

    def status(self, processes: np.ndarray) -> np.ndarray:
        """Return "exact", what it is elsewhere, or "not defined", for each number of processes."""
        sure = (processes == 1) | _within(self.exact, processes)
        return np.where(self.is_defined(processes), np.where(sure, "exact", self.elsewhere), "not defined")


def _within(domain: str, processes: np.ndarray) -> np.ndarray:
    if domain == POWERS:
        return is_power_of_two(processes)
    if domain == FULL:
        return is_full_binary(processes)
    if domain == FOUR:
        return processes >= 4
    return np.full(processes.shape, domain == ANY)


_BOUND, _FROM_BELOW, _ABOUT = "an upper bound", "a lower bound", "an approximation"
_TUNED = {"kary": "arity", "kary_pers": "arity"}
_TUNED |= dict.fromkeys(("chain", "pbt", "double_tree", "double_tree_pipe", "pbt_pers"), "pieces")
_DEFINED = {"split_binary": FULL, "pbt_pers": FULL, "double_tree": FOUR, "double_tree_pipe": FOUR}
_EXACT = {"pbt": (FULL, _BOUND), "double_tree": ("none", _FROM_BELOW), "double_tree_pipe": ("none", _FROM_BELOW)}


def _rooted(name: str, *, up: bool = False) -> Algorithm:
    exact, elsewhere = _EXACT.get(name, (ANY, ""))
    if up and name.startswith("binomial"):
        exact, elsewhere = POWERS, _BOUND
    return Algorithm(name, _DEFINED.get(name, ANY), exact, elsewhere, _TUNED.get(name, ""), (Phase(name, up),))


def _both(name: str, up: Phase, down: Phase) -> Algorithm:
    blocks = {up.block, down.block}
    exact, elsewhere = (FULL, _BOUND) if "pbt" in blocks else (ANY, "")
    if up.block.startswith("binomial"):
        exact, elsewhere = POWERS, _BOUND
    tuned = next((_TUNED[block] for block in (up.block, down.block) if block in _TUNED), "")
    return Algorithm(name, ANY, exact, elsewhere, tuned, (up, down))


def _twice(block: str) -> Algorithm:
    return _both(f"{block}_twice", Phase(block, up=True), Phase(block))


def _halves(processes: np.ndarray) -> np.ndarray:
    result: np.ndarray = (processes - 1.0) / processes
    return result


_DIRECT = Algorithm("direct", form=unrooted.direct)
_SINGLE = Algorithm("direct_single_engine", form=unrooted.direct_single_engine)
_BUTTERFLY = Algorithm(
    "butterfly",
    exact=POWERS,
    elsewhere=_ABOUT,
    form=unrooted.butterfly,
    combined=lambda n: floor_log2(n) + 1.0 * ~is_power_of_two(n),
)
_SCANS = (
    Algorithm("scan_direct", form=unrooted.scan_direct, combined=lambda n: n - 1.0),
    Algorithm(
        "scan_dissemination",
        exact=POWERS,
        elsewhere=_BOUND,
        form=unrooted.scan_dissemination,
        combined=lambda n: ceil_log2(n) * 1.0,
    ),
)
_PERSONALISED = ("flat_pers", "kary_pers", "binomial_pers", "pbt_pers")


def _by_name(*algorithms: Algorithm) -> dict[str, Algorithm]:
    return {member.name: member for member in algorithms}


COLLECTIVES: dict[str, dict[str, Algorithm]] = {
    "barrier": _by_name(
        _BUTTERFLY, Algorithm("dissemination", form=unrooted.dissemination), _twice("kary"), _twice("binomial")
    ),
    "bcast": _by_name(
        *map(_rooted, ("flat", "kary", "split_binary", "binomial", "fibonacci")),
        *map(_rooted, ("chain", "pbt", "double_tree", "double_tree_pipe")),
        Algorithm("vdg_rd", POWERS, POWERS, form=unrooted.vdg_rd),
        Algorithm("vdg_ring", POWERS, POWERS, form=unrooted.vdg_ring),
    ),
    "reduce": _by_name(
        *(_rooted(name, up=True) for name in ("flat", "kary", "binomial", "fibonacci")),
        *(_rooted(name, up=True) for name in ("chain", "pbt", "double_tree", "double_tree_pipe")),
    ),
    "allreduce": _by_name(
        _BUTTERFLY,
        Algorithm("ring_allreduce", form=unrooted.ring_allreduce, combined=_halves),
        Algorithm("rabenseifner", POWERS, POWERS, form=unrooted.rabenseifner, combined=_halves),
        *map(_twice, ("kary", "binomial", "pbt")),
    ),
    "scan": _by_name(*_SCANS),
    "exscan": _by_name(*_SCANS),
    "gather": _by_name(*(_rooted(name, up=True) for name in _PERSONALISED)),
    "scatter": _by_name(*map(_rooted, _PERSONALISED)),
    "allgather": _by_name(
        _DIRECT,
        _SINGLE,
        Algorithm("butterfly_pers", POWERS, POWERS, form=unrooted.butterfly_pers),
        Algorithm("bruck_allgather", form=unrooted.bruck_allgather),
        Algorithm("ring_allgather", form=unrooted.ring_allgather),
        _both("flat_gather_binomial_bcast", Phase("flat_pers", up=True), Phase("binomial", whole=True)),
        _both("kary_gather_bcast", Phase("kary_pers", up=True), Phase("kary", whole=True)),
        _both("binomial_gather_bcast", Phase("binomial_pers", up=True), Phase("binomial", whole=True)),
    ),
    "alltoall": _by_name(
        _DIRECT,
        _SINGLE,
        Algorithm("bruck_alltoall", form=unrooted.bruck_alltoall),
        Algorithm("pairwise", form=unrooted.pairwise),
        *(
            _both(
                f"{tree}_gather_scatter", Phase(f"{tree}_pers", up=True, whole=True), Phase(f"{tree}_pers", whole=True)
            )
            for tree in ("flat", "kary", "binomial")
        ),
    ),
    "reduce_scatter": _by_name(
        Algorithm(
            "reduce_scatter_halving",
            POWERS,
            POWERS,
            form=unrooted.reduce_scatter_halving,
            combined=lambda n: n - 1.0,
        ),
        *(
            _both(f"{tree}_reduce_scatter", Phase(tree, up=True, whole=True), Phase(f"{tree}_pers"))
            for tree in ("flat", "kary", "binomial")
        ),
    ),
}
"""The algorithms of each operation, by name, in the order in which ties are settled."""

MULTICAST = "multicast"
"""A broadcast by switches that copy messages: in a machine that has it, no algorithm of messages."""

ALGORITHMS: tuple[str, ...] = (
    *dict.fromkeys(name for algorithms in COLLECTIVES.values() for name in algorithms),
    MULTICAST,
)
"""The names of all algorithms; the place of a name is its number where results can hold numbers only."""


def number_of(name: str) -> int:
    """Return the number of an algorithm: its place in `ALGORITHMS`."""
    return ALGORITHMS.index(name)


def algorithms_of(collective: str) -> dict[str, Algorithm]:
    """Return the algorithms of an operation by name."""
    if not isinstance(collective, str) or collective not in COLLECTIVES:
        raise InputError(
            f"there is no collective operation '{collective}'",
            key="collective",
            allowed=list(COLLECTIVES),
            wrong=str(collective),
            candidates=COLLECTIVES,
        )
    return COLLECTIVES[collective]


def algorithm(collective: str, name: str) -> Algorithm:
    """Return an algorithm of an operation."""
    algorithms = algorithms_of(collective)
    if not isinstance(name, str) or name not in algorithms:
        raise InputError(
            f"{collective} has no algorithm '{name}'",
            key="algorithm",
            allowed=list(algorithms),
            wrong=str(name),
            candidates=algorithms,
        )
    return algorithms[name]
