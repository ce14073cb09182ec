"""The short list of a frontier: the designs a reader looks at first, what tells them apart, and what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.analysis.choose.choice import scaled_points
from dse.analysis.choose.rounding import settled
from dse.analysis.choose.rules import row_by_rule, rule_text
from dse.errors import InputError, ModelError
from dse.report.charts.shown_column import Shown, shown_column, spelled
from dse.search.frontier.pareto import to_minimise
from dse.units import told_apart

if TYPE_CHECKING:
    import pandas as pd

    from dse.evaluation.reference_records import ReferenceRecord
    from dse.run.result.run import Run

__all__ = [
    "Listed",
    "Part",
    "Role",
    "ShortList",
    "chosen_axes",
    "common_parts",
    "figure_texts",
    "parts_of",
    "roles_of",
    "shared_parts",
]
__all__ += ["KNEE", "PICK", "short_list", "varies"]

KNEE, PICK = "knee", "the study's pick"


class Role(NamedTuple):
    """What makes a design of the frontier stand out: a name, the rule in words, its row, and what it is the best of."""

    name: str
    told: str
    row: int
    quantity: str = ""


class Part(NamedTuple):
    """A choice as people read it; `confidence` says how sure the figures of a part are, empty where nothing does."""

    text: str
    confidence: str = ""

    def __str__(self) -> str:
        return f"{self.text} · {self.confidence}" if self.confidence else self.text


class Listed(NamedTuple):
    """A line of the short list.

    Attributes
    ----------
    roles : tuple of Role
        A design may have several.
    name, group : str
        Of a reference, and what it is one of; empty for a design.
    row, reference : int
        Row of the frontier, and place among the references of the run; -1 for what it is not.
    design : int
        Design number, -1 for a reference.
    equal : int
        Other designs of the frontier with the same objectives.
    parts : dict of str to Part
        What was chosen: the alternative, axes, parts.
    values : dict of str to float or str
        Objectives and what else the study shows, SI, as far as they are known.
    measured : frozenset of str
        Those of them that were measured, not computed.
    extrapolated : str
    broken : tuple of str
        Constraints a reference breaks.
    """

    roles: tuple[Role, ...]
    name: str
    group: str
    row: int
    reference: int
    design: int
    equal: int
    parts: dict[str, Part]
    values: dict[str, str | float]
    measured: frozenset[str]
    extrapolated: str
    broken: tuple[str, ...]

    @property
    def title(self) -> str:
        """Roles in words: "lowest time, lowest power of machines"."""
        return ", ".join(role.name for role in self.roles) + (f" of {self.group}" if self.group else "")


class ShortList(NamedTuple):
    """The short list: its lines, its columns of figures, and what all its designs have alike.

    Attributes
    ----------
    lines : tuple of Listed
        Designs, then references.
    objectives, also : tuple of Shown
        Columns in the units of the frontier.
    common : dict of str to Part
        Choices that all designs of the frontier share, where there are several.
    differing : tuple of str
        Names of the others, in their order.
    extrapolated : str
        What is extrapolated in all designs of the frontier alike, where there are several.
    """

    lines: tuple[Listed, ...]
    objectives: tuple[Shown, ...]
    also: tuple[Shown, ...]
    common: dict[str, Part]
    differing: tuple[str, ...]
    extrapolated: str


def roles_of(run: Run) -> tuple[Role, ...]:
    """Return the designs of the frontier that stand out: the knee, where there are several objectives, and the best.

    Before them stands what the study picks, if it names a rule that a design of the frontier meets.
    """
    frame, senses = run.frontier, {o["quantity"]: o["sense"] for o in run.objectives}
    if not len(frame):
        return ()
    names, ways = list(senses), list(senses.values())
    picked = _picked(run)
    values = frame[names].to_numpy(dtype=float)
    points = settled(to_minimise(values, ways))
    distance = scaled_points(points).sum(axis=1)
    roles = [picked] if picked is not None else []
    if len(names) > 1:
        rule = (
            "where the frontier bends most: the least sum of objectives, each scaled from its best (0) to its worst (1)"
        )
        roles.append(Role(KNEE, rule, int(distance.argmin())))
    for place, name in enumerate(names):
        extreme = _extreme(senses[name])
        best = np.flatnonzero(points[:, place] == points[:, place].min())
        rest = "; of equal ones, the best in the rest" if len(names) > 1 else ""
        role = f"{extreme} {run.label(name)}"
        roles.append(Role(role, f"the design with the {role}{rest}", int(best[distance[best].argmin()]), name))
    return tuple(roles)


def _picked(run: Run) -> Role | None:
    """Return the design that the rule of the study picks from the frontier, if it names one that finds any."""
    if run.manifest.pick is None:
        return None
    try:
        row, _ = row_by_rule(run, run.manifest.pick)
    except (InputError, ModelError):  # a rule that the frontier cannot follow, or whose study is gone
        return None
    return (
        None if row is None else Role(PICK, f"what the study asks for: {rule_text(run.manifest.pick, run.label)}", row)
    )


def _extreme(sense: str) -> str:
    return "lowest" if sense == "min" else "highest"


def short_list(run: Run) -> ShortList:
    """Return the best design of each objective, the knee, and the references that are best in each objective."""
    roles = roles_of(run)
    ordered = sorted(roles, key=lambda role: role.name == KNEE)
    designs = [
        _design(run, tuple(role for role in ordered if role.row == row), row)
        for row in dict.fromkeys(role.row for role in ordered)
    ]
    names = [o["quantity"] for o in run.objectives]
    also = [n for n in run.manifest.also if n in run.frontier.columns and n not in names]
    common = shared_parts(run)
    outside = {_sorted(str(text).split(", ")) for text in run.frontier["extrapolated"].unique()}
    return ShortList(
        (*designs, *_references(run, [*names, *also])),
        tuple(shown_column(run, name) for name in names),
        tuple(shown_column(run, name) for name in also),
        common,
        tuple(n for n in dict.fromkeys(n for line in designs for n in line.parts) if n not in common),
        outside.pop() if len(run.frontier) > 1 and len(outside) == 1 else "",
    )


def common_parts(designs: Sequence[Mapping[str, Part]]) -> dict[str, Part]:
    """Return the choices that several designs all have, and have alike."""
    if len(designs) < 2:
        return {}
    return {name: part for name, part in designs[0].items() if all(other.get(name) == part for other in designs[1:])}


def shared_parts(run: Run) -> dict[str, Part]:
    """Return the choices that all designs of the frontier have, and have alike, where there are several designs."""
    frame = run.frontier
    if len(frame) < 2:
        return {}
    columns = {name: [c for c in (name, f"{name}_confidence") if c in frame.columns] for name in run.axis_names}
    first = parts_of(run, [0])[0]
    return {name: part for name, part in first.items() if not any(varies(frame[c]) for c in columns[name])}


def chosen_axes(run: Run) -> set[str]:
    """Return the axes that have more than one value."""
    return {axis.name for axis in run.manifest.space.axes if axis.values > 1}


def varies(column: pd.Series) -> bool:
    """Tell whether the rows of a column differ; those without a value are alike."""
    if not len(column):
        return False
    first = column.iloc[0]
    return not bool((column == first).all() if first == first else column.isna().all())


def parts_of(run: Run, rows: Sequence[int]) -> list[dict[str, Part]]:
    """Return what was chosen in some rows of the frontier: only what each has, parts with confidence."""
    frame = run.frontier
    taken = np.asarray(rows, dtype=np.int64)
    chosen: list[dict[str, Part]] = [{} for _ in taken]
    names = run.axis_names
    sure = {name: f"{name}_confidence" for name in names if f"{name}_confidence" in names}
    for name in names:
        if name in sure.values():
            continue
        # Rows first: texts of a long frontier as Python objects take more memory than all its numbers.
        shown, column = shown_column(run, name), frame[name].iloc[taken].to_numpy()
        confidences = frame[sure[name]].iloc[taken].to_numpy() if name in sure else [""] * len(taken)
        for parts, value, confidence in zip(chosen, column, confidences, strict=True):
            if value != "" and value == value:
                text = spelled(value, shown.scale, shown.unit, given=True)
                parts[name] = Part(run.short_name(name, text), str(confidence))
    return chosen


def _design(run: Run, roles: tuple[Role, ...], row: int) -> Listed:
    frame = run.frontier
    names = [o["quantity"] for o in run.objectives]
    objectives = frame[names].to_numpy(dtype=float)
    values = {name: frame[name].iloc[row] for name in (*names, *run.manifest.also) if name in frame.columns}
    return Listed(
        roles,
        "",
        "",
        row,
        -1,
        int(frame["design"].iloc[row]),
        int((objectives == objectives[row]).all(axis=1).sum()) - 1,
        parts_of(run, [row])[0],
        values,
        frozenset(),
        _sorted(str(frame["extrapolated"].iloc[row]).split(", ")),
        (),
    )


def _references(run: Run, names: Sequence[str]) -> Iterator[Listed]:
    """Return, for each objective, the reference that is best in it, of those that break no constraint if there are."""
    records = run.references
    if not records:
        return
    group = records[0]["reference"] if len({record["reference"] for record in records}) == 1 else "references"
    roles: dict[int, list[Role]] = {}
    for objective in run.objectives:
        name, sign = objective["quantity"], 1.0 if objective["sense"] == "min" else -1.0
        known = [(at, value) for at, record in enumerate(records) if (value := record["values"].get(name)) is not None]
        if not known:
            continue
        allowed = [pair for pair in known if records[pair[0]]["feasible"] is not False]
        place, _ = min(allowed or known, key=lambda pair: sign * pair[1])
        role = f"{_extreme(objective['sense'])} {run.label(name)}"
        rule = f"the {role} of {group}" + (", of those that are not known to break a constraint" if allowed else "")
        roles.setdefault(place, []).append(Role(role, rule, -1, name))
    for place, own in roles.items():
        yield _reference(records[place], tuple(own), group, place, names)


def _sorted(names: Sequence[str]) -> str:
    """Write what is extrapolated in one order, so that lines with the same compare equal."""
    return ", ".join(sorted(names))


def _reference(
    record: ReferenceRecord, roles: tuple[Role, ...], group: str, place: int, names: Sequence[str]
) -> Listed:
    values = {name: record["values"][name] for name in names if name in record["values"]}
    measured = {
        name: record["measured"][name]["value"] for name in names if name in record["measured"] and name not in values
    }
    given = record["parameters"]
    parts = {
        name: Part(text, given.get(f"{name}_confidence", ""))
        for name, text in given.items()
        if not (name.endswith("_confidence") and name.removesuffix("_confidence") in given)
    }
    return Listed(
        roles,
        record["name"],
        group,
        -1,
        place,
        -1,
        0,
        {name: part for name, part in parts.items() if part.text != record["name"] or part.confidence},
        values | measured,
        frozenset(measured),
        _sorted(record["extrapolated"]),
        tuple(item["text"] for item in record["constraints"] if item["met"] is False),
    )


def figure_texts(lines: Sequence[Listed], shown: Shown) -> list[str]:
    """Write a figure of each line in the unit of its column, different ones differently."""

    def write(value: str | float | None, digits: int) -> str:
        if value is None:
            return "–"
        if not shown.numeric or isinstance(value, str):
            return str(value)
        return spelled(float(value), shown.scale, digits=digits)

    return told_apart([line.values.get(shown.name) for line in lines], write)
