"""What all tables of laws say alike: the error of cross-validation, and what is to be mistrusted."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["error_text", "say_warnings"]

_EXACT = 1e-9


def error_text(error: float, digits: int = 3) -> str:
    """Return an error of cross-validation as a share in percent; without noise laws are found exactly."""
    return "exact" if error < _EXACT else f"{100 * error:.{digits}g} %"


def say_warnings(warnings: Sequence[str], *, synthetic: bool = False) -> None:
    """Print warnings, and that data are made up."""
    from dse.cli.text.output import say

    for warning in warnings:
        say(f"warning: {warning}", style="yellow")
    if synthetic:
        say("SYNTHETIC data, not measurements", style="bold yellow")
