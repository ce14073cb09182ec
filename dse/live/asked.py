"""What a worker process is asked for: jobs as types, a line of JSON each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from dse.study.edit.variant_schema import VariantSpec

__all__ = [
    "AskCheck",
    "AskComparison",
    "AskExport",
    "AskPage",
    "AskPanel",
    "AskRuns",
    "AskSave",
    "AskSearch",
    "Event",
    "Form",
    "Job",
    "job_of",
]

Event = dict[str, JsonValue]
"""What a worker says: ``event`` is "ready", "begun", "progress", "done", "refused" or "failed"."""


Form = Literal["csv", "json", "markdown", "parquet"]
"""A format of other programs, as ``dse export`` writes it."""


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskPanel(_Asked):
    """What of a study can be changed; of the study of a run, where one is named."""

    kind: Literal["panel"] = "panel"
    study: str = ""
    run: str = ""
    allow_code: bool = False


class AskCheck(_Asked):
    """The faults of the text of a study; the model files that may be run are those that its file names."""

    kind: Literal["check"] = "check"
    text: str
    file: str = ""
    folder: str = "."


class AskSearch(_Asked):
    """A search of a study, or of a variant of it, as ``dse run`` does it; `folder` is where runs are kept."""

    kind: Literal["search"] = "search"
    study: str
    variant: VariantSpec = VariantSpec()
    folder: str
    fresh: bool = False
    budget: str = ""


class AskPage(_Asked):
    """The page of a run, with the frontier of another one beside it."""

    kind: Literal["page"] = "page"
    run: str
    before: str = ""
    allow_code: bool = False


class AskComparison(_Asked):
    """The page of a comparison."""

    kind: Literal["comparison"] = "comparison"
    runs: list[str]
    allow_code: bool = False


class AskExport(_Asked):
    """The frontier of a run for other programs."""

    kind: Literal["export"] = "export"
    run: str
    form: Form


class AskSave(_Asked):
    """A study file of a variant, under a name of its own."""

    kind: Literal["save"] = "save"
    study: str
    variant: VariantSpec
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
    folder: str


class AskRuns(_Asked):
    """What is told of each of some run folders in a list."""

    kind: Literal["runs"] = "runs"
    folders: list[str]


Job = AskPanel | AskCheck | AskSearch | AskPage | AskComparison | AskExport | AskSave | AskRuns
_JOB: TypeAdapter[Job] = TypeAdapter(Annotated[Job, Field(discriminator="kind")])


def job_of(line: bytes) -> Job:
    """Return the job that stands in a line."""
    return _JOB.validate_json(line)
