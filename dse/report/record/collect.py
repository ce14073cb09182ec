"""Collecting what the page of a run shows: which designs, and their columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from dse.analysis.choose.choice import scaled_objectives
from dse.analysis.explain.sensitivity import sensitivities, size_of
from dse.errors import InputError, ModelError, RunFolderError
from dse.report.charts.shown_column import shown_column
from dse.report.record.details import Details, collect_details
from dse.report.record.limit_lines import limit_lines
from dse.report.record.neighbours import Neighbours, collect_neighbours
from dse.report.record.pictures import collect_pictures
from dse.report.record.references import collect_references
from dse.report.record.view import (
    AxisView,
    EffectView,
    ExtraView,
    ObjectiveView,
    PageView,
    Pick,
    PictureView,
    ShortView,
    ValidationView,
)
from dse.report.words.how_sure import drawn_levels
from dse.report.words.shortlist import roles_of, short_list
from dse.report.words.uncertainty import levels, memberships
from dse.run.describe.margins import published_error
from dse.run.disk.folder import FRONTIER
from dse.run.result.how_sure import read_how_sure
from dse.run.result.uncertainty_account import read_uncertainty
from dse.search.frontier.pareto import to_minimise
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.disk.manifest import AxisAccount
    from dse.run.result.run import Run
    from dse.study.study import Study

__all__ = ["page_view"]

ROWS = 80_000  # designs on the page
NUMBERS = 600_000  # figures of designs behind the frontier: with many objectives there are fewer designs
FRONT = 20_000  # of them at most on the frontier
EFFECTS = 5  # inputs with the largest effects on an objective, told of the designs of the short list
DETAILED = 2_000  # designs of the frontier with a breakdown, and drawn as points that can be selected
DETAIL_BYTES = 1_500_000  # breakdowns of all other designs come with the page when they need no more
_GONE = (InputError, ModelError, RunFolderError)


def page_view(run: Run) -> PageView:
    """Collect what the page of a run shows."""
    frame = run.frontier
    order, picks = _front_rows(run)
    front = frame.iloc[order].reset_index(drop=True)
    study, why = _study(run)
    cloud, note = _cloud(run, min(ROWS, NUMBERS // len(run.objectives)) - len(front))
    numbers = np.concatenate([front["design"].to_numpy(np.int64), cloud["design"]])
    kinds = np.concatenate([np.zeros(len(front), np.uint8), np.where(cloud["feasible"], 1, 2).astype(np.uint8)])
    products = _products(study, numbers)
    alternatives = tuple(product.name for product in run.manifest.space.alternatives)
    axes = _axes(run, study, numbers, products, front, alternatives)
    details, missing = _details(study, why, numbers, len(front), len(frame))
    outside = front["extrapolated"].astype(str).tolist() + [""] * len(cloud["design"])
    if details is not None and details.rows == len(numbers):
        outside[len(front) :] = details.extrapolated[len(front) :]
    # Alternatives may name the same quantities in other orders.
    outside = [", ".join(sorted(text.split(", "))) for text in outside]
    texts = ("", *dict.fromkeys(text for text in outside if text))
    code = {text: place for place, text in enumerate(texts)}
    if len(front) < len(frame):
        kept = (
            f"{format_number(len(front))} of the {format_number(len(frame))} designs of the frontier are on this page."
        )
        note = f"{kept} {note}"
    pictures, looks = _pictures(run, study, front, numbers, products, picks)
    folder = str(run.folder) if run.folder is not None else None
    return PageView(
        run.name,
        run.exact,
        bool(run.manifest.synthetic),
        alternatives,
        tuple(run.manifest.constraints_text),
        numbers,
        run.ranks[order] + 1,
        kinds,
        np.concatenate([np.full(len(front), -1, np.int64), cloud["violated"]]),
        products,
        tuple(_objective(run, entry, front, cloud) for entry in run.objectives),
        axes,
        _extras(run, front),
        texts,
        np.array([code[text] for text in outside], dtype=np.int64),
        details,
        picks,
        len(frame),
        len(numbers) == run.manifest.space.designs,
        (note,),
        missing,
        "" if folder is None else f"dse explain {shlex.quote(folder)} --number",
        f"{folder}/{FRONTIER}" if folder is not None else f"Run.frontier; {FRONTIER} of a run with a folder",
        pictures,
        looks,
        collect_references(run, study),
        _short(run, study, numbers, order),
        tuple(_validations(run, study, numbers, products, front)),
        run.manifest.labels,
        _errors(run, study),
        limit_lines(study.compiled) if study is not None else (),
        _neighbours(study, numbers, kinds),
        *_sure(run, front),
    )


# ---- which designs --------------------------------------------------------------------------------------------------


def _front_rows(run: Run) -> tuple[np.ndarray, tuple[Pick, ...]]:
    """Choose the rows of the frontier for the page, those with details first, and the designs to propose."""
    frame, roles = run.frontier, roles_of(run)
    if not roles:
        return np.zeros(0, dtype=np.int64), ()
    objective = run.objectives[0]
    first_objective = to_minimise(frame[[objective["quantity"]]].to_numpy(dtype=float), [objective["sense"]])[:, 0]
    needed = [role.row for role in roles]
    kept = _spread(first_objective, FRONT, needed)
    first = kept[_spread(first_objective[kept], DETAILED, np.searchsorted(kept, needed).tolist())]
    order = np.concatenate([first, np.setdiff1d(kept, first)])
    where = {int(row): place for place, row in enumerate(order[: len(first)])}
    return order, tuple(Pick(role.name, role.told, where[role.row]) for role in roles)


def _spread(values: np.ndarray, most: int, needed: Sequence[int]) -> np.ndarray:
    """Return at most about `most` positions, evenly by value, and the needed ones; in their order."""
    if len(values) <= most:
        return np.arange(len(values))
    ranked = np.argsort(values, kind="stable")
    even = ranked[np.linspace(0, len(values) - 1, max(most - len(needed), 2)).astype(np.int64)]
    return np.unique(np.concatenate([even, np.asarray(needed, dtype=np.int64)]))


def _short(run: Run, study: Study | None, numbers: np.ndarray, order: np.ndarray) -> ShortView:
    """Return the short list with the rows of the page its designs have, and what a percent more would change there."""
    listed = short_list(run)
    where = {int(row): place for place, row in enumerate(order)}
    rows = tuple(where.get(line.row, -1) for line in listed.lines)
    effects = tuple(_effects(study, int(numbers[row])) if row >= 0 and study is not None else () for row in rows)
    return ShortView(listed, rows, effects)


def _effects(study: Study, number: int) -> tuple[tuple[EffectView, ...], ...]:
    """Return, for each objective, the inputs of a design with the largest effects on it."""
    try:
        known = sensitivities(study.compiled, study.declarations, number)
    except _GONE:  # a model that cannot be evaluated a little away from the design
        return ()
    effects = []
    for objective in study.compiled.objectives:
        own = [(row, effect) for row in known if (effect := row["effects"].get(objective.quantity)) is not None]
        felt = [
            EffectView(
                row["input"],
                row["value"],
                row["unit"],
                effect["elasticity"] or 0.0,
                effect["kind"],
                effect["below"]["elasticity"] if effect["below"] else None,
                effect["one_sided"],
            )
            for row, effect in sorted(own, key=lambda pair: -size_of(pair[1]))
            if size_of(effect)
        ]
        effects.append(tuple(felt[:EFFECTS]))
    return tuple(effects)


def _study(run: Run) -> tuple[Study | None, str]:
    try:
        return run.study, ""
    except _GONE as error:
        return None, str(error)


def _cloud(run: Run, room: int) -> tuple[dict[str, np.ndarray], str]:
    """Return the designs behind the frontier, without those on it, and what is said of them."""
    names = [objective["quantity"] for objective in run.objectives]
    try:
        sample = run.sample
    except _GONE:  # not stored, and the study can no longer be evaluated
        empty: dict[str, np.ndarray] = {name: np.zeros(0) for name in names}
        whole = {"design": np.zeros(0, np.int64), "feasible": np.zeros(0, bool), "violated": np.zeros(0, np.int64)}
        return empty | whole, "Only the frontier is shown."
    numbers = sample["design"].to_numpy(np.int64)
    rest = np.flatnonzero(~np.isin(numbers, run.frontier["design"].to_numpy(np.int64)))
    drawn = rest
    if len(rest) > room:
        drawn = rest[np.linspace(0, len(rest) - 1, room).astype(np.int64)]
    columns = {name: sample[name].to_numpy(dtype=float)[drawn] for name in names}
    columns["design"] = numbers[drawn]
    columns["feasible"] = sample["feasible"].to_numpy(dtype=bool)[drawn]
    known = "violated" in sample.columns
    columns["violated"] = sample["violated"].to_numpy(np.int64)[drawn] if known else np.full(len(drawn), -1, np.int64)
    designs = run.manifest.space.designs
    if len(sample) == designs and len(drawn) == len(rest):
        return columns, f"All {format_number(designs)} designs of the space are on this page."
    shown = format_number(len(drawn))
    return columns, f"Behind the frontier: a random sample of {shown} of {format_number(designs)} designs."


def _products(study: Study | None, numbers: np.ndarray) -> np.ndarray:
    if study is None:
        return np.zeros(len(numbers), dtype=np.int64)
    return np.searchsorted(np.asarray(study.space.offsets, dtype=np.int64), numbers, side="right") - 1


# ---- their columns --------------------------------------------------------------------------------------------------


def _objective(
    run: Run, entry: Mapping[str, str], front: pd.DataFrame, cloud: Mapping[str, np.ndarray]
) -> ObjectiveView:
    name, sense = entry["quantity"], entry["sense"]
    shown = shown_column(run, name)
    every = np.sort(run.frontier[name].to_numpy(dtype=float) * (1.0 if sense == "min" else -1.0))
    here = front[name].to_numpy(dtype=float)
    ranks = np.searchsorted(every, here if sense == "min" else -here, side="left") + 1
    best, worst = (float(every[0]), float(every[-1])) if len(every) else (0.0, 0.0)
    if sense == "max":
        best, worst = -best, -worst
    values = np.concatenate([here, cloud[name]])
    return ObjectiveView(
        name, sense, entry["unit"], shown.scale, shown.unit, _docs(run).get(name, ""), values, ranks, best, worst
    )


def _errors(run: Run, study: Study | None) -> tuple[tuple[float | None, ...], ...]:
    """Return the published mean relative error of each objective, by alternative; None where none is published."""
    names = [objective["quantity"] for objective in run.objectives]
    if study is None:
        return tuple((None,) for _ in names)
    systems = study.compiled.systems
    known = [[published_error(system, name) for system in systems] for name in names]
    return tuple(tuple(None if error is None else error.mean for error in errors) for errors in known)


def _docs(run: Run) -> dict[str, str]:
    return {line.quantity: line.doc for line in run.manifest.sources}


def _axes(
    run: Run,
    study: Study | None,
    numbers: np.ndarray,
    products: np.ndarray,
    front: pd.DataFrame,
    alternatives: Sequence[str],
) -> tuple[AxisView, ...]:
    """Return the axes that vary; where the study is gone, as the frontier has them."""
    views = []
    if len(alternatives) > 1:
        codes = products
        if study is None:
            place = {name: number for number, name in enumerate(alternatives)}
            codes = np.full(len(numbers), len(alternatives), dtype=np.int64)
            codes[: len(front)] = [place.get(name, len(alternatives)) for name in front["alternative"]]
        views.append(
            AxisView("alternative", TEXT, 1.0, "", "Alternative of the space", tuple(alternatives), None, codes)
        )
    docs = _docs(run)
    every = run.manifest.space.axes
    kept: set[str] = set()
    for name, of in _names(every):
        rows, entries, unit = _entries(study, of or name, numbers, products, front, aspect="confidence" if of else "")
        texts, values = None, None
        codes = np.full(len(numbers), -1, dtype=np.int64)
        if unit == TEXT:
            place = {text: number for number, text in enumerate(dict.fromkeys(entries.tolist()))}
            texts = tuple(place)
            codes[rows] = [place[text] for text in entries]
            many, scale, shown = len(texts), 1.0, ""
        else:
            values, codes[rows] = np.unique(entries.astype(float), return_inverse=True)
            many = len(values)
            scale, shown = display_unit(unit, float(np.abs(values).max()) if many else 0.0)
        missing = codes < 0
        if many + bool(missing.any()) > 1 or of in kept:
            codes[missing] = many
            kept.add(name)
            doc = f"How sure the figures of '{of}' are" if of else docs.get(name, "")
            views.append(AxisView(name, unit, scale, shown, doc, texts, values, codes, of))
    return tuple(views)


def _names(axes: Sequence[AxisAccount]) -> list[tuple[str, str]]:
    """Return the axes, each once, and after a part whose catalogue tells it its confidence, with whose it is."""
    sure = {axis.name for axis in axes if axis.confidences}
    names = []
    for name in dict.fromkeys(axis.name for axis in axes):
        names.append((name, ""))
        if name in sure:
            names.append((f"{name}_confidence", name))
    return names


def _entries(
    study: Study | None,
    name: str,
    numbers: np.ndarray,
    products: np.ndarray,
    front: pd.DataFrame,
    *,
    aspect: Literal["", "confidence", "validation"] = "",
) -> tuple[np.ndarray, np.ndarray, str]:
    """Return which rows have the axis, its entry in each (in the order of the axis, for texts), and its unit.

    With `aspect`, the entry is what is told of the part.
    """
    if study is None:
        name = f"{name}_{aspect}" if aspect else name
        column, unit = front[name], front.attrs.get("units", {}).get(name, "1")
        if column.dtype.kind not in "biuf" or unit == TEXT:
            rows = np.flatnonzero((column != "").to_numpy())
            return rows, column.to_numpy(dtype=object)[rows], TEXT
        rows = np.flatnonzero(column.notna().to_numpy())
        return rows, column.to_numpy(dtype=float)[rows], unit
    places: list[np.ndarray] = []
    entries: list[np.ndarray] = []
    unit = "1"
    for index, product in enumerate(study.space.products):
        for position, axis in enumerate(product.axes):
            entry, known = {
                "": (axis.label, True),
                "confidence": (axis.confidence, bool(axis.confidences)),
                "validation": (axis.validation, bool(axis.validations)),
            }[aspect]
            if axis.name != name or not known:
                continue
            text = axis.is_part or axis.units[name] == TEXT
            unit = TEXT if text else axis.units[name]
            here = np.flatnonzero(products == index)
            chosen = (numbers[here] - study.space.offsets[index]) // product.strides[position] % len(axis)
            if text:  # in the order of the catalogue
                here = here[np.argsort(chosen, kind="stable")]
                used, back = np.unique(chosen, return_inverse=True)
                labels = np.array([entry(int(row)) for row in used], dtype=object)
                chosen_entries = labels[np.sort(back)]
            else:
                chosen_entries = axis.columns[name][chosen]
            places.append(here)
            entries.append(chosen_entries)
    return np.concatenate(places), np.concatenate(entries), unit


def _validations(
    run: Run, study: Study | None, numbers: np.ndarray, products: np.ndarray, front: pd.DataFrame
) -> Iterator[ValidationView]:
    """Return what is told of the parts of each axis: which of them a row has, and its text."""
    for axis, column in run.validation_columns.items():
        label_of = np.full(len(numbers), "", dtype=object)
        text_of = label_of.copy()
        rows, label_of_rows, _ = _entries(study, axis, numbers, products, front)
        label_of[rows] = label_of_rows
        rows, text_of_rows, _ = _entries(study, axis, numbers, products, front, aspect="validation")
        text_of[rows] = text_of_rows
        pairs = list(zip(label_of.tolist(), text_of.tolist(), strict=True))
        code = {pair: place for place, pair in enumerate(dict.fromkeys(pair for pair in pairs if pair[1]))}
        codes = np.array([code.get(pair, len(code)) for pair in pairs], dtype=np.int64)
        yield ValidationView(axis, column, tuple(part for part, _ in code), tuple(text for _, text in code), codes)


def _sure(run: Run, front: pd.DataFrame) -> tuple[np.ndarray | None, str]:
    """Return how sure each design is to be on the frontier, and what the surest are called."""
    designs, trust = front["design"].tolist(), read_uncertainty(run)
    if trust is not None:
        return np.array(levels(trust, designs), dtype=np.int64), "certain"
    sure = read_how_sure(run)
    if sure is None or not sure.frontier:
        return None, ""
    return np.array(drawn_levels(sure, designs), dtype=np.int64), "in nearly every draw"


def _extras(run: Run, front: pd.DataFrame) -> tuple[ExtraView, ...]:
    docs, views = _docs(run), []
    units = run.frontier.attrs.get("units", {})
    for name in run.manifest.also:
        if name not in front.columns or name in {o["quantity"] for o in run.objectives}:
            continue
        shown = shown_column(run, name)
        unit = units.get(name) or run.units.get(name, "1")
        texts = None if shown.numeric else tuple(str(value) for value in front[name])
        values = front[name].to_numpy(dtype=float) if shown.numeric else None
        views.append(ExtraView(name, unit, shown.scale, shown.unit, docs.get(name, ""), texts, values))
    trust = read_uncertainty(run)
    if trust is not None:
        meaning = "certain, or the probability that it is on the frontier while some numbers are not known"
        sure = tuple(memberships(trust, front["design"].tolist()))
        views.append(ExtraView("how_sure", TEXT, 1.0, "", meaning, sure, None))
    return tuple(views)


def _details(
    study: Study | None, why: str, numbers: np.ndarray, front: int, frontier: int
) -> tuple[Details | None, str]:
    """Return the details of as many designs as the page has room for, and what is said of the others."""
    if study is None:
        return None, f"No breakdown: {why}."
    count = min(front, DETAILED)
    details = collect_details(study.compiled, numbers[:count] if count else numbers[:1])
    each = details.bytes / max(details.rows, 1)
    if count == front and len(numbers) > front and each * len(numbers) <= DETAIL_BYTES:
        details = collect_details(study.compiled, numbers)
        if details.bytes <= DETAIL_BYTES:
            return details, ""
        details = collect_details(study.compiled, numbers[:front])
    if not count:
        return None, ""
    held = f"The page holds breakdowns of {format_number(count)} of {format_number(frontier)} designs of the frontier"
    return details, f"{held}; the command below shows that of any design."


def _neighbours(study: Study | None, numbers: np.ndarray, kinds: np.ndarray) -> Neighbours | None:
    if study is None:
        return None
    try:
        return collect_neighbours(study.compiled, numbers, kinds)
    except _GONE:  # a model that cannot be evaluated one step away from a design that it was asked about
        return None


def _pictures(
    run: Run,
    study: Study | None,
    front: pd.DataFrame,
    numbers: np.ndarray,
    products: np.ndarray,
    picks: Sequence[Pick],
) -> tuple[tuple[PictureView, ...], int]:
    """Return the pictures of the frontier's designs, and how many different ones there are."""
    count = len(front)
    if study is None or not count:
        return (), 0
    values = front[[objective["quantity"] for objective in run.objectives]].to_numpy(dtype=float)
    distances = scaled_objectives(values, [objective["sense"] for objective in run.objectives]).sum(axis=1)
    return collect_pictures(study, numbers[:count], products[:count], distances, [pick.row for pick in picks])
