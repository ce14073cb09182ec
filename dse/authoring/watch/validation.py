"""How well the law that a part is used with held for real machines with it: a text of a catalogue, one line long."""

from __future__ import annotations

from collections.abc import Mapping

from dse.errors import InputError, refuse_control

__all__ = ["HEADING", "LONGEST", "refuse_faulty_validation", "validation_lines"]

LONGEST = 200  # characters
HEADING = "how well laws held for real machines"


def refuse_faulty_validation(text: str) -> None:
    """Refuse a text that is too long to stand beside a design, or that cannot be printed.

    Raises
    ------
    InputError
        Too many characters, or a control character.
    """
    if len(text) > LONGEST:
        raise InputError(f"has {len(text)} characters", allowed=f"at most {LONGEST}")
    refuse_control(text)


def validation_lines(parts: Mapping[str, object], validation: Mapping[str, str]) -> list[str]:
    """Return a line for each part of a design that has such a text: "device MI300A: 2 machines, …".

    Parameters
    ----------
    parts : dict of str to object
        By axis: how the part is called.
    validation : dict of str to str
        By axis: the text.
    """
    return [f"{axis} {parts[axis]}: {text}" for axis, text in validation.items()]
