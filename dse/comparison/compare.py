"""The comparison: ratios to the first system, distance to each frontier, and what changed between two runs."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dse.comparison.candidates import Candidate, candidate_of_row, read_candidate
from dse.errors import InputError
from dse.frontier import to_minimise
from dse.run import Run
from dse.units import with_unit

__all__ = ["Comparison", "compare"]

_SHOWN_MOVES = 50


@dataclass(frozen=True)
class Comparison:
    """Everything a comparison shows; table, page and JSON are made of it.

    Attributes
    ----------
    candidates : list of Candidate
    runs : list of dict
        Name, folder, size of the frontier and best value of each objective.
    objectives : list of dict
        Quantity, sense, unit of the objectives of all runs, each once.
    ratios : list of dict
        Per candidate, objective to its ratio to the first candidate that has it.
    distances : list of list of dict
        Per candidate and run: ``factor`` by which every objective would have to improve to reach the frontier (1: on
        it, below 1: beyond it) and the nearest dominating design.
    changes : dict or None
        For two runs: designs that entered, left and moved, and what of the study, models and tables changed.
    """

    candidates: list[Candidate]
    runs: list[dict[str, Any]]
    objectives: list[dict[str, str]]
    ratios: list[dict[str, float]]
    distances: list[list[dict[str, Any] | None]]
    changes: dict[str, Any] | None

    def distance_rows(self) -> list[list[str]]:
        """Return, in words, how far each system is from each frontier: system, frontier, distance, beaten by."""
        units = {o["quantity"]: o["unit"] for o in self.objectives}
        rows = []
        for candidate, distances in zip(self.candidates, self.distances, strict=True):
            for distance in distances:
                if distance is None:
                    continue
                factor, near = distance["factor"], distance["dominated_by"]
                if distance["on_frontier"]:
                    told = "on it"
                elif factor is None:
                    told = "–"
                else:
                    told = f"{factor:.4g}× away" if factor > 1 else f"beyond it ({factor:.4g}×)"
                values = (
                    ", ".join(f"{n} {with_unit(v, units[n])}" for n, v in near["objectives"].items()) if near else ""
                )
                beaten = f"row {near['row']}: {values}" if near else "nothing"
                if candidate.feasible is False:
                    beaten += " (but it breaks a constraint)"
                rows.append([candidate.name, distance["run"], told, beaten])
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def compare(items: Sequence[str]) -> Comparison:
    """Compare runs, rows of frontiers and candidate files.

    Parameters
    ----------
    items : sequence of str
        ``runs/a`` (a run), ``runs/a:3`` (row 3 of its frontier), ``machine.toml`` (a candidate file).
    """
    if not items:
        raise InputError("there is nothing to compare", allowed="runs/a, runs/a:3, machine.toml")
    runs: dict[str, Run] = {}
    plain: list[str] = []
    parsed: list[tuple[str, int | None]] = []
    for item in items:
        name, row = _split(item)
        parsed.append((name, row))
        if not name.endswith(".toml") and name not in runs:
            runs[name] = Run.load(name)
        if not name.endswith(".toml") and row is None:
            plain.append(name)
    first = next(iter(runs.values()), None)
    candidates = []
    for name, row in parsed:
        if name.endswith(".toml"):
            candidates.append(read_candidate(Path(name), first))
        elif row is not None:
            candidates.append(candidate_of_row(runs[name], row, f"{Path(name).name}:{row}"))
    if not candidates:
        for name in plain:
            candidates += _bests(runs[name], len(plain) > 1)
    objectives = {o["quantity"]: o for run in runs.values() for o in run.objectives}
    changes = _changes(runs[plain[0]], runs[plain[1]]) if len(plain) == 2 else None
    return Comparison(
        candidates,
        [_summary(run, name) for name, run in runs.items()],
        list(objectives.values()),
        _ratios(candidates, list(objectives)),
        [[_distance(candidate, run) for run in runs.values()] for candidate in candidates],
        changes,
    )


def _split(item: str) -> tuple[str, int | None]:
    name, colon, row = item.rpartition(":")
    if colon and row.lstrip("-").isdigit() and not Path(item).exists():
        return name, int(row)
    return item, None


def _bests(run: Run, several: bool) -> list[Candidate]:
    """Return the best design by each objective of a run, each once."""
    rows: dict[int, list[str]] = {}
    for objective in run.objectives:
        values = run.frontier[objective["quantity"]].to_numpy(dtype=float)
        if len(values):
            row = int(np.argmin(values) if objective["sense"] == "min" else np.argmax(values))
            rows.setdefault(row, []).append(objective["quantity"])
    prefix = f"{run.folder.name if run.folder else run.name} " if several else ""
    return [candidate_of_row(run, row, f"{prefix}best {', '.join(names)}") for row, names in rows.items()]


def _summary(run: Run, folder: str) -> dict[str, Any]:
    best = {}
    for objective in run.objectives:
        column = run.frontier[objective["quantity"]]
        best[objective["quantity"]] = (
            float(column.min() if objective["sense"] == "min" else column.max()) if len(column) else None
        )
    return {
        "name": run.name,
        "folder": folder,
        "exact": run.exact,
        "designs": run.manifest["space"]["designs"],
        "frontier": len(run.frontier),
        "best": best,
        "synthetic": run.manifest["synthetic"],
    }


def _ratios(candidates: Sequence[Candidate], objectives: Sequence[str]) -> list[dict[str, float]]:
    found = []
    for candidate in candidates:
        ratios = {}
        for name in objectives:
            base = next((c.values[name] for c in candidates if c.values.get(name)), None)
            if base and candidate.values.get(name) is not None:
                ratios[name] = candidate.values[name] / base
        found.append(ratios)
    return found


def _distance(candidate: Candidate, run: Run) -> dict[str, Any] | None:
    """Return how far a candidate is from a frontier, None when an objective is unknown or not positive."""
    names = [o["quantity"] for o in run.objectives]
    if not len(run.frontier) or any(candidate.values.get(name) is None for name in names):
        return None
    senses = [o["sense"] for o in run.objectives]
    here = np.array([float(candidate.values[name]) for name in names])
    points = run.frontier[names].to_numpy(dtype=float)
    factor = None
    if (here > 0).all() and (points > 0).all():
        worse = np.where([s == "min" for s in senses], here / points, points / here)
        factor = float(worse.max(axis=1).min())
    one, many = to_minimise(here[None, :], senses)[0], to_minimise(points, senses)
    beating = np.flatnonzero((many <= one).all(axis=1) & (many < one).any(axis=1))
    nearest = None
    if len(beating):
        scale = np.maximum(np.abs(one), 1e-300)
        row = int(beating[np.argmin(np.max(np.abs(many[beating] - one) / scale, axis=1))])
        nearest = {
            "row": row,
            "design": int(run.frontier["design"].iloc[row]),
            "objectives": {name: float(run.frontier[name].iloc[row]) for name in names},
        }
    equal = bool((many == one).all(axis=1).any())
    return {"run": str(run.folder or run.name), "factor": factor, "on_frontier": equal, "dominated_by": nearest}


def _changes(old: Run, new: Run) -> dict[str, Any]:
    """Return what entered, left and moved between two runs, and what of their inputs changed."""
    before, after = _by_parameters(old), _by_parameters(new)
    names = [o["quantity"] for o in old.objectives if o in new.objectives]
    moved = []
    for key, values in after.items():
        if key in before and any(before[key][name] != values[name] for name in names):
            moved.append(
                {
                    "parameters": dict(key) | _confidences(values),
                    "before": {name: before[key][name] for name in names},
                    "after": {name: values[name] for name in names},
                }
            )
    hashes = {**old.manifest["hashes"], **new.manifest["hashes"]}
    different = [name for name in hashes if old.manifest["hashes"].get(name) != new.manifest["hashes"].get(name)]
    lines = difflib.unified_diff(
        old.manifest["study_text"].splitlines(),
        new.manifest["study_text"].splitlines(),
        "before",
        "after",
        "",
        "",
        0,
        "",
    )
    entered = [dict(key) | values for key, values in after.items() if key not in before]
    left = [dict(key) | values for key, values in before.items() if key not in after]
    return {
        "units": {**new.units, **new.frontier.attrs.get("units", {})},
        "entered": entered[:_SHOWN_MOVES],
        "left": left[:_SHOWN_MOVES],
        "moved": moved[:_SHOWN_MOVES],
        "entered_count": len(entered),
        "left_count": len(left),
        "moved_count": len(moved),
        "stayed_count": sum(1 for key in after if key in before) - len(moved),
        "changed_inputs": different,
        "study_diff": [line for line in list(lines)[2:] if not line.startswith("@@")],
    }


def _by_parameters(run: Run) -> dict[tuple, dict[str, Any]]:
    frame = run.frontier
    names = [o["quantity"] for o in run.objectives]
    axes = {a["name"] for p in run.manifest["space"]["alternatives"] for a in p["axes"]}
    keys = [column for column in frame.columns if column in axes or column == "alternative"]
    sure = [column for column in run.axis_names if column not in keys]
    found: dict[tuple, dict[str, Any]] = {}
    for record in frame.to_dict("records"):
        key = tuple((name, record[name]) for name in keys if record[name] == record[name] and record[name] != "")
        told = {name: record[name] for name in sure if record[name]}
        found[key] = {**told, **{name: float(record[name]) for name in names}}
    return found


def _confidences(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: value for name, value in values.items() if isinstance(value, str)}
