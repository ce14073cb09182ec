"""The manifest of a run: everything its reader needs to trust the frontier, as types; its dump is ``manifest.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from dse.authoring.declare.enumerations import refusals_text
from dse.errors import InputError, RunFolderError, refuse_control
from dse.run.disk.seal import manifest_digest
from dse.search.account.certificate import Certificate
from dse.space.axes import with_confidence
from dse.study.file.reading import key_path

__all__ = [
    "FORMAT",
    "LEFT_OUT",
    "AlternativeAccount",
    "AssumedValue",
    "AxisAccount",
    "AxisEdge",
    "ChosenComponent",
    "DerivedFrom",
    "EnumerationCounts",
    "FixedValue",
    "FrontierAccount",
    "LimitMargin",
    "Manifest",
    "Margins",
    "NearestMiss",
    "ObjectiveAccount",
    "ReferenceAccount",
    "ReferenceTable",
    "RequirementAccount",
    "SearchAsked",
    "SourceLine",
    "SpaceAccount",
    "Timings",
    "made_by",
    "read_manifest",
]

FORMAT = 1
LEFT_OUT = "left out by default"
"""How the warning begins that names what the defaults of assumptions leave out."""
_AGAIN = "dse run --fresh, which keeps the old run"
_SEVERAL_LINES = (
    "question",
    "source",
    "sources",
    "doc",
    "description",
    "constraints",
    "infeasible",
    "text",
    "lacking",
    "limit",
    "functions",
)


class _Record(BaseModel):
    """Plain values; what was never given is not in the dump, and what another version added stays."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True, defer_build=True)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class EnumerationCounts(_Record):
    """What an enumeration considered, kept and refused, by reason."""

    considered: int
    kept: int
    refused: dict[str, int]


class AxisAccount(_Record):
    """An axis: how many values it has, some of them in words, how sure parts are, and how well their laws held."""

    name: str
    values: int
    shown: list[str]
    source: str
    confidences: list[str] = []
    validations: list[str] = []
    enumerated: EnumerationCounts | None = None

    @property
    def shown_values(self) -> str:
        """The values, each part with its confidence."""
        confidences = self.confidences or [""] * len(self.shown)
        words = [with_confidence(*pair) for pair in zip(self.shown, confidences, strict=True)]
        return ("; " if any("," in word for word in words) else ", ").join(words)

    @property
    def enumerated_text(self) -> str:
        """What was considered, kept and refused; nothing where the axis is no enumerated one."""
        if self.enumerated is None:
            return ""

        return refusals_text(self.enumerated.model_dump())  # type: ignore[arg-type]


class FixedValue(_Record):
    """A value that the study sets, in SI."""

    value: float | str
    unit: str


class AlternativeAccount(_Record):
    """An alternative of the space: its axes, what it fixes, and its components."""

    name: str
    designs: int
    axes: list[AxisAccount]
    set: dict[str, FixedValue]
    components: dict[str, str]


class SpaceAccount(_Record):
    """The size of the space, and its axes by alternative."""

    designs: int
    alternatives: list[AlternativeAccount]

    @property
    def axes(self) -> list[AxisAccount]:
        """The axes of all alternatives."""
        return [axis for alternative in self.alternatives for axis in alternative.axes]

    def enumerations_text(self) -> list[tuple[str, str]]:
        """Return the enumerated axes, each with what was considered, kept and refused."""
        having: dict[tuple[str, str], list[str]] = {}
        for alternative in self.alternatives:
            for axis in alternative.axes:
                if axis.enumerated is not None:
                    having.setdefault((axis.name, axis.enumerated_text), []).append(alternative.name)
        every = len(self.alternatives)
        return [
            (axis if len(names) == every else f"{', '.join(names)}: {axis}", words)
            for (axis, words), names in having.items()
        ]


class FrontierAccount(_Record):
    """How many designs there are on the frontier, and of how many something is extrapolated or has no closed form."""

    rows: int
    extrapolated: int
    numeric: dict[str, int] = {}
    marked: dict[str, str] = {}
    """What those of `numeric` mean that say something else of a design, in words."""


class LimitMargin(_Record):
    """How near the frontier is to a limit: its row with least to spare, as a share, and what the model's error is.

    `constant` tells whether the limit is a number, and not another quantity of the design.
    """

    limit: str
    row: int
    spare: float
    constant: bool = True
    error: float | None = None
    within_error: int = 0


class AxisEdge(_Record):
    """The designs of the frontier at the least or the most that an axis offers, in SI."""

    axis: str
    end: str
    value: float
    unit: str
    designs: int


class Margins(_Record):
    """What the frontier has to spare, as far as its designs were looked at."""

    looked_at: int
    limits: list[LimitMargin]
    edges: list[AxisEdge]


class NearestMiss(_Record):
    """Where nothing is feasible: a constraint, and how many designs break it (`alone`: and no other).

    `short` is what `design`, the nearest of them, lacks as a share of the limit, where the limit is one of numbers.
    """

    constraint: str
    designs: int
    looked_at: int
    alone: bool
    design: int | None = None
    short: float | None = None


class AssumedValue(_Record):
    """An assumption that mattered, in SI."""

    name: str
    value: float | str
    unit: str
    source: str
    doc: str


class ChosenComponent(_Record):
    """Which component fills a slot, and whether the study chose it."""

    slot: str
    component: str
    chosen: bool


class SourceLine(_Record):
    """A formula or an input, with where it comes from."""

    quantity: str
    unit: str
    origin: str = Field(alias="from")
    source: str
    doc: str


class ReferenceTable(_Record):
    """A table references come from: how many are known in full, and what only they rest on."""

    name: str
    description: str
    systems: int
    evaluated: int
    measured: dict[str, str]
    components: dict[str, str]
    assumptions: list[AssumedValue]


class RequirementAccount(_Record):
    """A condition that a model brings with it: held, lifted, stated by the study too, or not checked; and in words."""

    name: str
    condition: str
    doc: str
    source: str
    state: str
    text: str


class SearchAsked(_Record):
    """How the search was asked for."""

    method: str
    count_infeasible: bool
    evaluations: int | None = None
    tolerance: dict[str, dict[str, float]] | None = None


class Timings(_Record):
    """How long the search took."""

    search_seconds: float
    designs_per_second: float | None = None
    jobs: int = 1


class DerivedFrom(_Record):
    """What a variant was derived from: the study, the hash of its content, the name of the variant, and the changes."""

    study: str
    sha256: str
    variant: str
    changes: list[str]


class ObjectiveAccount(TypedDict):
    """An objective: its quantity, whether it is to be minimised ("min") or maximised ("max"), its SI unit."""

    quantity: str
    sense: Literal["min", "max"]
    unit: str


class MeasuredValue(TypedDict):
    """A measured figure of a reference: its value in SI, the column it stands in, and its source."""

    value: float
    column: str
    source: str


class ConstraintMet(TypedDict):
    """A constraint of the study, and whether a reference meets it: None where that is not known."""

    text: str
    met: bool | None


class ReferenceAccount(TypedDict):
    """A system beside the space (`dse.evaluation.reference_systems.ReferenceSystem.record`)."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    name: str
    reference: str
    parameters: dict[str, str]
    values: dict[str, float | str]
    measured: dict[str, MeasuredValue]
    lacking: dict[str, str]
    constraints: list[ConstraintMet]
    feasible: bool | None
    extrapolated: NotRequired[list[str]]
    synthetic: NotRequired[list[str]]
    source: str
    validation: NotRequired[dict[str, str]]


def _is_pick(rule: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a rule as it stands, where it is one that a study may name."""
    if rule is not None:
        from dse.study.file.schema import PickSpec  # a run without a rule is shown without the schema

        PickSpec.model_validate(rule)
    return rule


class Manifest(_Record):
    """The account of a run.

    Attributes
    ----------
    certificate : Certificate
        What the search did, so that "exact" can be believed.
    hashes : dict of str to str
        SHA-256 of everything the answer depends on.
    functions : dict of str to str
        The text of models whose functions were given as objects, by the name of the file they may be written to; empty
        where it cannot be had. It is there to be read: nothing runs it.
    derived_from : DerivedFrom or None
        Of a variant: what it was derived from.
    objectives : list of dict
        ``quantity``, ``sense`` and ``unit``.
    labels : dict of str to str
        What people read instead of names of quantities and axes, where that is more than the name with blanks.
    short_names : dict of str to dict of str to str
        What people read instead of the labels of rows, by axis: shapes, whose labels are codes.
    pick : dict or None
        The rule of the design that the answer begins with, as the study names it.
    uncertain : list of str
        The quantities of which the study says that they are not known.
    references : list of dict
        The systems beside the space (`dse.evaluation.reference_systems.ReferenceSystem.record`).
    files : dict of str to str
        SHA-256 of the tables of the run.
    digest : str
        SHA-256 of all of this but digest and seal: shows that it is whole, not who wrote it.
    seal : str or None
        Shows that this user made it (`dse.run.disk.seal`).
    """

    format: int
    name: str
    question: str = ""
    source: str = ""
    study_file: str | None
    study_folder: str
    study_text: str
    functions: dict[str, str] = {}
    derived_from: DerivedFrom | None = None
    hashes: dict[str, str]
    versions: dict[str, str] = {}
    seed: int = 0
    options: SearchAsked
    space: SpaceAccount
    objectives: Annotated[list[ObjectiveAccount], Field(min_length=1)]
    constraints: list[str] = []
    requirements: list[RequirementAccount] = []
    warnings: list[str] = []
    also: list[str]
    units: dict[str, str]
    labels: dict[str, str] = {}
    short_names: dict[str, dict[str, str]] = {}
    pick: Annotated[dict[str, Any] | None, AfterValidator(_is_pick)] = None
    uncertain: list[str] = []
    certificate: Certificate
    frontier: FrontierAccount
    margins: Margins | None = None
    nearest_miss: NearestMiss | None = None
    assumptions: list[AssumedValue]
    components: list[ChosenComponent]
    sources: list[SourceLine]
    synthetic: list[str]
    references: list[ReferenceAccount] = []
    reference_groups: list[ReferenceTable] = []
    timings: Timings
    files: dict[str, str] = {}
    digest: str = ""
    seal: str | None = None

    @property
    def required_by(self) -> dict[str, str]:
        """The requirement of a model that a constraint is, by its text."""
        return {item.condition: item.name for item in self.requirements if item.state == "held"}

    @property
    def lifted(self) -> list[RequirementAccount]:
        """The requirements that the study lifts."""
        return [item for item in self.requirements if item.state == "lifted"]

    @property
    def constraints_text(self) -> list[str]:
        """The constraints, those that models require with their names."""
        required = self.required_by
        return [f"{text} (required by {required[text]})" if text in required else text for text in self.constraints]


def made_by(manifest: Manifest) -> str:
    """Say with what a run was made, and from which folder, as it says itself."""
    version, machine = (manifest.versions.get(name, "unknown") for name in ("dse", "machine"))
    return f"made with dse {version} on {machine}, from {manifest.study_folder}"


def read_manifest(document: object, file: Path) -> Manifest:
    """Check what a manifest file holds.

    Raises
    ------
    RunFolderError
        Another format, something that is missing, or something else in its place.
    """
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise RunFolderError(
            "has another format than this version of dse writes", file=file, allowed=f"format {FORMAT}"
        )
    try:
        manifest = Manifest.model_validate(document)
    except ValidationError as error:
        fault = error.errors()[0]
        key = key_path(fault["loc"])
        problem = "is missing" if fault["type"] == "missing" else f"is {json.dumps(fault['input'], default=str)[:40]}"
        raise RunFolderError(f"'{key}' {problem}; the file is damaged", file=file) from None
    if "digest" not in document:
        raise RunFolderError(
            "'digest' is missing; an older version of dse wrote it, or it was changed", file=file, allowed=_AGAIN
        )
    try:
        whole = manifest_digest(document) == manifest.digest
    except ValueError:  # NaN, which no run writes
        whole = False
    if not whole:
        raise RunFolderError("was changed after the run wrote it", file=file, allowed=_AGAIN)
    try:
        refuse_control({key: value for key, value in document.items() if key != "study_text"}, lines=_SEVERAL_LINES)
    except InputError as error:
        raise RunFolderError(error.problem, file=file, key=error.key) from None
    return manifest
