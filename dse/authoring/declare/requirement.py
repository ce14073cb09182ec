"""Requirements: conditions that a model brings with it, so that what cannot be built is not called feasible.

    enough_ports = requirement(
        "radix <= switch_ports", name="ports", source="counts of the graph", doc="Every link has a port at its switch"
    )

One holds in every alternative of a study in which all its quantities can be computed, as a constraint; a study lifts
it by name (``lift = ["network.ports"]``). One that only warns is no constraint: where random designs break it, and a
study computes its quantities anyway, that is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from dse.errors import ModelError

__all__ = ["Requirement", "requirement"]


@dataclass(frozen=True)
class Requirement:
    """A condition of a model over its quantities.

    Attributes
    ----------
    condition : str
        As a study writes constraints, with units.
    source : str
        Why it must hold, or where that is published.
    doc : str
        What it says, in words.
    name, module : str
        A study lifts it as ``module.name``.
    warns : bool
        Whether a design that breaks it is told, and not refused.
    """

    condition: str
    source: str
    doc: str
    name: str = ""
    module: str = ""
    warns: bool = False

    @property
    def label(self) -> str:
        """The name with its module, as studies and messages say it."""
        return f"{self.module}.{self.name}"

    @property
    def written(self) -> str:
        """The condition without blanks, to compare it with what a study writes."""
        return "".join(self.condition.split())


def requirement(condition: str, *, source: str, doc: str, name: str = "", warns: bool = False) -> Requirement:
    """Declare a condition that a model brings with it; its name is the module attribute where none is given."""
    if not source or not doc:
        raise ModelError(f"requirement '{condition}': 'source' and 'doc' say why it must hold and what it says")
    return Requirement(condition=condition, source=source, doc=doc, name=name, warns=warns)
