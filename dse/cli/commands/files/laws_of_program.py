"""What a study of the template codesign needs to know of a file of laws: its name, and sizes that are near its runs."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TypedDict

from dse.errors import InputError, shown

__all__ = ["words_of_laws"]

_SHIPPED = "codesign/cg.laws.json"
_SCHEMA = "dse-profile-laws/1"
_RANKS = (256.0, 32768.0)
"""Least and most ranks of the space of the template: 64 nodes of 4 cores, 1,024 of 32."""

_FAR = 64.0
_FACTORS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_STEPS = range(1, 25)
_NAMES = ("problem_size", "problem_size_2")


class _Parameter(TypedDict):
    name: str
    largest: float


class _Size(TypedDict):
    expression: str
    least: float
    largest: float


class _Laws(TypedDict):
    schema: str
    parameters: list[_Parameter]
    sizes: list[_Size]
    threads: int


def words_of_laws(profile: Path | None, study: Path) -> dict[str, str]:
    """Return what stands for the marks of the template.

    Raises
    ------
    InputError
        No file of laws, one that is not beside the study, or one with more than two parameters.
    """
    shipped = profile is None
    place = Path(str(files("dse.spaces"))) / _SHIPPED if profile is None else profile
    laws = _read(place)
    names = [item["name"] for item in laws["parameters"]]
    if not 1 <= len(names) <= len(_NAMES):
        raise InputError(f"the program has {len(names)} parameters", file=place, allowed="one or two")
    chosen = _near_the_runs(laws)
    lines = [f"{key} = {chosen[name]:.12g}  # {name}" for key, name in zip(_NAMES, names, strict=False)]
    return {"@PROFILE@": _SHIPPED if shipped else _beside(place, study), "@SIZES@": "\n".join(lines)}


def _read(place: Path) -> _Laws:
    try:
        document: _Laws = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=place, key="--profile") from None
    except ValueError as error:
        raise InputError(f"is not valid JSON: {error}", file=place, key="--profile") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != _SCHEMA:
        raise InputError(f"is {shown(schema)}", file=place, key="--profile", allowed=f"{_SCHEMA}, by dse profile fit")
    return document


def _beside(place: Path, study: Path) -> str:
    folder = study.resolve().parent
    try:
        return str(place.resolve().relative_to(folder))
    except ValueError:
        raise InputError(
            "is not beside the study", file=place, key="--profile", allowed=f"a file in {folder}"
        ) from None


def _near_the_runs(laws: _Laws) -> dict[str, float]:
    """Return the largest problem whose sizes lie within 64 times the runs for all ranks, or else the nearest one."""
    best = {item["name"]: float(item["largest"]) for item in laws["parameters"]}
    first = laws["parameters"][0]["name"]
    largest = best[first]
    candidates = [*(largest * factor for factor in _FACTORS), *(largest + step for step in _STEPS)]
    far = {value: _distance(laws, {**best, first: value}) for value in candidates}
    good = [value for value in candidates if far[value] <= _FAR]
    return {**best, first: max(good) if good else min(candidates, key=lambda value: far[value])}


def _distance(laws: _Laws, values: dict[str, float]) -> float:
    """Return how many times outside the runs a problem lies at most."""
    import numpy as np

    from dse.graph.expression import names_in, parse

    worst = 1.0
    for size in laws["sizes"]:
        expression = parse(size["expression"], dict.fromkeys(names_in(size["expression"]), "1"))
        for ranks in _RANKS:
            point = {**values, "processes": ranks, "threads": float(laws.get("threads", 1))}
            value = float(np.ravel(expression(*(np.array([point[need]]) for need in expression.needs)))[0])
            if not (np.isfinite(value) and value >= 1.0):
                return float("inf")
            worst = max(worst, value / size["largest"], size["least"] / value)
    return worst
