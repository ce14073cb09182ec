"""What can stand in a comparison: a row of a frontier, a reference, or a system described in a small TOML file.

    name = "sixteen nodes"
    study = "hybrid-xeon-sp"        # whose models evaluate it; default: the study of the first run compared
    alternative = ""                # when the study has several
    [set]                           # axes, parameters, assumptions, with units
    nodes = 16
    cores = 8
    frequency = "1.8 GHz"

Figures that were measured stand instead of, or beside, computed ones, and need a source:

    [measured]
    run_time = "5.1 s"
    source = "our cluster, 2024-03"

A file with ``reference = "NAME"`` stands for a reference of the study, and needs no name of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dse.analysis.choose.pick import plain
from dse.analysis.explain.explain import explain_design, explain_reference, explain_values
from dse.analysis.explain.explanation import Breakdown
from dse.errors import InputError, RunFolderError, refuse_control
from dse.evaluation.reference_records import reasons_text
from dse.run.result.run import Run
from dse.study.file.reading import key_path, read_toml
from dse.study.study import Study
from dse.units import TEXT, display_unit, format_number, parse_quantity

__all__ = ["ComparedSystem", "read_system", "system_of_reference", "system_of_row"]

Number = int | float | str


class ComparedSystemSpec(BaseModel):
    """The schema of a candidate file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    name: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    study: str | None = None
    alternative: str | None = None
    reference: str | None = None
    set: dict[str, Number] = {}
    measured: dict[str, Number] = {}


@dataclass(frozen=True)
class ComparedSystem:
    """One system in a comparison.

    Attributes
    ----------
    name : str
    kind : str
        "frontier row", "reference", "computed" or "measured".
    parameters : dict of str to str
        As a person writes them.
    values : dict of str to float
        Every quantity that is known, SI.
    measured : dict of str to str
        The quantities whose value was measured, not computed, with the source.
    breakdowns : list
        Sums and their parts, as `dse.analysis.explain.explain` gives them.
    feasible : bool or None
        Whether it meets the constraints of its study.
    note : str
        Why some of this is not known.
    beside : dict of str to dict
        Measured figures that stand beside the values of a reference: ``value`` (SI), ``column`` and ``source``.
    validation : dict of str to str
        By part axis: how well the law its part is used with held for real machines, where the catalogue says so.
    """

    name: str
    kind: str
    parameters: dict[str, str]
    values: dict[str, Any]
    units: dict[str, str]
    measured: dict[str, str] = field(default_factory=dict)
    breakdowns: list[Breakdown] = field(default_factory=list)
    feasible: bool | None = None
    synthetic: list[str] = field(default_factory=list)
    note: str = ""
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)
    validation: dict[str, str] = field(default_factory=dict)


def system_of_row(run: Run, row: int, label: str) -> ComparedSystem:
    """Return a design of a frontier as a candidate; what its run has kept where its models are no longer the same."""
    if not 0 <= row < len(run.frontier):
        raise InputError(f"the frontier has no row {row}", file=run.folder, allowed=_rows(run))
    try:
        study = run.study
    except RunFolderError as error:
        return _kept(run, row, label, error.problem)
    number = int(run.frontier["design"].iloc[row])
    design = explain_design(study.compiled, study.declarations, number, study=study.name, frontier=run.frontier)
    values = {item["name"]: item["value"] for item in design.numbers}
    units = {item["name"]: item["unit"] for item in design.numbers}
    named = {key: str(value) for key, value in design.parameters.items()}
    return ComparedSystem(
        label,
        "frontier row",
        named,
        values,
        units,
        breakdowns=design.breakdowns,
        feasible=design.feasible,
        synthetic=design.synthetic,
        validation=design.validation,
    )


def _rows(run: Run) -> str:
    return f"0 to {len(run.frontier) - 1}" if len(run.frontier) else "none, it is empty"


def _kept(run: Run, row: int, label: str, note: str) -> ComparedSystem:
    """Return what the frontier of a run tells of a design."""
    values = {name: plain(value) for name, value in run.frontier.iloc[row].to_dict().items()}
    units = {**run.units, **run.frontier.attrs.get("units", {})}
    parameters = {}
    for name, value in values.items():
        if name in run.axis_names and value not in (None, ""):
            scale, unit = display_unit(units.get(name, TEXT), 0.0 if isinstance(value, str) else abs(value))
            parameters[name] = value if isinstance(value, str) else f"{format_number(value / scale)} {unit}".strip()
    known = {name: value for name, value in values.items() if isinstance(value, float)}
    synthetic = list(run.manifest.synthetic)
    return ComparedSystem(
        label,
        "frontier row",
        parameters,
        known,
        units,
        feasible=True,
        synthetic=synthetic,
        note=note,
        validation=run.validation(row),
    )


def system_of_reference(run: Run, name: str, label: str) -> ComparedSystem:
    """Return a system beside the space of a run; what the run has kept where its models are no longer the same."""
    shows = [*(o["quantity"] for o in run.objectives), *run.manifest.also]
    try:
        study = run.study
    except RunFolderError as error:
        record = next(reference for reference in run.references if reference["name"] == name)
        return _reference(record, label, run.units, shows, note=error.problem)
    return _of_study(study, name, label, shows)


def _of_study(study: Study, name: str, label: str, shows: Sequence[str]) -> ComparedSystem:
    system = study.reference(name)
    record = system.record([*study.units, *system.values])
    units = {**system.group.system.graph.units, **study.units}
    units = {quantity: unit for quantity, unit in units.items() if not quantity.startswith("constraint_")}
    return _reference(record, label, units, shows, explain_reference(study.compiled, system).breakdowns)


def _reference(
    record: Mapping[str, Any],
    label: str,
    units: Mapping[str, str],
    shows: Sequence[str],
    breakdowns: Sequence[Breakdown] = (),
    note: str = "",
) -> ComparedSystem:
    """Return a reference as a candidate; what was measured of it and is not computed stands in its place."""
    values = dict(record["values"])
    instead = {name: measurement for name, measurement in record["measured"].items() if name not in values}
    return ComparedSystem(
        label,
        "reference",
        {name: str(value) for name, value in record["parameters"].items()},
        values | {name: measurement["value"] for name, measurement in instead.items()},
        dict(units),
        {name: measurement["source"] for name, measurement in instead.items()},
        list(breakdowns),
        record["feasible"],
        list(record["synthetic"]),
        "; ".join([*([note] if note else []), *reasons_text(record, shows)]),
        dict(record["measured"]),
        dict(record.get("validation", {})),
    )


def read_system(
    path: Path, default: Study | Run | None = None, *, runs: Sequence[Run] = (), allow_code: bool = False
) -> ComparedSystem:
    """Read a candidate file and evaluate it.

    Parameters
    ----------
    path : Path
    default : Study or Run, optional
        What evaluates it where the file names no study.
    runs : sequence of Run
        Those it is compared with: the model files that they may run, the study that the file names may run too.
    allow_code : bool
        Whether that study may run any model file it names.

    Raises
    ------
    InputError
        A fault of the file, with its key.
    """
    _, document = read_toml(path)
    refuse_control(document, file=path)
    try:
        spec = ComparedSystemSpec.model_validate(document)
    except ValidationError as error:
        fault = error.errors()[0]
        key = key_path([part for part in fault["loc"] if part not in ("int", "float", "str")])
        names = list(ComparedSystemSpec.model_fields)
        if fault["type"] == "extra_forbidden":
            wrong = str(fault["loc"][-1])
            raise InputError(
                f"unknown key '{wrong}'", file=path, key=key, allowed=names, wrong=wrong, candidates=names
            ) from None
        problem = "is missing" if fault["type"] == "missing" else f"{fault['input']!r}: {fault['msg'].lower()}"
        raise InputError(problem, file=path, key=key) from None
    if spec.name is None and spec.reference is None:
        raise InputError("is missing", file=path, key="name")
    try:
        return _evaluated(spec, path, default, runs, allow_code)
    except InputError as error:
        if error.file is None:
            error.key = error.key.replace("--set ", "set.").removeprefix("--") if error.key else error.key
            raise error.within(file=path) from None
        raise InputError(str(error), file=path) from None


def _evaluated(
    spec: ComparedSystemSpec, path: Path, default: Study | Run | None, runs: Sequence[Run], allow_code: bool
) -> ComparedSystem:
    measured = dict(spec.measured)
    source = str(measured.pop("source", ""))
    if measured and not source:
        raise InputError(
            "measured figures need a source", key="measured.source", allowed='source = "where they are from"'
        )
    if spec.study is None:
        study = default.study if isinstance(default, Run) else default
    else:
        beside = path.parent / spec.study
        try:
            study = Study.load(beside if beside.suffix == ".toml" and beside.is_file() else spec.study)
        except InputError as error:
            raise error.within(key="study") if error.file is None else error from None
        if not allow_code:
            _refuse_code(study, runs)
    if study is None:
        raise InputError("is missing, and no run is compared whose study could be taken", key="study")
    if spec.reference is not None:
        return _named_reference(spec, study, measured, source)
    values: dict[str, object] = {}
    parameters = {name: str(value) for name, value in spec.set.items()}
    breakdowns: list[Breakdown] = []
    feasible = None
    validation = {}
    units = {name: unit for name, unit in study.units.items() if not name.startswith("constraint_")}
    if spec.set or not measured:
        values = study.evaluate(spec.set, spec.alternative)
        for name, part in study.parts(spec.set, spec.alternative).items():
            if part["confidence"]:
                parameters |= {name: part["part"], f"{name}_confidence": part["confidence"]}
            if "validation" in part:
                parameters[name], validation[name] = part["part"], part["validation"]
        breakdowns, feasible = explain_values(study.compiled, values, spec.alternative)
        values = {name: value for name, value in values.items() if not name.startswith("constraint_")}
    values |= _measured(measured, units)
    kind = "measured" if measured and not spec.set else "computed"
    synthetic = study.synthetic if spec.set else []
    return ComparedSystem(
        str(spec.name),
        kind,
        parameters,
        {name: value for name, value in values.items() if not isinstance(value, float) or np.isfinite(value)},
        units,
        dict.fromkeys(measured, source),
        breakdowns,
        feasible,
        synthetic,
        validation=validation,
    )


def _refuse_code(study: Study, runs: Sequence[Run]) -> None:
    """Let a study that only the candidate file names run what the compared runs may run, and no other model file."""
    wanted = {name: digest for name, digest in study.model_files.items() if digest is not None}
    known = {digest for run in runs for digest in run.allowed_code.values()}
    foreign = [name for name, digest in wanted.items() if digest not in known]
    if foreign:
        raise InputError(
            f"the study '{study.file}' would run its model files: {', '.join(foreign)}",
            key="study",
            allowed="--allow-code, if you know what they do",
        )
    study.code = wanted


def _named_reference(
    spec: ComparedSystemSpec, study: Study, measured: Mapping[str, object], source: str
) -> ComparedSystem:
    """Return the reference a candidate file names, with the measured figures of the file."""
    for key in ("set", "alternative"):
        if getattr(spec, key):
            raise InputError("does not go with 'reference', which has its own", key=key)
    try:
        name = study.reference(str(spec.reference)).name
    except InputError as error:
        raise error.within(key="reference") if error.key is None else error from None
    shows = [*(o.quantity for o in study.compiled.objectives), *study.spec.also]
    candidate = _of_study(study, name, spec.name or name, shows)
    given = _measured(measured, candidate.units)
    sources = candidate.measured | dict.fromkeys(given, source)
    return replace(candidate, values=candidate.values | given, measured=sources)


def _measured(given: Mapping[str, object], units: Mapping[str, str]) -> dict[str, float]:
    """Return the measured figures of a candidate file, SI."""
    values = {}
    for name, value in given.items():
        if name not in units or units[name] in (TEXT, "table"):
            raise InputError(
                f"unknown quantity '{name}'",
                key=f"measured.{name}",
                wrong=name,
                candidates=units,
                allowed=sorted(units),
            )
        try:
            values[name] = parse_quantity(value, units[name])
        except InputError as error:
            raise error.within(key=f"measured.{name}") from None
    return values
