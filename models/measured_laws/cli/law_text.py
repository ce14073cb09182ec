"""What all tables of laws say alike: the error of cross-validation, and what is to be mistrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["error_text", "say_warnings", "say_what_intervals_rest_on"]

_EXACT = 1e-9


def error_text(error: float, digits: int = 3) -> str:
    """Return the error of left-out runs as a share in percent; without noise laws are found exactly."""
    return "exact" if error < _EXACT else f"{100 * error:.{digits}g} %"


def say_warnings(warnings: Sequence[str], *, synthetic: bool = False) -> None:
    """Print warnings, and that data are made up."""
    from dse.cli.text.output import say

    for warning in warnings:
        say(f"warning: {warning}", style="yellow")
    if synthetic:
        say("SYNTHETIC data, not measurements", style="bold yellow")


_RESTS_ON = {
    "one growth": "beyond the runs the interval is that of one growth; a sum of two is often missed",
    "the terms of the law": "beyond the runs the interval is that of the law's terms and of laws that fit as well; "
    "others are possible",
    "a constant": "the runs do not tell it from a constant; the interval holds growth that noise hides, linear at most",
    "a fall that may turn": "what falls may turn: the interval holds rising tails that the runs do not exclude",
    "a sum of two": "no one growth fits the runs as well as they repeat: the interval holds sums of two, and may miss "
    "others",
}
_UNDECIDED = 2.0
"""Width over the value from which the runs leave open what comes."""


def say_what_intervals_rest_on(asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print what intervals beyond the runs rest on, by the name of what is foretold, and where they leave it open."""
    from dse.cli.text.output import say

    for name, answers in asked.items():
        before = f"{name}: " if len(asked) > 1 else ""
        for words in dict.fromkeys(each["rests_on"] for each in answers):
            say(f"{before}{_RESTS_ON[words]}", style="dim")
        if any(each["high"] - each["low"] > _UNDECIDED * abs(each["value"]) for each in answers):
            say(f"{before}the runs do not decide what comes there: measure nearer to it, or more often", style="yellow")
