"""The requirements of a study's models: which are constraints, which it lifts, and which cannot be checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dse.authoring.declare.requirement import Requirement
from dse.authoring.library.library import Model
from dse.errors import InputError
from dse.study.file.schema import StudySpec

__all__ = ["RequirementState", "requirement_states", "warnings_of"]

BY_DEFINITION = "held by definition"
"""What is said of a requirement whose two sides the study defines to be the same: it needs no constraint."""
HELD, LIFTED, STATED, NOT_CHECKED = "held", "lifted", "a constraint of the study", "not checked"
_FEW = 3


@dataclass
class RequirementState:
    """What became of a requirement in a study.

    Attributes
    ----------
    requirement : Requirement
    state : str
        "held", "lifted", "a constraint of the study" (which has the same condition) or "not checked".
    lacking : dict of str to list of str
        Why it cannot be checked, each time with the alternatives.
    """

    requirement: Requirement
    state: str
    lacking: dict[str, list[str]] = field(default_factory=dict)

    def note(self, alternative: str, reason: str) -> None:
        """Note that it cannot be checked in an alternative, or that it can (no reason)."""
        if reason:
            self.lacking.setdefault(reason, []).append(alternative)
        else:
            self.state = HELD

    def as_text(self) -> str:
        """Say what became of it, in one line."""
        item = self.requirement
        text = f"{item.label}: {item.condition} ({item.doc})"
        if self.state in (LIFTED, STATED):
            return f"{text}: {self.state}"
        reasons = [
            reason + (f" in {_some(names)}" if self.state == HELD or len(self.lacking) > 1 else "")
            for reason, names in self.lacking.items()
        ]
        alike = [reason for reason in reasons if reason.startswith(BY_DEFINITION)]
        others = [reason for reason in reasons if reason not in alike]
        clauses = [HELD] if self.state == HELD else []
        clauses += alike + ([f"not checked, {'; '.join(others)}"] if others else [])
        return f"{text}: {'; '.join(clauses)}"


def requirement_states(spec: StudySpec, models: Sequence[Model]) -> dict[str, RequirementState]:
    """Return the requirements of the models by name, before it is known which can be checked.

    Raises
    ------
    InputError
        The study lifts what is no requirement of its models, or what it states itself.
    """
    every = {item.label: item for item in _declared(models) if not item.warns}
    stated = {"".join(text.split()) for text in spec.constraints}
    for position, name in enumerate(spec.lift):
        if name not in every:
            raise InputError(
                f"no model of the study has a requirement '{name}'",
                key=f"lift[{position}]",
                allowed=list(every) or "none, its models have no requirements",
                wrong=name,
                candidates=every,
            )
        if every[name].written in stated:
            raise InputError(
                f"'{name}' is lifted, and its condition stands among the constraints",
                key=f"lift[{position}]",
                allowed="one of the two",
            )
    return {
        name: RequirementState(item, LIFTED if name in spec.lift else STATED if item.written in stated else NOT_CHECKED)
        for name, item in every.items()
    }


def warnings_of(models: Sequence[Model]) -> list[Requirement]:
    """Return the conditions that only warn."""
    return [item for item in _declared(models) if item.warns]


def _some(names: Sequence[str]) -> str:
    """Name a few alternatives, or count many."""
    return ", ".join(f"'{name}'" for name in names) if len(names) <= _FEW else f"{len(names)} alternatives"


def _declared(models: Iterable[Model]) -> list[Requirement]:
    """Return the requirements of the models; one that several bring along stands once."""
    requirements: dict[str, Requirement] = {}
    for model in models:
        for item in model.requirements.values():
            requirements.setdefault(item.written, item)
    return [*requirements.values()]
