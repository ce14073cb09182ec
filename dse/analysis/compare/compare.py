"""The comparison: ratios to the first system, distance to each frontier, and what changed between two runs."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dse.analysis.compare.compared_systems import ComparedSystem, read_system, system_of_reference, system_of_row
from dse.analysis.compare.comparison import Changes, Comparison, Distance, Moved, Nearest, RunSummary
from dse.errors import InputError, one_of
from dse.evaluation.reference_records import find_reference
from dse.run.disk.folder import MANIFEST, RunFolder
from dse.run.result.design_names import name_of, row_named
from dse.run.result.run import Run
from dse.search.frontier.pareto import to_minimise
from dse.study.file.reading import parse_toml
from dse.units import TEXT

__all__ = ["compare", "compare_runs"]

_SHOWN_MOVES = 50


def compare(items: Sequence[str], *, allow_code: bool = False) -> Comparison:
    """Compare runs, rows of frontiers, references and candidate files.

    Parameters
    ----------
    items : sequence of str
        ``runs/a`` (a run), ``runs/a:A3`` (a design of its frontier by name, ``runs/a:2`` by row), ``NAME`` or
        ``runs/a:NAME`` (a reference of the runs, or of this one), ``machine.toml`` (a candidate file). A run stands for
        the best designs of its frontier where no row and no file is named.
    allow_code : bool
        Whether model files may be run that a run without this user's seal or a candidate file names.
    """
    if not items:
        raise InputError("there is nothing to compare", allowed="runs/a, runs/a:A3, NAME of a reference, machine.toml")
    parsed = [_Item.of(item) for item in items]
    runs: dict[str, Run] = {}
    for item in parsed:
        if item.run and item.run not in runs:
            runs[item.run] = Run.load(item.run, allow_code=allow_code)
    if not runs and any(item.kind == "reference" for item in parsed):
        Run.load(next(item.text for item in parsed if item.kind == "reference"))  # says that this is no run
    plain = [item.run for item in parsed if item.kind == "run"]
    expanded = not any(item.kind in ("row", "file") for item in parsed)
    first = next(iter(runs.values()), None)
    candidates = []
    for item in parsed:
        if item.kind == "file":
            beside = list(runs.values())
            candidates.append(read_system(Path(item.text), first, runs=beside, allow_code=allow_code))
        elif item.kind == "row":
            row = row_named(runs[item.run], item.text)
            candidates.append(system_of_row(runs[item.run], row, f"{Path(item.run).name}:{item.text}"))
        elif item.kind == "reference":
            candidates += _references({item.run: runs[item.run]} if item.run else runs, item.text)
        elif expanded:
            candidates += _bests(runs[item.run], len(plain) > 1)
    return _comparison(candidates, runs, _changes(runs[plain[0]], runs[plain[1]]) if len(plain) == 2 else None)


def compare_runs(*runs: Run) -> Comparison:
    """Compare runs, in memory or on disk: the best designs of each, and of two what changed from first to second."""
    if not runs:
        raise InputError("there is nothing to compare", allowed="runs")
    named: dict[str, Run] = {}
    for run in runs:
        name = str(run.folder or run.name)
        while name in named:
            name += "'"
        named[name] = run
    candidates = [best for run in runs for best in _bests(run, len(runs) > 1)]
    return _comparison(candidates, named, _changes(*runs) if len(runs) == 2 else None)


def _comparison(candidates: list[ComparedSystem], runs: Mapping[str, Run], changes: Changes | None) -> Comparison:
    objectives = {o["quantity"]: o for run in runs.values() for o in run.objectives}
    return Comparison(
        candidates,
        [_summary(run, name) for name, run in runs.items()],
        list(objectives.values()),
        _also(candidates, list(runs.values()), objectives),
        _ratios(candidates, list(objectives)),
        [[_distance(candidate, run) for run in runs.values()] for candidate in candidates],
        changes,
    )


_ROW = re.compile(r"-?[0-9]+|[Aa][0-9]+")


class _Item(NamedTuple):
    """What was asked for: a "run", a "row" or a "reference" of it (of any run, where `run` is empty), or a "file"."""

    kind: str
    run: str
    text: str

    @classmethod
    def of(cls, item: str) -> _Item:
        if item.endswith(".toml"):
            return cls("file", "", item)
        for place in (place for place, letter in enumerate(item) if letter == ":"):
            if place and not Path(item).exists() and RunFolder(item[:place]).readable:
                run, rest = item[:place], item[place + 1 :]
                return cls("row" if _ROW.fullmatch(rest) else "reference", run, rest)
        name, colon, row = item.rpartition(":")
        if colon and _ROW.fullmatch(row) and not Path(item).exists():
            return cls("row", name, row)
        if Path(item).exists() or Path(item).name != item:
            return cls("run", item, "")
        return cls("reference", "", item)


def _references(runs: Mapping[str, Run], name: str) -> list[ComparedSystem]:
    """Return a reference by its name, once for every run that has it."""
    names = {folder: [reference["name"] for reference in run.references] for folder, run in runs.items()}
    references: list[tuple[str, str]] = []
    for folder, having in names.items():
        if any(known.casefold() == name.casefold() for known in having):
            references.append((folder, having[find_reference(having, name)]))
    if not references:
        every = list(dict.fromkeys(known for having in names.values() for known in having))
        raise InputError(
            f"'{name}' is neither a run nor a reference of {' or '.join(runs)}",
            allowed=one_of(every) if every else "none, the study has no references",
            wrong=name,
            candidates=[*every, *(file.parent.name for file in sorted(Path().glob(f"*/{MANIFEST}")))],
        )
    several = len(references) > 1
    return [
        system_of_reference(runs[folder], reference, f"{reference} ({folder})" if several else reference)
        for folder, reference in references
    ]


def _also(
    candidates: Sequence[ComparedSystem], runs: Sequence[Run], objectives: Mapping[str, object]
) -> list[dict[str, str]]:
    """Return what else is shown: quantities of the studies, and those with a measured figure; numbers only."""
    shown = [name for run in runs for name in run.manifest.also]
    shown += [name for candidate in candidates for name in candidate.beside]
    units = {name: unit for run in reversed(runs) for name, unit in run.units.items()}
    return [
        {"quantity": name, "unit": units[name]}
        for name in dict.fromkeys(shown)
        if name not in objectives and units.get(name, TEXT) != TEXT
    ]


def _bests(run: Run, several: bool) -> list[ComparedSystem]:
    """Return the best design by each objective of a run, each once."""
    rows: dict[int, list[str]] = {}
    for objective in run.objectives:
        values = run.frontier[objective["quantity"]].to_numpy(dtype=float)
        if len(values):
            row = int(np.argmin(values) if objective["sense"] == "min" else np.argmax(values))
            rows.setdefault(row, []).append(objective["quantity"])
    prefix = f"{run.folder.name if run.folder else run.name} " if several else ""
    return [system_of_row(run, row, f"{prefix}best {', '.join(names)}") for row, names in rows.items()]


def _summary(run: Run, folder: str) -> RunSummary:
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
        "headline": run.headline,
        "designs": run.manifest.space.designs,
        "frontier": len(run.frontier),
        "best": best,
        "synthetic": run.manifest.synthetic,
        "derived_from": None if run.manifest.derived_from is None else run.manifest.derived_from.as_dict(),
    }


def _ratios(candidates: Sequence[ComparedSystem], objectives: Sequence[str]) -> list[dict[str, float]]:
    rows = []
    for candidate in candidates:
        ratios = {}
        for name in objectives:
            base = next((c.values[name] for c in candidates if c.values.get(name)), None)
            if base and candidate.values.get(name) is not None:
                ratios[name] = candidate.values[name] / base
        rows.append(ratios)
    return rows


def _distance(candidate: ComparedSystem, run: Run) -> Distance | None:
    """Return how far a candidate is from a frontier, None when an objective is unknown.

    A design of the frontier beats the candidate by the least of the ratios of their objectives, so the candidate has to
    improve in every objective by the largest of these to be beaten by none.
    """
    names = [o["quantity"] for o in run.objectives]
    if not len(run.frontier) or any(candidate.values.get(name) is None for name in names):
        return None
    senses = [o["sense"] for o in run.objectives]
    here = np.array([float(candidate.values[name]) for name in names])
    points = run.frontier[names].to_numpy(dtype=float)
    factor = None
    if (here > 0).all() and (points > 0).all():
        worse = np.where([s == "min" for s in senses], here / points, points / here)
        factor = float(worse.min(axis=1).max())
    point, many = to_minimise(here[None, :], senses)[0], to_minimise(points, senses)
    beating = np.flatnonzero((many <= point).all(axis=1) & (many < point).any(axis=1))
    nearest: Nearest | None = None
    if len(beating):
        scale = np.maximum(np.abs(point), 1e-300)
        row = int(beating[np.argmin(np.max(np.abs(many[beating] - point) / scale, axis=1))])
        nearest = {
            "row": row,
            "name": name_of(run, row),
            "design": int(run.frontier["design"].iloc[row]),
            "objectives": {name: float(run.frontier[name].iloc[row]) for name in names},
        }
    equal = bool((many == point).all(axis=1).any())
    beats = bool(((point <= many).all(axis=1) & (point < many).any(axis=1)).any())
    inside = bool((many.min(axis=0) <= point).all())
    return {
        "run": str(run.folder or run.name),
        "factor": factor,
        "on_frontier": equal,
        "between": inside and not (equal or beats or nearest),
        "dominated_by": nearest,
    }


def _changes(old: Run, new: Run) -> Changes:
    """Return what entered, left and moved between two runs, and what of their inputs changed."""
    before, after = _by_parameters(old), _by_parameters(new)
    names = [o["quantity"] for o in old.objectives if o in new.objectives]
    moved: list[Moved] = []
    for key, values in after.items():
        if key in before and any(before[key][name] != values[name] for name in names):
            moved.append(
                {
                    "parameters": dict(key) | _confidences(values),
                    "before": {name: before[key][name] for name in names},
                    "after": {name: values[name] for name in names},
                }
            )
    hashes = {**old.manifest.hashes, **new.manifest.hashes}
    different = [name for name in hashes if old.manifest.hashes.get(name) != new.manifest.hashes.get(name)]
    lines = difflib.unified_diff(*_study_lines(old, new), "before", "after", "", "", 0, "")
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


def _study_lines(old: Run, new: Run) -> tuple[list[str], list[str]]:
    """Return the texts of two studies by line: as written, or with a key to a line where one has no file of its own."""
    texts = [run.manifest.study_text for run in (old, new)]
    if not any(text.startswith("{") for text in texts):
        return texts[0].splitlines(), texts[1].splitlines()
    first, second = (list(_entries(_document(text))) for text in texts)
    return first, second


def _document(text: str) -> Mapping[str, object]:
    return json.loads(text) if text.startswith("{") else parse_toml(text, None)


def _entries(value: object, key: str = "") -> Iterator[str]:
    """Return every key of a document with its value, as one line; a list of texts or tables has a line for each."""
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _entries(item, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(item, (str, Mapping)) for item in value) and "space" not in key:
        for item in value:
            yield f"{key}: {json.dumps(item)}"
    else:
        yield f"{key} = {json.dumps(value, default=str)}"


def _by_parameters(run: Run) -> dict[tuple, dict[str, str | float]]:
    frame = run.frontier
    names = [o["quantity"] for o in run.objectives]
    axes = {axis.name for axis in run.manifest.space.axes}
    keys = [column for column in frame.columns if column in axes or column == "alternative"]
    sure = [column for column in run.axis_names if column not in keys]
    designs: dict[tuple, dict[str, str | float]] = {}
    for record in frame.to_dict("records"):
        key = tuple((name, record[name]) for name in keys if record[name] == record[name] and record[name] != "")
        sure_of = {name: record[name] for name in sure if record[name]}
        designs[key] = {**sure_of, **{name: float(record[name]) for name in names}}
    return designs


def _confidences(values: Mapping[str, object]) -> dict[str, str]:
    return {name: value for name, value in values.items() if isinstance(value, str)}
