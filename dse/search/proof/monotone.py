"""Which groups of axes reach the objectives through few quantities, and in which of these everything is monotone.

A *group* is a set of axes. Its *interface* are the quantities that depend on no other axes and are read by the rest of
the system, or are wanted themselves. Every result is a function of the interface and of the other axes:

    cores, clock, cache ──▶ node_rate, node_power, node_cost ──▶ time, power, cost ◀── bandwidth ◀── link, radix

Each quantity of the interface is seeded with a sign, the functions outside the group run on signed ranges, and what
comes out says how every objective and constraint goes with it. Where all agree, it is a *column*: less of it (or more)
is never worse. Where they disagree, or nothing is known, it is a *key*: only rows of the same key can be compared.
Nothing here is measured or sampled: the signs hold for the floating-point program (`dse.arithmetic.monotonicity`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dse.arithmetic.monotonicity import ASSUMED, FALLS, FREE, RISES, UNKNOWN, Signed
from dse.errors import InputError, ModelError
from dse.graph.graph import call
from dse.search.proof.quantities import Quantities, Refused, finite

__all__ = ["SHARED_ROW", "Group", "Monotonicity", "Refused"]

SHARED_ROW = "row of the shared axes"
"""What a row has for the values of the axes that its group shares: one number for all of them."""


@dataclass(frozen=True)
class Group:
    """A set of axes with its interface.

    Attributes
    ----------
    axes : frozenset of int
    columns : dict of str to int
        Quantities of the interface in which everything is monotone: 1 where less is better, -1 where more is.
    keys : dict of str to str
        The others, each with the reason in words.
    limits : tuple of str
        Constraints (their quantities) that read the group alone.
    assumed : frozenset of str
        Functions of the mathematical library the proof takes to be monotone.
    shared : frozenset of int
        Those of its axes that other groups may have as well: only rows of equal values of these are compared.
    """

    axes: frozenset[int]
    columns: Mapping[str, int]
    keys: Mapping[str, str]
    limits: tuple[str, ...]
    assumed: frozenset[str]
    shared: frozenset[int] = frozenset()

    @property
    def compared(self) -> list[str]:
        """What must be equal for rows to be compared: the keys, and which values of the shared axes they have."""
        return [SHARED_ROW, *self.keys] if self.shared else [*self.keys]


class Monotonicity(Quantities):
    """What is known of the quantities of one product, with the proofs of signs."""

    def prove(self, axes: frozenset[int]) -> Group | None:
        """Prove what can be proved of a group; None where its interface holds texts or tables."""
        return self.prove_all([axes])[axes]

    def prove_all(self, sets: Iterable[frozenset[int]]) -> dict[frozenset[int], Group | None]:
        """Prove what can be proved of several groups, in one run: each quantity of each interface is a seed of its own.

        Of the seeds of a group, a quantity inside it is free but for its own: the rest of its inside is not run.
        """
        groups: dict[frozenset[int], Group | None] = dict.fromkeys(sets)
        interfaces = {axes: self.interface(axes) for axes in groups}
        limits, names = {}, {}
        for axes, interface in interfaces.items():
            if all(name in self.hulls and name not in self.changed for name in interface):
                limits[axes] = tuple(c.quantity for c in self.system.constraints if c.quantity in interface)
                names[axes] = [name for name in interface if name not in limits[axes] or self.readers.get(name)]
        run = _Run(self, names)
        for axes, own in names.items():
            groups[axes] = self._judge(axes, own, limits[axes], run)
        return groups

    def _judge(self, axes: frozenset[int], names: list[str], limits: tuple[str, ...], run: _Run) -> Group:
        wishes = [(o.quantity, RISES if o.sense == "min" else FALLS, o.quantity) for o in self.problem.objectives]
        wishes += [(c.quantity, FALLS, f"'{c.text}'") for c in self.system.constraints if c.quantity not in limits]
        columns: dict[str, int] = {}
        keys: dict[str, str] = {}
        for seed, name in enumerate(names, run.places[axes].start):
            if not finite(self.hulls[name]):
                keys[name] = "it is not finite everywhere"
                continue
            wanted: dict[int, str] = {}
            for target, sense, called in wishes:
                sign = int(run.signed[target].signs[seed]) if target in run.signed else FREE
                if sign != FREE:
                    wanted.setdefault(UNKNOWN if sign == UNKNOWN else sign * sense, called)
            if UNKNOWN in wanted:
                where = f", in {run.lost[seed]}" if seed in run.lost else ""
                keys[name] = f"{wanted[UNKNOWN]} may rise or fall with it{where}"
            elif len(wanted) > 1:
                keys[name] = f"{wanted[RISES]} wants less of it and {wanted[FALLS]} more"
            elif wanted:
                columns[name] = next(iter(wanted))
        return Group(axes, columns, keys, limits, frozenset(run.assumed[axes]))


class _Run:
    """All functions, called on signed ranges once.

    Attributes
    ----------
    places : dict of frozenset of int to slice
        The seeds of each group.
    signed : dict of str to Signed
    lost : dict of int to str
        By seed, the function in which its sign is lost.
    assumed : dict of frozenset of int to set of str
        By group, the functions of the mathematical library its signs rest on.
    """

    def __init__(self, known: Quantities, names: Mapping[frozenset[int], list[str]]) -> None:
        self.known = known
        self.places: dict[frozenset[int], slice] = {}
        own: dict[str, list[int]] = {}
        self.count = 0
        for axes, own_names in names.items():
            self.places[axes] = slice(self.count, self.count + len(own_names))
            for seed, name in enumerate(own_names, self.count):
                own.setdefault(name, []).append(seed)
            self.count += len(own_names)
        self.own = own
        self.signed: dict[str, Signed] = {}
        self.lost: dict[int, str] = {}
        self.assumed: dict[frozenset[int], set[str]] = {axes: set() for axes in names}
        self.reached: dict[str, np.ndarray] = {}
        none = np.zeros(self.count, dtype=bool)
        for name in known.graph.inputs:
            if name in own:
                self._take(name, np.zeros(self.count, dtype=np.int8), none)
        for position in known.positions:
            if any(need in self.signed for need in known.graph.functions[position].needs):
                self._call(position)
            else:
                for name in known.graph.functions[position].gives:
                    if name in own:
                        self._take(name, np.zeros(self.count, dtype=np.int8), none)

    def _take(self, name: str, signs: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Take over the signs of a quantity with its own seeds; return for which seeds it is made of what they reach.

        What they reach counts although it is free of them: 0 is the sum of -0.0 and 0.0, and divides to infinities.
        """
        outside, begins = np.ones(self.count, dtype=bool), np.zeros(self.count, dtype=bool)
        seeds = self.own.get(name, [])
        for axes, place in self.places.items():
            if self.known.inside(name, axes):
                outside[place] = False
                begins[place] = any(place.start <= seed < place.stop for seed in seeds)
        made = reached & outside
        signs = np.where(made, signs, np.int8(FREE))
        signs[seeds] = RISES
        # Bounds of values that really occur: the signs hold for these.
        self.signed[name] = Signed(self.known.hulls[name], signs)
        self.reached[name] = made | begins
        return made

    def _call(self, position: int) -> None:
        """Call a function on signed ranges; what has no form for them has unknown signs."""
        known, function = self.known, self.known.graph.functions[position]
        operands = [self.signed[need] for need in function.needs if need in self.signed]
        free = np.zeros(self.count, dtype=np.int8)
        others = {need: Signed(known.hulls[need], free) for need in function.needs if need in known.hulls}
        try:
            known.refuse_points(position)
            with np.errstate(all="ignore"):
                results = call(function, {**known.constants, **others, **self.signed})
            signs_of = {name: value.signs if isinstance(value, Signed) else free for name, value in results.items()}
        except (ModelError, InputError, KeyError):
            touched = np.any([operand.signs != FREE for operand in operands], axis=0)
            signs_of = dict.fromkeys(function.gives, np.where(touched, np.int8(UNKNOWN), np.int8(FREE)))
        reached = np.any([self.reached[need] for need in function.needs if need in self.reached], axis=0)
        before = np.any([operand.signs == UNKNOWN for operand in operands], axis=0)
        inexact = known.structure.inexact[position] & ASSUMED
        for name, signs in signs_of.items():
            if name in known.hulls:
                made = self._take(name, signs, reached)
                for seed in np.flatnonzero((signs == UNKNOWN) & ~before & made).tolist():
                    self.lost.setdefault(seed, function.label)
                if inexact:
                    claimed = ((signs == RISES) | (signs == FALLS)) & made
                    for axes, place in self.places.items():
                        if claimed[place].any():
                            self.assumed[axes] |= inexact
