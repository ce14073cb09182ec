"""The file of the laws of a program, ``dse-profile-laws/1``: JSON, read with every check, never overwritten."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.documents.stored_json import validated, write_new
from dse.models.measured_laws.fitting.law import Law
from dse.models.workload.extrapolation.metrics import Key, bounds_of, unit_of
from dse.models.workload.laws.formulas import Formula
from dse.models.workload.laws.messages import SIZES
from dse.models.workload.laws.patterns import Pattern
from dse.models.workload.laws.program_laws import ClassLaws, LawParameter, ProgramLaws, ProgramParameter
from dse.models.workload.laws.reuse_quantiles import ReuseTable, StrideShares
from dse.models.workload.laws.sizes import Size
from dse.models.workload.laws.stored_law import law_of, stored
from dse.models.workload.profile.profile import ProfileUsed, WorkloadProfile
from dse.models.workload.profile.reading import bundled_profiles, read_json, read_profile

__all__ = ["LAWS_SCHEMA", "laws_document", "read_laws", "read_program", "write_laws"]

LAWS_SCHEMA = "dse-profile-laws/1"

_LARGEST = 16 * 2**20
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Factor = tuple[Annotated[str, Field(pattern=r"^-?\d{1,4}(/[1-9]\d{0,3})?$")], Annotated[int, Field(ge=0, le=4)]]
_TermSpec = Annotated[list[_Finite | _Factor], Field(min_length=2, max_length=4)]
_Terms = Annotated[list[_TermSpec], Field(min_length=1, max_length=8)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class _LawSpec(_Strict):
    metric: list[str | int | None] = []
    law: _Terms | None = None
    formula: str | None = None
    error: Annotated[float, Field(ge=0)] = 0.0
    covariance: list[list[_Finite]] | None = None
    band: list[_Terms] = []
    measured: list[tuple[_Positive, _Finite]] = []
    bounds: tuple[_Finite, _Finite | None] | None = None
    warnings: list[str] = []


class _ReuseSpec(_Strict):
    table: Literal["data_reuse", "inst_reuse"]
    line: int | Literal["address"]
    sizes: Annotated[list[list[_Positive]], Field(min_length=1)]
    distances: list[list[Annotated[int, Field(ge=0)]]]
    upto: list[list[_Share]]
    covered: list[list[_Share]] | None = None
    covered_first_touches: list[_Share] | None = None
    dependent: list[list[_Share]] | None = None


class _ClassSpec(_Strict):
    name: str
    role: Literal["worker", "master"] = "worker"
    conditional_only: bool | None = None
    laws: Annotated[list[_LawSpec], Field(min_length=1)]
    reuse: list[_ReuseSpec] = []


class _ParameterSpec(_Strict):
    name: str
    least: _Finite
    largest: _Finite
    whole: bool = True


class _SizeSpec(_Strict):
    name: str
    expression: str
    least: _Finite
    largest: _Finite
    log2: bool = False


class _PatternSpec(_Strict):
    name: Literal["neighbour-2d", "neighbour-3d", "shift", "exchange", "uniform"]
    guessed: bool = False
    step: int = 0
    self_share: _Share = 0.0


class _RunSpec(_Strict):
    name: str = ""
    sha256: str = ""


class _FileSpec(_Strict):
    schema_: Literal["dse-profile-laws/1"] = Field(alias="schema")
    name: str
    program: str
    source: str = ""
    licence: str = ""
    synthetic: bool = False
    parameters: Annotated[list[_ParameterSpec], Field(min_length=1)]
    ranks: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    threads: Annotated[int, Field(ge=1)] = 1
    run: dict[str, str] = {}
    runs: list[_RunSpec] = []
    sizes: Annotated[list[_SizeSpec], Field(min_length=1, max_length=3)]
    pattern: _PatternSpec | None = None
    imbalance: _LawSpec
    classes: Annotated[list[_ClassSpec], Field(min_length=1)]
    notes: list[str] = []


def read_program(path: str | os.PathLike[str]) -> WorkloadProfile | ProgramLaws:
    """Read what a study names as its profile: a profile, or the laws of a program, by the schema of the file."""
    place = Path(path)
    if place.suffix == ".json" and place.is_file() and not (str(path) in bundled_profiles() and not place.exists()):
        document = read_json(place)
        if isinstance(document, dict) and str(document.get("schema", "")).startswith("dse-profile-laws"):
            return read_laws(place)
    return read_profile(path)


def read_laws(path: str | os.PathLike[str]) -> ProgramLaws:
    """Read the laws of a program.

    Raises
    ------
    InputError
        Another schema, or the first fault with its key. Runs without their SHA-256 are a warning.
    """
    place = Path(path)
    document = read_json(place)
    given = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(document, dict) or given != LAWS_SCHEMA:
        raise InputError(f"is {shown(given)}", file=place, key="schema", allowed=LAWS_SCHEMA)
    if place.stat().st_size > _LARGEST:
        raise InputError(f"has {place.stat().st_size} bytes", file=place, allowed=f"at most {_LARGEST}")
    refuse_control(document, file=place)
    spec = validated(document, _FileSpec, file=place, allowed=f"{LAWS_SCHEMA}, as dse profile fit writes")
    try:
        return _laws(spec, str(place), hashlib.sha256(place.read_bytes()).hexdigest())
    except InputError as error:
        raise error.within(file=place) from None


def write_laws(laws: ProgramLaws, path: str | os.PathLike[str]) -> Path:
    """Write laws; a file that exists is not overwritten."""
    place = Path(path)
    if place.suffix != ".json":
        raise InputError(f"'{path}' does not end in .json", allowed="a file name such as cg.laws.json")
    entries = laws_document(laws)
    classes = entries.pop("classes")
    head = json.dumps(entries, ensure_ascii=False, indent=1)[:-2]
    lines = ",\n".join(f"  {_class_text(entry)}" for entry in classes)
    write_new(f'{head},\n "classes": [\n{lines}\n ]\n}}\n', place)
    return place


def _class_text(entry: dict[str, Any]) -> str:
    """Return a class as JSON with a law on each line."""

    def flat(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    parts = [f'"{key}": {flat(entry[key])}' for key in ("name", "role", "conditional_only")]
    for key in ("laws", "reuse"):
        parts.append(f'"{key}": [\n' + ",\n".join(f"   {flat(law_entry)}" for law_entry in entry[key]) + "\n  ]")
    return "{" + ", ".join(parts) + "}"


def laws_document(laws: ProgramLaws) -> dict[str, Any]:
    """Return laws as a document for JSON."""
    pattern = laws.pattern
    return {
        "schema": LAWS_SCHEMA,
        "name": laws.name,
        "program": laws.program,
        "source": laws.source,
        "licence": laws.licence,
        "synthetic": laws.synthetic,
        "parameters": [dict(vars(parameter)) for parameter in laws.parameters],
        "ranks": list(laws.ranks),
        "threads": laws.threads,
        "run": dict(laws.run),
        "runs": [{"name": used.name, "sha256": used.sha256} for used in laws.runs],
        "sizes": [
            {
                "name": size_law.size.name,
                "expression": size_law.size.text,
                "least": size_law.least,
                "largest": size_law.largest,
                "log2": size_law.log2,
            }
            for size_law in laws.sizes
        ],
        "pattern": None if pattern is None else dict(vars(pattern)),
        "imbalance": _law_entry((), laws.imbalance),
        "notes": list(laws.notes),
        "classes": [
            {
                "name": item.name,
                "role": item.role,
                "conditional_only": item.conditional_only,
                "laws": [_law_entry(key, law) for key, law in item.laws.items()],
                "reuse": [
                    {
                        "table": table,
                        "line": "address" if line is None else line,
                        "sizes": reuse.sizes.tolist(),
                        "distances": [list(numbers) for numbers in reuse.distances],
                        "upto": [list(numbers) for numbers in reuse.upto],
                        **_stride_entry(reuse.strides),
                    }
                    for (table, line), reuse in item.reuse.items()
                ],
            }
            for item in laws.classes
        ],
    }


def _stride_entry(strides: StrideShares | None) -> dict[str, Any]:
    if strides is None:
        return {}
    return {
        "covered": [list(shares) for shares in strides.covered],
        "covered_first_touches": list(strides.first_touches),
        "dependent": [list(shares) for shares in strides.dependent],
    }


def _strides(spec: _ReuseSpec, place: str) -> StrideShares | None:
    covered, dependent, first = spec.covered, spec.dependent, spec.covered_first_touches
    if covered is None and dependent is None and first is None:
        return None
    lengths = [len(upper) for upper in spec.distances]
    if (
        covered is None
        or dependent is None
        or first is None
        or len(first) != len(lengths)
        or any([len(shares) for shares in table] != lengths for table in (covered, dependent))
    ):
        raise InputError(
            "covered, dependent and covered_first_touches do not belong to the distances",
            key=place,
            allowed="all three, a share for each distance and run",
        )
    return StrideShares(tuple(map(tuple, covered)), tuple(map(tuple, dependent)), tuple(first))


def _law_entry(key: Key, law: Law | Formula) -> dict[str, Any]:
    metric = ["inf" if isinstance(part, float) and math.isinf(part) else part for part in key]
    entry: dict[str, Any] = {"metric": metric} if key else {}
    if isinstance(law, Formula):
        return {**entry, "formula": law.text, "error": law.error}
    low, high = law.bounds
    return {**entry, **stored(law), "bounds": [low, None if math.isinf(high) else high]}


def _laws(spec: _FileSpec, file: str, sha256: str) -> ProgramLaws:
    sizes = tuple(
        LawParameter(Size(size_spec.name, size_spec.expression), size_spec.least, size_spec.largest, size_spec.log2)
        for size_spec in spec.sizes
    )
    names = [*(parameter.name for parameter in spec.parameters), "processes", "threads"]
    for place, size_law in enumerate(sizes):
        for need in size_law.size.needs:
            if need not in names:
                raise InputError(
                    f"'{need}' is no parameter of the program",
                    key=f"sizes.{place}.expression",
                    allowed=names,
                    wrong=need,
                    candidates=names,
                )
    classes = tuple(
        _class(class_spec, place, sizes, len(spec.runs), spec) for place, class_spec in enumerate(spec.classes)
    )
    missing = [used.name for used in spec.runs if not used.sha256]
    warnings = []
    if missing or not spec.runs:
        missing_text = ", ".join(missing[:3]) if missing else "all"
        warnings.append(
            f"the SHA-256 of runs is missing ({missing_text}): nothing says which profiles these laws were fitted to"
        )
    return ProgramLaws(
        name=spec.name,
        program=spec.program,
        parameters=tuple(ProgramParameter(**parameter.model_dump()) for parameter in spec.parameters),
        ranks=tuple(spec.ranks),
        sizes=sizes,
        classes=classes,
        pattern=None if spec.pattern is None else Pattern(**spec.pattern.model_dump()),
        imbalance=_law(spec.imbalance, (), sizes, len(spec.runs), "imbalance"),
        runs=tuple(ProfileUsed(used.name, used.sha256) for used in spec.runs),
        run=spec.run,
        source=spec.source,
        licence=spec.licence,
        threads=spec.threads,
        synthetic=spec.synthetic,
        notes=tuple(spec.notes),
        warnings=tuple(warnings),
        file=file,
        sha256=sha256,
    )


def _class(spec: _ClassSpec, place: int, sizes: tuple[LawParameter, ...], runs: int, whole: _FileSpec) -> ClassLaws:
    laws: dict[Key, Law | Formula] = {}
    for at, law_spec in enumerate(spec.laws):
        key = _key(law_spec.metric)
        if key in laws:
            raise InputError("stands twice", key=f"classes.{place}.laws.{at}.metric", allowed="a law for each metric")
        laws[key] = _law(law_spec, key, sizes, runs, f"classes.{place}.laws.{at}")
    if ("instructions",) not in laws:
        raise InputError(
            "has no law of the instructions", key=f"classes.{place}.laws", allowed='metric ["instructions"]'
        )
    reuse: dict[tuple[str, int | None], ReuseTable] = {}
    for at, own in enumerate(spec.reuse):
        if not (len(own.sizes) == len(own.distances) == len(own.upto)) or any(
            len(upper) != len(other) or not upper or other[-1] != 1.0
            for upper, other in zip(own.distances, own.upto, strict=True)
        ):
            raise InputError(
                "sizes, distances and shares do not belong together",
                key=f"classes.{place}.reuse.{at}",
                allowed="as many of each, the last share 1",
            )
        line = None if own.line == "address" else own.line
        reuse[own.table, line] = ReuseTable(
            np.array(own.sizes, dtype=float),
            tuple(map(tuple, own.distances)),
            tuple(map(tuple, own.upto)),
            _strides(own, f"classes.{place}.reuse.{at}"),
        )
    return ClassLaws(spec.name, spec.role, spec.conditional_only, laws, reuse)


def _law(spec: _LawSpec, key: Key, sizes: tuple[LawParameter, ...], runs: int, place: str) -> Law | Formula:
    if (spec.law is None) == (spec.formula is None):
        raise InputError("has a law or a formula, one of them", key=place)
    if spec.formula is not None:
        return Formula(spec.formula, spec.error)
    assert spec.law is not None
    for terms in (spec.law, *spec.band):
        if any(len(term) != 1 + len(sizes) or not isinstance(term[0], (int, float)) for term in terms):
            raise InputError("a term is a coefficient and a factor for each size", key=f"{place}.law")
    if spec.covariance is not None and {len(spec.covariance), *map(len, spec.covariance)} != {len(spec.law)}:
        raise InputError("a row and a column for each term", key=f"{place}.covariance")
    low, high = spec.bounds or (bounds_of(key) if key and key[0] != SIZES else (0.0, None))
    entry = {
        "law": spec.law,
        "error": spec.error,
        "band": spec.band,
        "warnings": spec.warnings,
        "measured": spec.measured,
    }
    entry |= {"covariance": spec.covariance} if spec.covariance is not None else {}
    ranges = [(size_law.least, size_law.largest) for size_law in sizes]
    unit = unit_of(key) if key and key[0] != SIZES else "1"
    bounds = (float(low), math.inf if high is None else float(high))
    return law_of(entry, [size_law.parameter for size_law in sizes], ranges, unit=unit, runs=runs, bounds=bounds)


def _key(metric: list[Any]) -> Key:
    return tuple(math.inf if part == "inf" else part for part in metric)
