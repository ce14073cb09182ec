"""Fitting the laws of a program to the profiles of its runs: once, for every size and number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import Runs, fit
from dse.models.measured_laws.fitting.guards import Guards, falls_along, rays_along
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND
from dse.models.measured_laws.fitting.terms import CONSTANT, Term
from dse.models.workload.extrapolation.metrics import Key, absent_is_none, bounds_of, metrics, name_of, unit_of
from dse.models.workload.laws.alike import gathered
from dse.models.workload.laws.formulas import WITHIN, Formula, read_formulas
from dse.models.workload.laws.messages import SIZES, bin_metrics
from dse.models.workload.laws.patterns import Pattern, pattern_of
from dse.models.workload.laws.program_laws import ClassLaws, LawParameter, ProgramLaws, named_parameters
from dse.models.workload.laws.ranks import messages_apart, odd_ranks, refuse_fortran
from dse.models.workload.laws.reuse_quantiles import ReuseTable, StrideShares, reuse_points, stride_points
from dse.models.workload.laws.sizes import Collapse, Size, collapse_of, column_of, proposed_sizes, read_size
from dse.models.workload.laws.stored_law import law_of, stored
from dse.models.workload.profile.profile import ProcessClass, ProfileUsed, WorkloadProfile

__all__ = ["fit_laws"]

_FEWEST_RANKS = 5
_INSTRUCTIONS: Key = ("instructions",)
_OF_RUN = ("processes", "threads")


@dataclass(frozen=True)
class _Runs:
    """The runs: their parameters by name, and what the laws are functions of."""

    profiles: tuple[WorkloadProfile, ...]
    values: tuple[dict[str, float], ...]
    names: tuple[str, ...]
    laws: tuple[LawParameter, ...]
    columns: tuple[tuple[float, ...], ...]

    @property
    def points(self) -> list[dict[str, float]]:
        """Parameters and sizes of each run."""
        return [
            {
                **run,
                **{size_law.size.name: column[place] for size_law, column in zip(self.laws, self.columns, strict=True)},
            }
            for place, run in enumerate(self.values)
        ]


def fit_laws(
    profiles: Sequence[WorkloadProfile],
    sizes: Sequence[str] = (),
    *,
    log2: Iterable[str] = (),
    threshold: float | None = None,
    formulas: Sequence[str] = (),
    within: float = WITHIN,
    name: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ProgramLaws:
    """Fit the laws of a program.

    Parameters
    ----------
    profiles : sequence of WorkloadProfile
        Of one program, at several sizes and numbers of ranks.
    sizes : sequence of str
        ``NAME = EXPRESSION`` of the parameters: what the counts of a rank depend on. Without, every parameter that
        varies.
    log2 : iterable of str
        Parameters whose values are binary logarithms of a size.
    threshold : float, optional
        Gathers the processes of each run in classes first.
    formulas : sequence of str
        ``METRIC = EXPRESSION``, exact laws instead of fitted ones.
    within : float
        Largest relative error of these in a run.
    name : str, optional
    progress : callable, optional
        Told how many fits are done, and of how many.

    Returns
    -------
    ProgramLaws

    Raises
    ------
    InputError
        Profiles of different programs, threads or classes; parameters that are missing or no numbers; sizes that say
        nothing; too few runs or ranks.
    """
    if not profiles:
        raise InputError("no profiles", allowed="at least five")
    refuse_fortran(profiles)
    imbalances = [_imbalance(profile) for profile in profiles]
    together = gathered(profiles, threshold)
    values, names = _parameters(profiles)
    notes: list[str] = []
    runs = _law_runs(tuple(together), values, names, sizes, tuple(log2), notes)
    recorded = _recorded(together)
    notes += odd_ranks(together, values, recorded)
    notes += messages_apart(
        [size_law.size.name for size_law in runs.laws], runs.columns, [run["processes"] for run in values], recorded
    )
    fits = _Fits(runs, progress, 1 + sum(len(_keys(together, place)) for place in range(len(together[0].classes))))
    classes = []
    for place, item in enumerate(together[0].classes):
        items = [profile.classes[place] for profile in together]
        classes.append(_class_laws(item.name, items, fits, formulas if place == 0 else (), within, notes))
    pattern = _pattern(profiles, values)
    imbalance = fits.law([max(1.0, ratio) for ratio in imbalances], (1.0, np.inf), "1", [True] * len(values))
    first = profiles[0]
    same = {key: {getattr(profile.run, key) for profile in profiles} for key in ("compiler", "flags", "tool")}
    return ProgramLaws(
        name=name or first.application.name or first.name,
        program=first.application.name or first.name,
        parameters=named_parameters([parameter for parameter in names if parameter not in _OF_RUN], values),
        ranks=tuple(sorted({int(run["processes"]) for run in values})),
        sizes=runs.laws,
        classes=tuple(classes),
        pattern=pattern,
        imbalance=imbalance if imbalance is not None else Formula("1"),
        runs=tuple(ProfileUsed(profile.name, profile.sha256) for profile in profiles),
        run={key: given.pop() for key, given in same.items() if len(given) == 1 and "" not in given},
        source="; ".join(dict.fromkeys(profile.source for profile in profiles if profile.source)),
        licence="; ".join(dict.fromkeys(profile.licence for profile in profiles if profile.licence)),
        threads=int(values[0].get("threads", 1)),
        synthetic=any(profile.synthetic for profile in profiles),
        notes=tuple(notes),
    )


# ---- the runs --------------------------------------------------------------------------------------------------------


def _parameters(profiles: Sequence[WorkloadProfile]) -> tuple[tuple[dict[str, float], ...], tuple[str, ...]]:
    """Return the numbers that describe each run, and their names in the order of the first profile."""
    first = profiles[0]
    names = [*first.application.parameters, *_OF_RUN]
    rows = []
    for profile in profiles:
        place = profile.file or profile.name
        if profile.application.name != first.application.name:
            raise InputError(
                f"is of the program '{profile.application.name}', and others of '{first.application.name}'", file=place
            )
        given: dict[str, Any] = {**profile.application.parameters}
        given |= {name: getattr(profile.run, name) for name in _OF_RUN if getattr(profile.run, name) is not None}
        if "processes" not in given:
            raise InputError("does not say how many processes ran", file=place, key="run.processes", allowed="a number")
        given.setdefault("threads", 1)
        row = {}
        for name in names:
            if name not in given:
                raise InputError("is missing: every run must have it", file=place, key=f"application.parameters.{name}")
            value = given[name]
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(f"{value!r} is no number", file=place, key=f"application.parameters.{name}")
            row[name] = float(value)
        rows.append(row)
    if len({row["threads"] for row in rows}) > 1:
        raise InputError("the runs have different numbers of threads", allowed="one number of threads per process")
    return tuple(rows), tuple(names)


def _law_runs(
    profiles: tuple[WorkloadProfile, ...],
    values: tuple[dict[str, float], ...],
    names: tuple[str, ...],
    sizes: Sequence[str],
    log2: tuple[str, ...],
    notes: list[str],
) -> _Runs:
    """Return what the laws are functions of: the sizes that collapse, and what else varies."""
    varying = [name for name in names if len({run[name] for run in values}) > 1]
    for name in log2:
        if name not in names:
            raise InputError(
                f"'{name}' is no parameter of these runs",
                key="--log2",
                allowed=list(names),
                wrong=name,
                candidates=names,
            )
    if {run["processes"] for run in values} == {1.0}:
        raise InputError(
            "every run has 1 process, so nothing says what a rank does beside others",
            allowed="runs of several numbers of processes",
        )
    instructions = [float(np.mean([item.instructions for item in profile.classes])) for profile in profiles]
    read = [read_size(text, names) for text in sizes]
    for size in read:
        if size.name in names:
            raise InputError(f"'{size.name}' is a parameter of the program", key="--size", allowed="another name")
    if len({size.name for size in read}) < len(read):
        raise InputError("two sizes have one name", key="--size", allowed="a name of its own for each")
    chosen = [(size, column_of(size, values), False) for size in read]
    plain = [name for name in varying if name != "threads"]
    if chosen:
        collapse = collapse_of([column for _, column, _ in chosen], instructions)
        names_of = [size.name for size, _, _ in chosen]
        notes.append(collapse.told(names_of))
        covered = {need for size, _, _ in chosen for need in size.needs}
        plain = [name for name in plain if name not in covered] + ([] if collapse.proved else ["processes"])
    plain = [name for name in dict.fromkeys(plain) if name in varying]
    ranks = len({run["processes"] for run in values})
    if "processes" in plain and ranks < _FEWEST_RANKS:
        _refuse_few_ranks(ranks, [] if chosen else proposed_sizes(values, varying, instructions), chosen, notes)
    if not chosen:
        for size, collapse in proposed_sizes(values, varying, instructions)[:1]:
            notes.append(f'proposed: --size "{size.name} = {size.text}"; {collapse.told([size.name])}')
    chosen += [(Size(name, name), tuple(run[name] for run in values), name in log2) for name in plain]
    if not chosen:
        raise InputError("nothing varies between the runs", allowed="runs of several sizes")
    laws = tuple(LawParameter(size, min(column), max(column), log) for size, column, log in chosen)
    return _Runs(profiles, values, names, laws, tuple(column for _, column, _ in chosen))


def _refuse_few_ranks(
    ranks: int, proposed: Sequence[tuple[Size, Collapse]], chosen: Sequence[Any], notes: Sequence[str]
) -> None:
    problem = f"the runs have {ranks} numbers of processes, too few for a law of them"
    if chosen:
        problem += f"; {notes[-1]}"
    allowed = f"at least {_FEWEST_RANKS} numbers of processes, or a size that collapses"
    if proposed:
        size, collapse = proposed[0]
        allowed = f'--size "{size.name} = {size.text}" ({collapse.told([size.name])})'
    raise InputError(problem, key="--size", allowed=allowed)


def _imbalance(profile: WorkloadProfile) -> float:
    counts = [(item.instructions, item.members) for item in profile.classes]
    mean = sum(count * members for count, members in counts) / sum(members for _, members in counts)
    return max(count for count, _ in counts) / mean


def _pattern(profiles: Sequence[WorkloadProfile], values: Sequence[Mapping[str, float]]) -> Pattern | None:
    """Return the pattern of the run with most ranks that has messages."""
    order = sorted(range(len(profiles)), key=lambda place: -values[place]["processes"])
    for place in order:
        pattern = pattern_of(profiles[place].classes, int(values[place]["processes"]))
        if pattern is not None:
            return pattern
    return None


# ---- the laws of a class ---------------------------------------------------------------------------------------------


def _metrics(item: ProcessClass) -> dict[Key, float]:
    """Return the metrics of a process that laws are fitted to: no shares beyond distances, but bins of messages."""
    own = {key: value for key, value in metrics(item).items() if "beyond" not in key}
    return {_INSTRUCTIONS: float(item.instructions), **own, **bin_metrics(item)}


def _keys(profiles: Sequence[WorkloadProfile], place: int) -> list[Key]:
    return list(dict.fromkeys(key for profile in profiles for key in _metrics(profile.classes[place])))


def _recorded(profiles: Sequence[WorkloadProfile]) -> list[dict[Key, float]]:
    return [_metrics(profile.classes[0]) for profile in profiles]


class _Fits:
    """The fits of all metrics of a program, over the same runs."""

    def __init__(self, runs: _Runs, progress: Callable[[int, int], None] | None, total: int) -> None:
        self.runs, self.progress, self.total, self.done = runs, progress, total, 0
        self._subsets: dict[tuple[bool, ...], Runs | None] = {}

    def _of(self, having: Sequence[bool]) -> Runs | None:
        key = tuple(having)
        if key not in self._subsets:
            columns = {
                size_law.size.name: [value for value, has in zip(column, having, strict=True) if has]
                for size_law, column in zip(self.runs.laws, self.runs.columns, strict=True)
            }
            logs = [size_law.size.name for size_law in self.runs.laws if size_law.log2]
            try:
                self._subsets[key] = Runs.of(columns, log2=logs)
            except InputError:
                if all(having):
                    raise
                self._subsets[key] = None
        return self._subsets[key]

    def law(
        self,
        values: Sequence[float],
        bounds: tuple[float, float],
        unit: str,
        having: Sequence[bool],
        *,
        whole: bool = False,
    ) -> Law | None:
        """Return the guarded law of a metric in the runs that have it; None where these are too few.

        `whole` keeps the runs beside the law, for an interval.
        """
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)
        runs = self._of(having)
        if runs is None:
            return None
        given = [value for value, has in zip(values, having, strict=True) if has]
        measured, falling = runs.medians(given), None
        ranks = next((at for at, parameter in enumerate(runs.parameters) if parameter.name == "processes"), None)
        if ranks is not None and falls_along(runs.sizes, measured, ranks):
            falling = rays_along(runs.sizes, ranks, REFUSE_BEYOND)
        low, high = bounds
        wide = (min(low, *given), max(high, *given))
        fitted = fit(given, runs, bounds=wide, unit=unit, guards=Guards(falling=falling))
        # What a file keeps is what is asked: intervals of one-parameter laws rest on the runs, of instructions alone.
        kept = stored(fitted if whole else replace(fitted, measured=()))
        return law_of(kept, fitted.parameters, fitted.ranges, unit=unit, runs=fitted.runs, bounds=fitted.bounds)


def _class_laws(
    name: str,
    items: Sequence[ProcessClass],
    fits: _Fits,
    formulas: Sequence[str],
    within: float,
    notes: list[str],
) -> ClassLaws:
    recorded = [_metrics(item) for item in items]
    keys = list(dict.fromkeys(key for metrics_of_run in recorded for key in metrics_of_run))
    ranks = [run["processes"] for run in fits.runs.values]
    table = {key: _column(key, recorded, ranks) for key in keys}
    points = fits.runs.points
    exact = read_formulas(formulas, keys, list(points[0]), points, table, within)
    notes += [
        f"{name_of(key)} = {formula.text}, at most {100 * formula.error:.2g} % off" for key, formula in exact.items()
    ]
    laws: dict[Key, Law | Formula] = {}
    lost = []
    for key in keys:
        if key in exact:
            laws[key] = exact[key]
            continue
        having = [value is not None for value in table[key]]
        column = [0.0 if value is None else value for value in table[key]]
        law = fits.law(column, _bounds(key), unit_of(key), having, whole=key == _INSTRUCTIONS)
        if law is None:
            law = _same(column, having, key, fits.runs.laws)
        if law is None:
            lost.append(name_of(key) if key[0] != SIZES else "sizes of rare messages")
        else:
            laws[key] = law
    if lost:
        shown = list(dict.fromkeys(lost))
        more = f" and {len(shown) - 6} more" if len(shown) > 6 else ""
        notes.append(f"too few runs for a law, left out: {', '.join(shown[:6])}{more}")
    _note_absent(table, ranks, notes)
    branches = {None if item.branch is None else item.branch.conditional_only for item in items}
    if len(branches) > 1:
        raise InputError(
            f"class '{name}': branch.conditional_only is not the same in all runs; entropies do not compare"
        )
    role = items[0].role
    return ClassLaws(name, role, branches.pop(), laws, _reuse(items, fits.runs, laws))


def _bounds(key: Key) -> tuple[float, float]:
    if key[0] == SIZES:
        return 0.0, 1.0 if key[2] == "share" else np.inf
    return bounds_of(key)


def _column(key: Key, recorded: Sequence[Mapping[Key, float]], ranks: Sequence[float]) -> list[float | None]:
    """Return a metric in each run: 0 where the run has none of it, None where it says nothing.

    One rank sends nothing to others, which tells nothing of the messages of several.
    """
    whole = key[:2] == ("comm", "p2p") or key[0] == SIZES
    zero = absent_is_none(key) or whole or key[:2] == ("comm", "collectives")
    column: list[float | None] = []
    for metrics_of_run, count in zip(recorded, ranks, strict=True):
        if key in metrics_of_run:
            column.append(metrics_of_run[key])
        else:
            column.append(
                0.0 if zero and not ((whole or key[0] == "comm") and count == 1.0) and key[0] != SIZES else None
            )
    return column


def _note_absent(table: Mapping[Key, Sequence[float | None]], ranks: Sequence[float], notes: list[str]) -> None:
    alone = [
        name_of(key)
        for key, column in table.items()
        if key[0] == "comm" and any(value is None and count == 1.0 for value, count in zip(column, ranks, strict=True))
    ]
    if alone:
        notes.append(f"runs of one rank have no {', '.join(alone[:4])}: left out of these laws, none at one rank")


def _same(column: Sequence[float], having: Sequence[bool], key: Key, laws: Sequence[LawParameter]) -> Law | None:
    """Return the constant law of a metric that few runs have, all the same value."""
    values = {value for value, has in zip(column, having, strict=True) if has}
    if len(values) != 1:
        return None
    return Law(
        terms=(Term((CONSTANT,) * len(laws)),),
        coefficients=(values.pop(),),
        cross_validation_error=0.0,
        covariance=((0.0,),),
        parameters=tuple(size_law.parameter for size_law in laws),
        unit=unit_of(key),
        runs=sum(having),
        ranges=tuple((size_law.least, size_law.largest) for size_law in laws),
        bounds=_bounds(key),
    )


def _reuse(
    items: Sequence[ProcessClass], runs: _Runs, laws: Mapping[Key, Any]
) -> dict[tuple[str, int | None], ReuseTable]:
    """Return the reuse distances of the runs by table and size of lines; runs of equal sizes count once."""
    columns = [
        [2.0**value for value in column] if size_law.log2 else list(column)
        for size_law, column in zip(runs.laws, runs.columns, strict=True)
    ]
    points = np.array(columns).T
    tables: dict[tuple[str, int | None], ReuseTable] = {}
    for table in ("data_reuse", "inst_reuse"):
        for line in dict.fromkeys(histogram.line for item in items for histogram in getattr(item, table)):
            if (table, line, "references") not in laws or (table, line, "first_touches") not in laws:
                continue
            rows, distances, upto, strides = [], [], [], []
            for point, item in zip(points, items, strict=True):
                histogram = next((histogram for histogram in getattr(item, table) if histogram.line == line), None)
                high, shares = reuse_points(histogram) if histogram is not None else ((), ())
                if not high:
                    continue
                rows.append(point)
                distances.append(high)
                upto.append(shares)
                strides.append(stride_points(histogram) if histogram is not None else None)
            if rows:
                known = [points for points in strides if points is not None]
                shares_of_runs = StrideShares(*zip(*known, strict=True)) if len(known) == len(rows) else None
                tables[table, line] = ReuseTable(np.array(rows), tuple(distances), tuple(upto), shares_of_runs)
    return tables
