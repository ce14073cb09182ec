"""A profile at the target from profiles of several small runs: one law per metric and class of processes.

The flow is that of Anghel 2017, Chapter 6: profile many small runs, gather alike processes in classes, average each
class, fit one law per metric over problem sizes and numbers of processes, and ask the laws at the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import Runs, fit
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import distance
from dse.models.workload.extrapolation.metrics import Key, absent_is_none, bounds_of, metrics, name_of, unit_of
from dse.models.workload.extrapolation.process_classes import cluster
from dse.models.workload.extrapolation.rebuilding import class_document, dropped
from dse.models.workload.extrapolation.run_parameters import RunParameters, read_parameters
from dse.models.workload.profile.profile import ProcessClass, WorkloadProfile
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.profile.schema import SCHEMA
from dse.units import format_number

__all__ = ["FAR", "Extrapolated", "Fit", "extrapolate"]

_UNSURE, _MOST_TOLD = 0.1, 3

FAR = 8.0
"""Beyond this distance an extrapolation is warned about (Anghel 2017 went to 2.5 to 5 with one code, whose ranking of
networks was lost, and to 512 and 16,384 with another)."""


@dataclass(frozen=True)
class Fit:
    """The law of one metric of one class of processes.

    Attributes
    ----------
    process_class, metric : str
    law : Law
    value : float
        What it foretells at the target [unit of the law].
    band : (float, float)
        Least and greatest of what laws that fit about as well foretell (`Law.band`).
    """

    process_class: str
    metric: str
    law: Law
    value: float
    band: tuple[float, float]


@dataclass(frozen=True)
class Extrapolated:
    """What `extrapolate` gives.

    Attributes
    ----------
    profile : WorkloadProfile
        At the target; its `extrapolation` holds laws, distances and warnings too.
    fits : tuple of Fit
    distances : mapping of str to float
        Target over the largest training value of each parameter (of the sizes, where values are logarithms).
    warnings : tuple of str
    """

    profile: WorkloadProfile
    fits: tuple[Fit, ...]
    distances: Mapping[str, float]
    warnings: tuple[str, ...] = field(default=())


def extrapolate(
    profiles: Sequence[WorkloadProfile],
    target: Mapping[str, float],
    *,
    log2: Iterable[str] = (),
    threshold: float | None = None,
    refuse_beyond: float | None = None,
    name: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Extrapolated:
    """Extrapolate a profile.

    Parameters
    ----------
    profiles : sequence of WorkloadProfile
        Of one program. Their parameters are the numbers of ``application.parameters``, ``processes`` and ``threads``.
    target : mapping of str to float
        The value of each parameter that varies.
    log2 : iterable of str
        Parameters whose values are binary logarithms of a size, such as the scale of Graph 500.
    threshold : float, optional
        Gathers the processes of each run in classes first (`process_classes.cluster`).
    refuse_beyond : float, optional
        Distance beyond which no profile is made.
    name : str, optional
        Of the profile.
    progress : callable, optional
        Told how many fits are done, and of how many.

    Raises
    ------
    InputError
        Parameters that are missing, do not vary, or are not in the target; too few profiles; classes that do not
        correspond.
    """
    if not profiles:
        raise InputError("no profiles", allowed="at least five")
    parameters = read_parameters(profiles, target, log2)
    distances = {
        parameter.name: distance(parameter, parameters.target[parameter.name], values)
        for parameter, values in parameters.columns()
    }
    warnings = _distance_warnings(parameters, distances, refuse_beyond)
    gathered = [cluster(profile, threshold) if threshold is not None else profile for profile in profiles]
    names = _corresponding(gathered)
    runs = Runs.of(
        {parameter.name: values for parameter, values in parameters.columns()},
        log2=[parameter.name for parameter, _ in parameters.columns() if parameter.log2],
        target=parameters.target,
    )
    warnings += runs.warnings
    plans = [_Plan(names[place], [profile.classes[place] for profile in gathered], runs) for place in range(len(names))]
    total, done = sum(len(plan.keys) for plan in plans), 0
    fits: list[Fit] = []
    documents = []
    for plan in plans:
        values: dict[Key, float] = {}
        for key in plan.keys:
            law = plan.fit(key)
            done += 1
            if progress is not None:
                progress(done, total)
            if law is None:
                continue
            values[key] = law.at(parameters.target)
            fits.append(Fit(plan.name, name_of(key), law, values[key], law.band(parameters.target)))
        members = values.pop(("members",))
        document, changed = class_document(values, plan.items, name=plan.name, members=max(1, round(members)))
        documents.append(document)
        lead = f"{plan.name}: " if len(plans) > 1 else ""
        warnings += [
            lead + warning
            for warning in (*changed, *plan.warnings([fitted for fitted in fits if fitted.process_class == plan.name]))
        ]
        lost = dropped(plan.items, list(values))
        if lost:
            warnings.append(
                f"{lead}not extrapolated: {', '.join(lost[:8])}{f' and {len(lost) - 8} more' if len(lost) > 8 else ''}"
            )
    _set_members(documents, gathered, parameters)
    profile = _profile(profiles, parameters, documents, fits, distances, warnings, name)
    return Extrapolated(profile, tuple(fits), distances, tuple(warnings))


class _Plan:
    """The fits of one class of processes."""

    def __init__(self, name: str, items: Sequence[ProcessClass], runs: Runs) -> None:
        self.name, self.items, self.runs = name, items, runs
        self.found = [metrics(item) | {("members",): float(item.members)} for item in items]
        every = list(dict.fromkeys(key for values in self.found for key in values))
        places = {key[:3]: place for place, key in reversed(list(enumerate(every)))}
        every.sort(key=lambda key: (places[key[:3]], key[3] if "beyond" in key else 0))
        self.keys = [key for key in every if self._fitted(key)]
        self._subsets: dict[tuple[bool, ...], Runs | None] = {}
        if len({None if item.branch is None else item.branch.conditional_only for item in items}) > 1:
            raise InputError(
                f"class '{name}': branch.conditional_only is not the same in all profiles; entropies do not compare"
            )

    def _fitted(self, key: Key) -> bool:
        return "beyond" in key or absent_is_none(key) or all(key in values for values in self.found)

    def fit(self, key: Key) -> Law | None:
        """Return the law of a metric; None where too few runs have one."""
        having = tuple(key in values for values in self.found)
        values = [values.get(key, 0.0) for values in self.found]
        runs: Runs | None = self.runs
        if not all(having) and not absent_is_none(key):
            # Beyond the largest distance of a run there is nothing that could grow.
            if having not in self._subsets:
                self._subsets[having] = _subset(self.runs, having) if 2 * sum(having) >= len(having) else None
            runs = self._subsets[having]
            values = [value for value, has in zip(values, having, strict=True) if has]
        if runs is None:
            return None
        low, high = bounds_of(key)
        try:
            return fit(values, runs, bounds=(min(low, *values), max(high, *values)), unit=unit_of(key))
        except InputError as fault:
            raise fault.within(key=name_of(key)) from None

    def warnings(self, fits: Sequence[Fit]) -> list[str]:
        """Return what is odd about the laws: few words for many."""
        notes = []
        unsure = sorted(
            (fitted for fitted in fits if fitted.law.cross_validation_error > _UNSURE),
            key=lambda fitted: -fitted.law.cross_validation_error,
        )
        if unsure:
            worst = ", ".join(
                f"{fitted.metric} ({_percent(fitted.law.cross_validation_error)})" for fitted in unsure[:_MOST_TOLD]
            )
            notes.append(
                f"{len(unsure)} of {len(fits)} laws miss runs left out by more than {_percent(_UNSURE)}: {worst}"
                + (" …" if len(unsure) > _MOST_TOLD else "")
            )
        for warning in dict.fromkeys(warning for fitted in fits for warning in fitted.law.warnings):
            having = [fitted.metric for fitted in fits if warning in fitted.law.warnings]
            more = f" and {len(having) - _MOST_TOLD} more" if len(having) > _MOST_TOLD else ""
            notes.append(f"{', '.join(having[:_MOST_TOLD])}{more}: {warning}")
        return notes


def _subset(runs: Runs, having: Sequence[bool]) -> Runs | None:
    points = [point for point, has in zip(runs.points, having, strict=True) if has]
    names = [parameter.name for parameter in runs.parameters]
    try:
        return Runs.of(
            {name: [point[place] for point in points] for place, name in enumerate(names)},
            log2=[parameter.name for parameter in runs.parameters if parameter.log2],
            target=dict(zip(names, runs.target or (), strict=True)),
        )
    except InputError:
        return None


def _distance_warnings(
    parameters: RunParameters, distances: Mapping[str, float], refuse_beyond: float | None
) -> list[str]:
    warnings = []
    for parameter, values in parameters.columns():
        far, aim = distances[parameter.name], parameters.target[parameter.name]
        below = parameter.coordinate(aim) < min(map(parameter.coordinate, values))
        beyond = f"{far:.4g} times below the smallest run" if below else f"{far:.4g} times the largest run"
        fault = f"{parameter.name} = {aim:g} is {beyond} ({min(values) if below else max(values):g})"
        if refuse_beyond is not None and far > refuse_beyond:
            raise InputError(fault, allowed=f"a distance of at most {refuse_beyond:g}")
        if far > FAR:
            warnings.append(f"{fault}: beyond {FAR:g} times, laws that fit alike may part")
    return warnings


def _corresponding(profiles: Sequence[WorkloadProfile]) -> list[str]:
    """Return the names of the classes, which are those of every profile, in the same order."""
    first = profiles[0]
    names = [item.name for item in first.classes]
    for profile in profiles[1:]:
        other = [item.name for item in profile.classes]
        if len(other) != len(names):
            raise InputError(
                f"has {len(other)} classes of processes where {first.file or first.name} has {len(names)}; they must "
                "correspond: gather alike processes with a threshold, or with another one",
                file=profile.file or profile.name,
            )
        if other != names and sorted(other) == sorted(names):
            raise InputError(f"has its classes in another order: {', '.join(other)}", file=profile.file or profile.name)
        for mine, its in zip(first.classes, profile.classes, strict=True):
            if mine.role != its.role:
                raise InputError(
                    f"class '{its.name}' is a {its.role} where {first.file or first.name} has a {mine.role}",
                    file=profile.file or profile.name,
                )
        if other != names and len(names) > 1:
            raise InputError(
                f"has the classes {', '.join(other)} where {first.file or first.name} has {', '.join(names)}",
                file=profile.file or profile.name,
            )
    return names


def _set_members(
    documents: list[dict[str, Any]], profiles: Sequence[WorkloadProfile], parameters: RunParameters
) -> None:
    """Make the members of the classes add up to the processes (and threads), where they do in every run."""
    for counted in (("processes",), ("processes", "threads"), ("threads",)):
        sums = [sum(item.members for item in profile.classes) for profile in profiles]
        each = [[getattr(profile.run, part) for part in counted] for profile in profiles]
        if all(None not in parts and int(np.prod(parts)) == total for parts, total in zip(each, sums, strict=True)):
            aims = [parameters.at_target(part) for part in counted]
            largest = max(documents, key=lambda document: document["members"])
            others = sum(document["members"] for document in documents) - largest["members"]
            left = int(np.prod([int(aim) for aim in aims])) - others
            if left < 1:
                raise InputError(f"the other classes would have {others} members of {left + others} processes")
            largest["members"] = left
            return


def _profile(
    profiles: Sequence[WorkloadProfile],
    parameters: RunParameters,
    documents: list[dict[str, Any]],
    fits: Sequence[Fit],
    distances: Mapping[str, float],
    warnings: Sequence[str],
    name: str | None,
) -> WorkloadProfile:
    first = profiles[0]
    target_text = ", ".join(f"{key} {parameters.target[key]:g}" for key in distances)
    far = ", ".join(f"{key} {format_number(float(f'{value:.3g}'))}" for key, value in distances.items())
    sources = "; ".join(dict.fromkeys(profile.source for profile in profiles if profile.source))
    licences = "; ".join(dict.fromkeys(profile.licence for profile in profiles if profile.licence))
    return parse_profile(
        {
            "schema": SCHEMA,
            "name": name or f"{first.application.name or first.name}, {target_text} (extrapolated)",
            "source": f"extrapolated from {len(profiles)} profiles to a distance of {far}; {sources}".rstrip("; "),
            "licence": licences,
            "notes": "Counts are those of laws fitted to small runs, not measured; table extrapolation has the laws.",
            "synthetic": any(profile.synthetic for profile in profiles),
            "application": {"name": first.application.name, "parameters": parameters.application()},
            "run": parameters.run(),
            "classes": documents,
            "extrapolation": {
                "parameters": [
                    {
                        "name": parameter.name,
                        "log2": parameter.log2,
                        "smallest": min(values),
                        "largest": max(values),
                        "target": parameters.target[parameter.name],
                        "distance": distances[parameter.name],
                    }
                    for parameter, values in parameters.columns()
                ],
                "profiles": [{"name": profile.name, "sha256": profile.sha256} for profile in profiles],
                "fits": [
                    {
                        "class": fitted.process_class,
                        "metric": fitted.metric,
                        "unit": fitted.law.unit,
                        "law": fitted.law.formula(fitted.law.parameters),
                        "cross_validation_error": fitted.law.cross_validation_error,
                        "runs": fitted.law.runs,
                        "value": fitted.value,
                        "low": fitted.band[0],
                        "high": fitted.band[1],
                    }
                    for fitted in fits
                ],
                "warnings": list(warnings),
            },
        }
    )


def _percent(error: float) -> str:
    return f"{format_number(float(f'{100 * error:.2g}'))} %"
