"""A run: the frontier of a study as a table, the certificate, and what can be asked of it afterwards."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.errors import InputError, ModelError, RunFolderError
from dse.evaluation.reference_systems import find_reference
from dse.run.folder import FRONTIER, MANIFEST, SAMPLE, RunFolder, digest
from dse.run.manifest import make_manifest, outside_validity
from dse.search.driver import SearchOptions, search
from dse.units import TEXT, display_unit, format_number

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.tables import Frontier
    from dse.study.study import Study

__all__ = ["Run", "load_run", "run_study"]

_SAMPLE = 100_000


class Run:
    """The answer to a study.

    Attributes
    ----------
    frontier : Frontier
        A pandas table, one row per design of the frontier, by design number: ``design``, the axes (after a part whose
        catalogue says how sure it is, ``PART_confidence``), the objectives, what else the study shows, and
        ``extrapolated`` (what lies outside the range a model was validated on). SI, with the units in
        ``frontier.units``.
    manifest : dict
        Everything else: certificate, space, assumptions, sources, versions, timings.
    folder : Path or None
        Where it stands on disk.
    """

    def __init__(
        self,
        frontier: Frontier,
        manifest: dict[str, Any],
        *,
        study: Study | None = None,
        folder: Path | None = None,
        sample: pd.DataFrame | None = None,
    ) -> None:
        self.frontier, self.manifest, self.folder = frontier, manifest, folder
        self._study, self._sample = study, sample

    @classmethod
    def load(cls, folder: str | Path, study: Study | None = None) -> Run:
        """Read a run from its folder; one of a study built from objects with models of its own needs that study too."""
        return load_run(folder, study)

    @property
    def name(self) -> str:
        """Name of the study."""
        return str(self.manifest["name"])

    @property
    def exact(self) -> bool:
        """Whether the frontier is that of the whole space."""
        return bool(self.manifest["certificate"]["exact"])

    @property
    def objectives(self) -> list[dict[str, str]]:
        """Quantity, sense and unit of each objective."""
        return list(self.manifest["objectives"])

    @property
    def units(self) -> dict[str, str]:
        """SI unit of every quantity."""
        return dict(self.manifest["units"])

    @property
    def axis_names(self) -> list[str]:
        """The columns of the frontier that tell its designs apart: alternative, axes, confidences of parts."""
        axes = [axis["name"] for product in self.manifest["space"]["alternatives"] for axis in product["axes"]]
        told = [name for axis in axes for name in (axis, f"{axis}_confidence")]
        return [name for name in dict.fromkeys(["alternative", *told]) if name in self.frontier.columns]

    @property
    def references(self) -> list[dict[str, Any]]:
        """The systems beside the space: name, computed and measured values (SI), constraints, what is not known."""
        return list(self.manifest.get("references", []))

    @property
    def study(self) -> Study:
        """The study, made again from the text in the run.

        Raises
        ------
        RunFolderError
            The models or tables it used are gone or have changed.
        """
        if self._study is None:
            from dse.study.study import Study

            study = Study.from_text(
                self.manifest["study_text"], folder=self.manifest["study_folder"], file=self.manifest["study_file"]
            )
            self._refuse_changed(study)
            self._study = study
        return self._study

    def _refuse_changed(self, study: Study) -> None:
        now = study.hashes()
        changed = [name for name, digest in self.manifest["hashes"].items() if now.get(name) != digest]
        if changed:
            raise RunFolderError(
                f"changed since the run: {', '.join(changed)}; its designs cannot be evaluated as they were",
                file=self.folder,
                allowed="run the study again",
            )

    @property
    def sample(self) -> pd.DataFrame:
        """Objectives and feasibility of some designs (all of a small space), to draw the frontier against."""
        if self._sample is None and self.folder is not None:
            self._sample = RunFolder(self.folder).designs()
        if self._sample is None:
            self._sample = sample_designs(self.study)
        return self._sample

    def explain(self, row: int) -> dict[str, Any]:
        """Explain the design in a row of the frontier: breakdown, bounds, slacks, what a change would do, sources."""
        from dse.analysis.explain import explain_design

        if not 0 <= row < len(self.frontier):
            raise InputError(f"the frontier has no row {row}", allowed=f"0 to {len(self.frontier) - 1}")
        return explain_design(self.study, int(self.frontier["design"].iloc[row]), frontier=self.frontier)

    def explain_reference(self, name: str) -> dict[str, Any]:
        """Explain a system beside the space, by its name."""
        from dse.analysis.explain import explain_reference

        place = find_reference([one["name"] for one in self.references], name)
        return explain_reference(self.study, self.references[place]["name"], frontier=self.frontier)

    def figure(self, x: str | None = None, y: str | None = None) -> Any:
        """Draw the frontier as a plotly figure."""
        from dse.report.figure import front_figure, front_view

        return front_figure(front_view(self, x, y))

    def _repr_html_(self) -> str:
        from dse.run.tables import summary_html

        return summary_html(repr(self), self.frontier)

    def __repr__(self) -> str:
        certificate, space = self.manifest["certificate"], self.manifest["space"]
        wanted = ", ".join(f"{o['quantity']} {o['sense']}" for o in self.objectives)
        kind = "exact" if self.exact else "not exact"
        lines = [
            f"<Run of '{self.name}'>  {kind}, {len(self.objectives)} objectives ({wanted})",
            f"space      {format_number(space['designs'])} designs",
        ]
        if certificate["infeasible"]:
            told = ", ".join(f"{text}: {format_number(count)}" for text, count in certificate["infeasible"].items())
            lines.append(f"rejected   {format_number(certificate['designs'] - certificate['feasible'])}  ({told})")
        spans = []
        for objective in self.objectives:
            column = self.frontier[objective["quantity"]]
            if len(column):
                scale, unit = display_unit(objective["unit"], float(column.abs().max()))
                low, high = format_number(column.min() / scale), format_number(column.max() / scale)
                spans.append(f"{objective['quantity']} {low} .. {high} {unit}".rstrip())
        lines.append(f"front      {format_number(len(self.frontier))}  {', '.join(spans)}")
        if self.references:
            lines.append(f"beside     {format_number(len(self.references))} references")
        if self.manifest["synthetic"]:
            lines.append(f"SYNTHETIC  {', '.join(self.manifest['synthetic'])}")
        return "\n".join(lines)


def run_study(
    study: Study,
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    method: str | None = None,
    count_infeasible: bool | None = None,
    fresh: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Run a study (see `dse.study.study.Study.run`)."""
    given = study.spec.search
    try:
        options = SearchOptions(
            method=method if method is not None else given.method,
            jobs=jobs if jobs is not None else given.jobs,
            count_infeasible=count_infeasible if count_infeasible is not None else given.count_infeasible,
        )
    except InputError as error:
        if method is not None or count_infeasible is not None:
            error.key = None  # asked for by the caller, not by the file
            raise error.within() from None
        raise error.within(file=study.file) from None
    problem = study.compiled
    _ = study.references  # their faults before the search, not after it
    folder = RunFolder(out) if out is not None else None
    ledger = None
    if folder is not None:
        chosen = {"method": options.method, "count_infeasible": options.count_infeasible}
        ledger = folder.begin(study.hashes(), chosen, fresh=fresh)
        if ledger is None:
            return load_run(folder.path, study=study)
    try:
        try:
            start = time.perf_counter()
            result = search(problem, options, factory=study, progress=progress, ledger=ledger)
            seconds = time.perf_counter() - start
        except InputError as error:
            raise error.within(file=study.file) from None
        return _written(study, options, result, seconds, folder)
    finally:
        if ledger is not None:
            ledger.close()  # not before the folder is complete: until then it keeps other processes out


def _written(study: Study, options: SearchOptions, result: Any, seconds: float, folder: RunFolder | None) -> Run:
    """Make the run of a search that has ended, and write it; the manifest comes last."""
    frontier = frontier_table(study, result.numbers, result.values)
    manifest = make_manifest(study, options, result, seconds, frontier)
    run = Run(frontier, manifest, study=study, folder=folder.path if folder is not None else None)
    if folder is not None:
        run._sample = sample_designs(study)
        files = [folder.write_table(FRONTIER, frontier), folder.write_table(SAMPLE, run._sample)]
        manifest["files"] = {str(file.relative_to(folder.path).as_posix()): digest(file) for file in files}
        folder.write_text(MANIFEST, json.dumps(manifest, indent=1, allow_nan=False) + "\n")
    return run


def load_run(folder: str | Path, study: Study | None = None) -> Run:
    """Read a run from its folder."""
    place = RunFolder(folder)
    manifest = place.manifest()
    from dse.run.tables import Frontier

    table = place.frontier()
    frontier = Frontier(table)
    known = {name: unit for name, unit in manifest["units"].items() if name in frontier.columns}
    frontier.attrs["units"] = table.attrs.get("units", known)
    run = Run(frontier, manifest, study=study, folder=place.path)
    if study is not None:
        run._refuse_changed(study)
    return run


def frontier_table(study: Study, numbers: np.ndarray, objectives: np.ndarray) -> Frontier:
    """Return the designs of the frontier with everything the study shows."""
    from dse.run.tables import Frontier

    problem = study.compiled
    count = len(numbers)
    columns: dict[str, np.ndarray] = {"design": np.asarray(numbers, dtype=np.int64)}
    if any(product.name for product in problem.space.products):
        columns["alternative"] = np.full(count, "", dtype=object)
    units: dict[str, str] = {}
    everywhere = [axis for product in problem.space.products for axis in product.axes]
    texts = {axis.name for axis in everywhere if axis.is_part or axis.units[axis.name] == TEXT}
    for product in problem.space.products:
        for axis in product.axes:
            text = axis.name in texts
            columns.setdefault(axis.name, np.full(count, "" if text else np.nan, dtype=object if text else float))
            units[axis.name] = TEXT if text else axis.units[axis.name]
            if axis.confidences:
                columns.setdefault(axis.confidence_name, np.full(count, "", dtype=object))
                units[axis.confidence_name] = TEXT
    values_of = dict(zip((o.quantity for o in problem.objectives), objectives.T, strict=True))
    asked = dict.fromkeys(study.spec.also)
    marks = [name for name in study.marks if name not in asked]
    shown = [name for name in [*asked, *marks] if name not in values_of and name not in columns]
    extrapolated = np.full(count, "", dtype=object)
    extra = {name: np.full(count, "" if study.units[name] == TEXT else np.nan, dtype=object) for name in shown}
    for record in problem.quantities(numbers):
        product, here = problem.space.products[record["product"]], record["positions"]
        _refuse_not_elementwise(study, numbers[here], {n: v[here] for n, v in values_of.items()}, record["values"])
        if product.name:
            columns["alternative"][here] = product.name
        rows = problem.space.decode(record["product"], columns["design"][here])
        for axis, row in zip(product.axes, rows, strict=True):
            columns[axis.name][here] = (
                np.array([axis.label(int(i)) for i in row], dtype=object)
                if axis.name in texts
                else axis.columns[axis.name][row]
            )
            if axis.confidences:
                columns[axis.confidence_name][here] = [axis.confidence(int(i)) for i in row]
        for name in shown:
            value = record["values"].get(name, 0.0) if name in marks else record["values"][name]
            extra[name][here] = np.broadcast_to(np.asarray(value).reshape(-1), len(here))
        outside = outside_validity(study, record["product"], record["values"], len(here))
        extrapolated[here] = [", ".join(names) for names in outside]
    columns.update(values_of)
    for name in marks:
        if not extra[name].any():
            del extra[name]
    for name, values in extra.items():
        columns[name] = values if study.units[name] == TEXT else values.astype(float)
    columns["extrapolated"] = extrapolated
    frame = Frontier(columns)
    frame.attrs["units"] = units | {name: study.units[name] for name in [*values_of, *extra]} | {"design": "1"}
    return frame


def _refuse_not_elementwise(
    study: Study, numbers: np.ndarray, swept: Mapping[str, Any], together: Mapping[str, Any]
) -> None:
    """Refuse models whose value of a design depends on the designs it is evaluated with (a sum over an axis)."""
    trials = [(np.arange(len(numbers)), together)]
    for row in range(0, len(numbers), max(1, len(numbers) // 4)):
        (record,) = study.compiled.quantities(numbers[row : row + 1])
        trials.append((np.array([row]), record["values"]))
    for rows, values in trials:
        for name, found in swept.items():
            again = np.broadcast_to(np.asarray(values[name], dtype=float).reshape(-1), len(rows))
            for bad in np.flatnonzero(~np.isclose(found[rows], again, rtol=1e-9, atol=0.0)):
                raise ModelError(
                    f"'{name}' of design {numbers[rows[bad]]} is {found[rows[bad]]:g} in the sweep and {again[bad]:g} "
                    f"beside {len(rows) - 1} other designs: a function it comes from mixes designs "
                    "(sum, max, mean or a sort over an array is not allowed)"
                )


def sample_designs(study: Study, most: int = _SAMPLE) -> pd.DataFrame:
    """Return the objectives of all designs of a small space, or of a random sample.

    ``feasible`` tells whether a design meets every constraint, ``violated`` which is the first it breaks (its place
    among the constraints of the study, -1 for none).
    """
    import pandas as pd

    problem = study.compiled
    size = problem.space.size
    if size <= most:
        numbers = np.arange(size, dtype=np.int64)
    else:
        numbers = np.unique(np.random.default_rng(problem.seed).integers(0, size, most, dtype=np.int64))
    columns: dict[str, np.ndarray] = {o.quantity: np.full(len(numbers), np.nan) for o in problem.objectives}
    violated = np.full(len(numbers), -1, dtype=np.int8)
    for record in problem.quantities(numbers):
        here = record["positions"]
        for name, column in columns.items():
            column[here] = np.broadcast_to(np.asarray(record["values"][name], dtype=float).reshape(-1), len(here))
        for place, constraint in enumerate(problem.systems[record["product"]].constraints):
            met = np.broadcast_to(np.asarray(record["values"][constraint.quantity]).reshape(-1), len(here))
            first = ~met & (violated[here] < 0)
            violated[here[first]] = place
    return pd.DataFrame({"design": numbers, **columns, "feasible": violated < 0, "violated": violated})
