"""The point at which the laws of a program are asked: so many ranks, and the parameters of its input.

A plain profile ignores its point; it holds for the ranks it was recorded with alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, document_parameter, parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.authoring.watch.memoise import different_rows
from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND
from dse.models.workload.laws.laws_file import read_program
from dse.models.workload.laws.program_laws import MOST_BAND, ProgramLaws
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["POINT", "asked", "each_point", "profile_processes", "threads_of_rank"]

POINT = ("run_processes", "problem_size", "problem_size_2")
"""Quantities that make a point, in the order that readers of a profile get them."""

_LAWS = "ours: laws of a program, fitted to recorded runs"
_ANY = 2.0**53

profile = document_parameter(read=read_program, doc="Workload profile of a rank, or the laws of a program")
profile_2 = document_parameter(read=read_program, doc="That of a second program on the same chip")

problem_size = parameter(unit="1", doc="First parameter of the program's input, as the laws name it", above=0)
problem_size_2 = assumption(
    0,
    unit="1",
    source="ours: most programs have one parameter",
    doc="Second parameter of the input; 0: none",
    minimum=0,
)
repetitions = assumption(
    1,
    unit="1",
    source="ours: the run as it was recorded",
    doc="Recorded runs that make the run that is wanted",
    minimum=1,
)
refuse_beyond = assumption(
    REFUSE_BEYOND,
    unit="1",
    source="ours: beyond it laws that fit alike have nothing in common (models/measured_laws/fitting)",
    doc="Largest distance of a point from the runs of the laws",
    minimum=1,
)

near_the_runs = requirement(
    "profile_distance <= refuse_beyond",
    name="distance",
    source="ours: laws are hypotheses far from their runs",
    doc="the point is not too far outside the runs of the laws",
)
laws_agree = requirement(
    f"profile_band <= {MOST_BAND:g}",
    name="band",
    source="ours: where laws that fit alike part, nothing is foretold",
    doc="laws that fit alike foretell nearly the same",
)
ranks = requirement(
    "processes_per_node * threads_per_process <= cores and run_processes <= problem_ranks",
    name="ranks",
    source="ours: a core runs one thread at most, and a rank has one cell at least",
    doc="every thread of a rank has a core, and every rank a part of the problem",
)
as_recorded = requirement(
    "profile_processes_off <= 0",
    name="profile",
    source="ours: a profile holds for the ranks it was recorded with",
    doc="a plain profile is of so many processes",
)


def each_point(laws: Sequence[Any], point: Sequence[Any], function: Callable[..., Any], *given: Any) -> Any:
    """Evaluate a function of profiles, and of arrays, at each point of laws once.

    Parameters
    ----------
    laws : sequence of WorkloadProfile or ProgramLaws
        What the function reads first; profiles go to it as they are.
    point : sequence of array_like
        Values of `POINT`.
    function : callable
        Of as many profiles and of `given`; arrays of it broadcast.
    """
    if not any(isinstance(law, ProgramLaws) for law in laws):
        return function(*laws, *given)
    rows, place = different_rows([np.asarray(column, dtype=float) for column in point])
    _refuse_parts(laws, point)
    merged: Any = None
    for number, values in enumerate(zip(*(row.tolist() for row in rows), strict=True)):
        here = function(*(asked(law, *values) for law in laws), *given)
        merged = here if merged is None else _merged(merged, here, place == number)
    return merged


def _merged(before: Any, here: Any, chosen: np.ndarray) -> Any:
    if isinstance(here, tuple):
        return tuple(np.where(chosen, new, old) for old, new in zip(before, here, strict=True))
    return np.where(chosen, here, before)


def asked(laws: Any, processes: float, size: float, size_2: float) -> WorkloadProfile:
    """Return the profile at a point; of more ranks than the problem has parts, that of the most."""
    if not isinstance(laws, ProgramLaws):
        plain: WorkloadProfile = laws
        return plain
    problem = _problem(laws, size, size_2)
    ranks = min(max(processes, 1.0), max(_most_ranks(laws, problem), 1.0))
    try:
        return laws.at(ranks, *problem)
    except InputError as error:
        names = (parameter.name for parameter in laws.parameters)
        where = ", ".join(f"{name} {value:g}" for name, value in zip(names, problem, strict=True))
        far = laws.distance(laws.point(ranks, *problem))
        raise InputError(
            f"{laws.program}, {where}, {ranks:g} ranks, {far:.4g} times outside its runs: {error}", key="problem_size"
        ) from None


@lru_cache(maxsize=4096)
def _most_ranks(laws: ProgramLaws, problem: tuple[float, ...]) -> float:
    return laws.most_ranks(*problem)


def _ranks_of(laws: ProgramLaws, _: float, *problem: float) -> float:
    return _most_ranks(laws, problem)


@lru_cache(maxsize=4096)
def _distance_at(laws: ProgramLaws, processes: float, *problem: float) -> float:
    return laws.distance(laws.point(processes, *problem))


@lru_cache(maxsize=4096)
def _band_at(laws: ProgramLaws, processes: float, *problem: float) -> tuple[float, float]:
    return laws.band(laws.point(processes, *problem))


@lru_cache(maxsize=4096)
def _imbalance_at(laws: ProgramLaws, processes: float, *problem: float) -> float:
    return laws.imbalance_at(laws.point(processes, *problem))


def _problem(laws: ProgramLaws, size: float, size_2: float) -> tuple[float, ...]:
    """Return the parameters of a program; refuses a second one that it lacks, or one too few."""
    count = len(laws.parameters)
    if count < 2 and size_2:
        raise InputError(
            f"{laws.program} has one parameter, {laws.parameters[0].name}", key="problem_size_2", allowed="0"
        )
    if count > 1 and not size_2:
        name = laws.parameters[1].name
        raise InputError(
            f"{laws.program} has a second parameter, {name}", key="problem_size_2", allowed=f"{name}, above 0"
        )
    if count > 2:
        raise InputError(f"{laws.program} has {count} parameters", allowed="laws of at most two")
    return (size, size_2)[:count]


def _refuse_parts(laws: Sequence[Any], point: Sequence[Any]) -> None:
    """Refuse a problem size of the study with a part where the runs have whole ones; one that follows the ranks may."""
    processes, *problem = (np.asarray(coordinate) for coordinate in point)
    for law in laws:
        if not isinstance(law, ProgramLaws) or processes.size < 2:
            continue
        for known, given, name in zip(law.parameters, problem, POINT[1:], strict=False):
            if known.whole and given.size == 1 and (given != np.floor(given)).any():
                raise InputError(
                    f"{given.flat[0]:g} ({known.name})", key=name, allowed="a whole number, as in the runs"
                )


@quantity(unit="1", source="ours: every node runs as many")
def run_processes(nodes, processes_per_node):
    """Processes of the run, P."""
    return nodes * processes_per_node


def _of_laws(profile: Any, point: Sequence[Any], read: Callable[..., float], otherwise: float) -> np.ndarray:
    """Return a number of laws at each point; of a plain profile what stands for it.

    `read` gets the laws, the ranks and the parameters of the problem, and is asked once for each point.
    """
    if not isinstance(profile, ProgramLaws):
        return np.full(1, otherwise)
    rows, place = different_rows([np.asarray(column, dtype=float) for column in point])
    _refuse_parts((profile,), point)
    values = []
    for processes, size, size_2 in zip(*(row.tolist() for row in rows), strict=True):
        problem = _problem(profile, size, size_2)
        most = max(_most_ranks(profile, problem), 1.0)
        values.append(read(profile, min(max(processes, 1.0), most), *problem))
    result: np.ndarray = np.array(values, dtype=float)[place]
    return result


@quantities(
    gives={"profile_distance": "1", "profile_extrapolated": "1"},
    source=_LAWS,
    points_only=True,
    marks=("profile_extrapolated",),
    mark_words={"profile_extrapolated": "lie outside the runs of the laws of the program"},
)
def distances(profile, run_processes, problem_size, problem_size_2):
    """How many times outside the runs of the laws a point lies, 1 inside, and a mark where it is outside."""
    point = (run_processes, problem_size, problem_size_2)
    far = _of_laws(profile, point, _distance_at, 1.0)
    return far, 1.0 * (far > 1.0)


@quantities(
    gives={"profile_band_low": "1", "profile_band_high": "1", "profile_band": "1"}, source=_LAWS, points_only=True
)
def bands(profile, run_processes, problem_size, problem_size_2):
    """Least and greatest of what laws that fit alike foretell, over the law, and their ratio."""
    point = (run_processes, problem_size, problem_size_2)
    low = _of_laws(profile, point, lambda *at: _band_at(*at)[0], 1.0)
    high = _of_laws(profile, point, lambda *at: _band_at(*at)[1], 1.0)
    return low, high, np.minimum(high / np.maximum(low, 1e-300), 1e300)


@quantity(unit="1", source=_LAWS, points_only=True)
def problem_ranks(profile, problem_size, problem_size_2):
    """Most ranks among which the problem can be divided: every size of the laws is 1 at least."""
    return _of_laws(profile, (np.ones(1), problem_size, problem_size_2), _ranks_of, _ANY)


@quantity(unit="1", source=f"{_LAWS}; the slowest rank decides", points_only=True)
def rank_imbalance(profile, run_processes, problem_size, problem_size_2):
    """Instructions of the rank that has most, over the mean of all."""
    point = (run_processes, problem_size, problem_size_2)
    return _of_laws(profile, point, _imbalance_at, 1.0)


@quantity(unit="B", source=f"{_LAWS}: the memory that a rank touches", points_only=True)
def rank_memory(profile, run_processes, problem_size, problem_size_2):
    """Memory of a rank: what it touches."""
    return each_point((profile,), (run_processes, problem_size, problem_size_2), _footprint)


def _footprint(profile: WorkloadProfile) -> np.ndarray:
    held = profile.only.footprint_bytes
    if held is None:
        raise InputError(
            f"'{profile.name}' does not tell the memory it touches", allowed="footprint_bytes in the profile"
        )
    return np.full(1, float(held) * threads_of_rank(profile))


def threads_of_rank(profile: WorkloadProfile) -> int:
    """Return the threads of a rank, of each of which a profile has the counts: what a rank sends is the sum."""
    return profile.run.threads or 1


def profile_processes(profile: Any) -> float:
    """Return the ranks a plain profile was recorded with; 0 where it holds for any."""
    if isinstance(profile, ProgramLaws):
        return 0.0
    if profile.run.processes is None:
        raise InputError(
            f"the profile '{profile.name}' does not say how many processes ran", allowed="run.processes in the profile"
        )
    return float(profile.run.processes)


@quantity(unit="1", source="ours: a profile holds for the ranks it was recorded with", points_only=True)
def profile_processes_off(profile, run_processes):
    """How many ranks a machine runs more, or less, than a plain profile was recorded with; 0 of laws."""
    taken = profile_processes(profile)
    return np.abs(run_processes - taken) if taken else np.zeros(1)
