"""The laws of a program, and its profile at any size and number of ranks.

`ProgramLaws.at` asks the laws for a profile and keeps what it gave: a study asks for the same few dozen points,
whatever the number of its designs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dse.errors import InputError
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, WARN_BEYOND, Parameter, distance
from dse.models.workload.extrapolation.metrics import Key
from dse.models.workload.extrapolation.rebuilding import class_document
from dse.models.workload.laws.formulas import Formula
from dse.models.workload.laws.messages import SIZES, size_bins
from dse.models.workload.laws.patterns import Pattern, dims_create
from dse.models.workload.laws.reuse_quantiles import ReuseTable
from dse.models.workload.laws.sizes import Size
from dse.models.workload.profile.profile import Branch, ProcessClass, ProfileUsed, WorkloadProfile
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.profile.schema import SCHEMA
from dse.units import format_number

__all__ = ["MOST_BAND", "ClassLaws", "LawParameter", "ProgramLaws", "ProgramParameter", "named_parameters"]

MOST_BAND = 4.0
"""Greatest over least of what laws that fit alike foretell, above which nothing is foretold."""

_REUSE = {"data_reuse": "line_bytes", "inst_reuse": "line_instructions"}
_INSTRUCTIONS: Key = ("instructions",)
_MOST_RANKS = 2**53
_KEPT = 4096


@dataclass(frozen=True)
class ProgramParameter:
    """A parameter of the input of a program: its values in the runs, and whether all are whole."""

    name: str
    least: float
    largest: float
    whole: bool


@dataclass(frozen=True)
class LawParameter:
    """What laws are functions of: a size, or a plain parameter, with its values in the runs."""

    size: Size
    least: float
    largest: float
    log2: bool = False

    @property
    def parameter(self) -> Parameter:
        """The parameter as laws know it."""
        return Parameter(self.size.name, self.log2)


@dataclass(frozen=True)
class ClassLaws:
    """The laws of a class of processes.

    Attributes
    ----------
    name : str
    role : {"worker", "master"}
    conditional_only : bool or None
        Of its branches; None where they were not recorded.
    laws : mapping of Key to Law or Formula
    reuse : mapping of (str, int or None) to ReuseTable
        By table of the profile and size of lines.
    """

    name: str
    role: Literal["worker", "master"]
    conditional_only: bool | None
    laws: Mapping[Key, Law | Formula]
    reuse: Mapping[tuple[str, int | None], ReuseTable]


@dataclass(frozen=True, eq=False)
class ProgramLaws:
    """Laws of a program (``dse-profile-laws/1``).

    Attributes
    ----------
    name, program, source, licence : str
    parameters : tuple of ProgramParameter
        Of the input, in the order of the profiles: `problem_size` of a study is the first, `problem_size_2` the next.
    ranks : tuple of int
        Numbers of processes of the runs, rising.
    threads : int
        Of a process, in every run.
    sizes : tuple of LawParameter
        What the laws are functions of.
    classes : tuple of ClassLaws
    pattern : Pattern or None
        Who sends to whom; None where no run has a message between two ranks.
    imbalance : Law or Formula
        Instructions of the rank that has most, over their mean.
    runs : tuple of ProfileUsed
    run : mapping
        Compiler, flags and tool of the runs, where they are the same.
    synthetic : bool
    notes : tuple of str
        What there is to know of the laws: collapse, guards, what was left out.
    warnings : tuple of str
        Of the file, by its reader.
    """

    name: str
    program: str
    parameters: tuple[ProgramParameter, ...]
    ranks: tuple[int, ...]
    sizes: tuple[LawParameter, ...]
    classes: tuple[ClassLaws, ...]
    pattern: Pattern | None
    imbalance: Law | Formula
    runs: tuple[ProfileUsed, ...]
    run: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    licence: str = ""
    threads: int = 1
    synthetic: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    file: str = ""
    sha256: str = ""
    _profiles: dict[tuple[float, ...], WorkloadProfile] = field(default_factory=dict, repr=False)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the figures come from."""
        return (self.source,) if self.source else ()

    def point(self, processes: float, *problem: float) -> dict[str, float]:
        """Return the parameters of a point by name.

        Parameters
        ----------
        processes : float
        *problem : float
            The parameters of the program, in their order; those beyond them must be 0.

        Raises
        ------
        InputError
            A parameter that is missing, or one too many.
        """
        count = len(self.parameters)
        for place, value in enumerate(problem):
            if place >= count and value:
                raise InputError(
                    f"{self.program} has {count} parameter{'s' if count != 1 else ''}, and {place + 1} are given",
                    allowed=[parameter.name for parameter in self.parameters],
                )
        if len(problem) < count:
            raise InputError(
                f"no value of '{self.parameters[len(problem)].name}'",
                allowed=[parameter.name for parameter in self.parameters],
            )
        values = {parameter.name: float(value) for parameter, value in zip(self.parameters, problem, strict=False)}
        return {**values, "processes": float(processes), "threads": float(self.threads)}

    def law_point(self, point: Mapping[str, float]) -> dict[str, float]:
        """Return what the laws are functions of at a point, by name, beside its parameters."""
        return {**point, **{size_law.size.name: size_law.size.at(point) for size_law in self.sizes}}

    def distance(self, point: Mapping[str, float]) -> float:
        """Return how far outside the runs a point lies: the largest distance of a size; 1 inside."""
        values = self.law_point(point)
        far = (
            distance(size_law.parameter, values[size_law.size.name], (size_law.least, size_law.largest))
            for size_law in self.sizes
        )
        return max(1.0, *far)

    def band(self, point: Mapping[str, float]) -> tuple[float, float]:
        """Return the least and the greatest of what laws that fit alike foretell, over the instructions of the law.

        Of several classes that of the first.
        """
        law, values = self.classes[0].laws[_INSTRUCTIONS], self.law_point(point)
        if isinstance(law, Formula):
            return 1.0, 1.0
        whole = law.at(values)
        low, high = law.band(values)
        return (min(1.0, low / whole), max(1.0, high / whole)) if whole > 0.0 else (0.0, math.inf)

    def imbalance_at(self, point: Mapping[str, float]) -> float:
        """Return instructions of the rank that has most over their mean, at least 1."""
        return max(1.0, self.imbalance.at(self.law_point(point))) if point["processes"] > 1.0 else 1.0

    def most_ranks(self, *problem: float) -> float:
        """Return the most ranks at which every size is at least 1, 2^53 where nothing limits them."""

        def possible(ranks: float) -> bool:
            values = self.point(ranks, *problem)
            return all(
                size_law.size.at(values) >= 1.0 - 1e-12 for size_law in self.sizes if "processes" in size_law.size.needs
            )

        low, high = 1, _MOST_RANKS
        if possible(high):
            return float(high)
        if not possible(low):
            return 0.0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if possible(middle) else (low, middle)
        return float(low)

    def refuse_far(self, point: Mapping[str, float], beyond: float = REFUSE_BEYOND) -> None:
        """Refuse a point that is too far from the runs, or where laws that fit alike part too much.

        Raises
        ------
        InputError
            With the run that is missing.
        """
        values, far = self.law_point(point), self.distance(point)
        point_text = ", ".join(f"{name} = {value:g}" for name, value in point.items() if name != "threads")
        for size_law in self.sizes:
            own = distance(size_law.parameter, values[size_law.size.name], (size_law.least, size_law.largest))
            if own > beyond:
                near = (
                    size_law.largest * own / beyond
                    if values[size_law.size.name] > size_law.largest
                    else size_law.least * beyond / own
                )
                raise InputError(
                    f"{point_text}: {size_law.size.name} = {values[size_law.size.name]:g} is {own:.4g} times outside "
                    "the runs "
                    f"({size_law.least:g} to {size_law.largest:g})",
                    key="--at",
                    allowed=f"a distance of at most {beyond:g}; a run with {size_law.size.name} of about {near:.2g} is "
                    "missing",
                )
        low, high = self.band(point)
        if low <= 0.0 or high / low > MOST_BAND:
            largest = max(
                self.sizes,
                key=lambda size_law: distance(
                    size_law.parameter, values[size_law.size.name], (size_law.least, size_law.largest)
                ),
            )
            middle = math.sqrt(max(values[largest.size.name], 1.0) * largest.largest)
            raise InputError(
                f"{point_text}: laws that fit alike foretell {low:.3g} to {high:.3g} times the instructions, "
                f"at {far:.4g} "
                "times the runs",
                key="--at",
                allowed=f"a band within a factor of {MOST_BAND:g}; a run with {largest.size.name} of about "
                f"{middle:.2g} is missing",
            )

    def marks(self, point: Mapping[str, float]) -> str:
        """Say how far a point is from the runs, in words."""
        far = self.distance(point)
        if far <= 1.0:
            return "inside the runs"
        low, high = self.band(point)
        band = f"band {100 * (low - 1):+.2g} to {100 * (high - 1):+.2g} %"
        what = "extrapolated" if far <= WARN_BEYOND else "a hypothesis"
        return f"{format_number(float(f'{far:.3g}'))} times the runs: {what} ({band})"

    def self_share(self, processes: float) -> float:
        """Return the share of its messages that a rank sends to itself, which are copies and no messages."""
        if processes <= 1.0 or self.pattern is None:
            return 1.0
        if self.pattern.name.startswith("neighbour"):
            sides = dims_create(int(processes), int(self.pattern.name[-2]))
            return sum(side == 1 for side in sides) / len(sides)
        return self.pattern.self_share

    def at(self, processes: float, *problem: float) -> WorkloadProfile:
        """Return the profile of a rank at a point; the same object when it is asked for again.

        Raises
        ------
        InputError
            As `point`; ranks that are no whole number >= 1, sizes that are not above 0.
        """
        key = (processes, *problem)
        held = self._profiles.get(key)
        if held is None:
            if len(self._profiles) >= _KEPT:
                self._profiles.clear()
            held = self._profiles[key] = self._profile(self.point(processes, *problem))
        return held

    def _profile(self, point: Mapping[str, float]) -> WorkloadProfile:
        processes = point["processes"]
        if processes < 1.0 or processes != int(processes):
            raise InputError(f"processes = {processes:g}", allowed="a whole number >= 1")
        values = self.law_point(point)
        for size_law in self.sizes:
            if not (math.isfinite(values[size_law.size.name]) and values[size_law.size.name] > 0.0):
                raise InputError(f"{size_law.size.name} is {values[size_law.size.name]:g}", allowed="a size above 0")
        documents, remarks = [], [self.marks(point)]
        for item in self.classes:
            document, changed = self._class(item, values, int(processes))
            documents.append(document)
            remarks += changed
        parameters = {
            parameter.name: int(point[parameter.name])
            if parameter.whole and point[parameter.name] == int(point[parameter.name])
            else point[parameter.name]
            for parameter in self.parameters
        }
        where = ", ".join(f"{name} {value:g}" for name, value in parameters.items())
        return parse_profile(
            {
                "schema": SCHEMA,
                "name": f"{self.name}, {where}, {processes:g} ranks (by its laws)",
                "source": f"by laws of {len(self.runs)} runs, {remarks[0]}; {self.source}".rstrip("; "),
                "licence": self.licence,
                "notes": "Counts are those of laws fitted to runs, not measured."
                + "".join(f" {remark}." for remark in remarks[1:]),
                "synthetic": self.synthetic,
                "application": {"name": self.program, "parameters": parameters},
                "run": {**self.run, "processes": int(processes), "threads": self.threads},
                "classes": documents,
            }
        )

    def _class(self, item: ClassLaws, point: Mapping[str, float], processes: int) -> tuple[dict[str, Any], list[str]]:
        values = {key: law.at(point) for key, law in item.laws.items()}
        plain = {key: value for key, value in values.items() if key[0] not in (SIZES, "instructions", *_REUSE)}
        if processes == 1:
            plain = {key: value if key[:2] != ("comm", "p2p") else 0.0 for key, value in plain.items()}
        branch = None if item.conditional_only is None else Branch(1, item.conditional_only)
        example = ProcessClass(item.name, 1, {}, role=item.role, branch=branch)
        members = max(1, processes * self.threads // len(self.classes))
        document, changed = class_document(plain, [example], name=item.name, members=members)
        target = [
            point[size_law.size.name] if not size_law.log2 else 2.0 ** point[size_law.size.name]
            for size_law in self.sizes
        ]
        for (table, line), reuse in item.reuse.items():
            own = {key[2]: value for key, value in values.items() if key[:2] == (table, line)}
            entry = reuse.document(own["references"], own["first_touches"], target)
            document[table].append({_REUSE[table]: "address" if line is None else line, **entry})
        p2p = document.get("comm", {}).get("p2p")
        if p2p is not None:
            sent = p2p.get("sent_messages", p2p["messages"]), p2p.get("sent_bytes", p2p["bytes"])
            sizes = size_bins(values, *sent) if all(sent) else []
            p2p.update({"sizes": sizes} if sizes else {})
        return document, changed


def named_parameters(names: Sequence[str], runs: Sequence[Mapping[str, float]]) -> tuple[ProgramParameter, ...]:
    """Return the parameters of a program with their values in the runs."""
    parameters = []
    for name in names:
        column = [run[name] for run in runs]
        parameters.append(
            ProgramParameter(name, min(column), max(column), all(value == int(value) for value in column))
        )
    return tuple(parameters)
