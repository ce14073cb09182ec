"""What `dse profile fit` and `dse profile show` say of the laws of a program."""

from __future__ import annotations

import math
from typing import Any

from dse.cli.text.output import say, shown, table
from dse.errors import InputError
from dse.models.workload.extrapolation.metrics import name_of
from dse.models.workload.laws.formulas import Formula
from dse.models.workload.laws.messages import SIZES
from dse.models.workload.laws.program_laws import ProgramLaws
from dse.units import format_number

__all__ = ["at_point", "laws_summary", "point_of", "print_laws"]

_POOR, _MOST = 0.1, 5
_SHOWN = (
    *("instructions", "mix.load", "mix.store", "mix.fp", "footprint_bytes", "comm.p2p.sent_messages"),
    *("comm.p2p.sent_bytes", "comm.collectives.MPI_Allreduce.count"),
)


def point_of(laws: ProgramLaws, given: list[str]) -> dict[str, float]:
    """Return a point of laws from ``NAME=VALUE`` of every parameter and of `processes`."""
    names = [*(parameter.name for parameter in laws.parameters), "processes"]
    point: dict[str, float] = {}
    for item in given:
        name, equals, text = (part.strip() for part in item.partition("="))
        if name not in names:
            raise InputError(
                f"'{item}'",
                key="--at",
                allowed=[f"{name_given}=…" for name_given in names],
                wrong=name,
                candidates=names,
            )
        if name in point:
            raise InputError(f"{name} is given twice", key="--at")
        try:
            point[name] = float(text) if equals else float("nan")
        except ValueError:
            point[name] = float("nan")
        if not math.isfinite(point[name]):
            raise InputError(f"'{item}'", key="--at", allowed="NAME=VALUE, such as processes=4096")
        if name == "processes" and (point[name] < 1.0 or point[name] != int(point[name])):
            raise InputError(f"'{item}'", key="--at", allowed="a whole number of processes, 1 or more")
    for parameter in laws.parameters:
        value = point.get(parameter.name)
        if value is not None and parameter.whole and value != int(value):
            raise InputError(f"{parameter.name} = {value:g}", key="--at", allowed="a whole number, as in the runs")
    missing = [name for name in names if name not in point]
    if missing:
        raise InputError(f"no value of '{missing[0]}'", key="--at", allowed=[f"{name_given}=…" for name_given in names])
    made = laws.point(point["processes"], *(point[parameter.name] for parameter in laws.parameters))
    for size_law in laws.sizes:
        size = size_law.size.at(made)
        if not (math.isfinite(size) and size > 0.0):
            values = ", ".join(f"{name} = {made[name]:g}" for name in names)
            raise InputError(f"{size_law.size.name} is {size:g} at {values}", key="--at", allowed="sizes above 0")
    return made


def laws_summary(laws: ProgramLaws) -> dict[str, Any]:
    """Return what there is to say of laws, for JSON."""
    return {
        "name": laws.name,
        "program": laws.program,
        "parameters": [dict(vars(parameter)) for parameter in laws.parameters],
        "ranks": list(laws.ranks),
        "sizes": [
            {
                "name": size_law.size.name,
                "expression": size_law.size.text,
                "least": size_law.least,
                "largest": size_law.largest,
            }
            for size_law in laws.sizes
        ],
        "classes": [
            {
                "name": item.name,
                "laws": [
                    {
                        "metric": _name(key),
                        "law": law.text if isinstance(law, Formula) else str(law),
                        "error": law.error if isinstance(law, Formula) else law.cross_validation_error,
                    }
                    for key, law in item.laws.items()
                ],
            }
            for item in laws.classes
        ],
        "pattern": None if laws.pattern is None else dict(vars(laws.pattern)),
        "imbalance": laws.imbalance.text if isinstance(laws.imbalance, Formula) else str(laws.imbalance),
        "notes": list(laws.notes),
        "warnings": list(laws.warnings),
    }


def print_laws(laws: ProgramLaws, file: str) -> None:
    """Print the laws that matter, what they are functions of, and what a study must give."""
    say(f"{laws.name}: laws of {len(laws.runs)} runs, {', '.join(map(str, laws.ranks))} ranks", style="bold")
    for size_law in laws.sizes:
        low, high = (format_number(value) for value in (size_law.least, size_law.largest))
        say(
            f"of {size_law.size.name}"
            + (f" = {size_law.size.text}" if size_law.size.text != size_law.size.name else "")
            + f", {low} to {high}"
        )
    for note in laws.notes:
        say(note)
    for item in laws.classes:
        rows, poor = [], []
        for key, law in item.laws.items():
            name = _name(key)
            error = law.error if isinstance(law, Formula) else law.cross_validation_error
            if name in _SHOWN:
                text = law.text if isinstance(law, Formula) else str(law)
                rows.append([name, text, f"{100 * error:.2g} %"])
            if error > _POOR:
                poor.append((error, name))
        say()
        say(item.name, style="bold")
        table(["metric of a rank", "law", "misses a run left out by"], rows, right=[2])
        if poor:
            worst = ", ".join(f"{name} ({100 * error:.2g} %)" for error, name in sorted(poor, reverse=True)[:_MOST])
            say(f"{len(poor)} of {len(item.laws)} laws miss runs left out by more than 10 %: {worst}", style="yellow")
    if laws.pattern is None:
        say("no rank sends a message to another")
    else:
        guess = " (guessed: no rule applies)" if laws.pattern.guessed else ""
        say(f"messages: {laws.pattern.name}{guess}")
    for warning in laws.warnings:
        say(f"warning: {warning}", style="yellow")
    parts = ("problem_size", "problem_size_2")
    gives = [f"{part} ({parameter.name})" for part, parameter in zip(parts, laws.parameters, strict=False)]
    say(f'a study gives: {", ".join(gives)}, repetitions, and [tables.profile] file = "{file}"')


def at_point(laws: ProgramLaws, point: dict[str, float]) -> str:
    """Say what a point of laws is: its sizes, and how far it is from the runs."""
    values = laws.law_point(point)
    sizes = ", ".join(f"{size_law.size.name} = {shown(values[size_law.size.name], '1')}" for size_law in laws.sizes)
    return f"{sizes}: {laws.marks(point)}"


def _name(key: tuple[Any, ...]) -> str:
    return f"messages.bin {key[1] + 1}.{key[2]}" if key[0] == SIZES else name_of(key)
