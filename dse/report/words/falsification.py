"""What measured systems say of an answer, in words: the same on screen, page and in the notebook."""

from __future__ import annotations

from collections.abc import Iterator

from dse.run.result.falsification_account import FalsificationAccount, MeasuredSystem

__all__ = ["falsification_lines", "withdrawn_line"]

_MOST = 3  # systems of one verdict that are told one by one


def withdrawn_line(account: FalsificationAccount) -> str:
    """Return the sentence that takes a statement back; empty where nothing is refuted."""
    lines = [_contradicts(system) for system in account.systems if system.word == "contradicts"]
    return "; ".join(lines)


def falsification_lines(account: FalsificationAccount) -> list[str]:
    """Return a line for each system that tells something, what refutes first; then those that say nothing, counted."""
    lines = [_contradicts(system) for system in account.of("contradicts")]
    for system in account.of("weakens"):
        lines.append(
            f"{system.name} as measured weakens it: {_beyond(system)}; probably, not more, of {system.of_class}"
        )
    for system in account.of("on the frontier"):
        lines.append(
            f"{system.name} as measured is as good as the frontier's best ({_beyond(system)}, within the law's error)"
        )
    agree = sorted(account.of("agrees"), key=lambda system: -(system.excess or 0.0))
    for system in agree[:_MOST]:
        lines.append(
            f"{system.name} as measured is beaten by designs of the frontier ({system.excess:.2f}): no contradiction"
        )
    lines += _counted(account, agree)
    return lines


def _counted(account: FalsificationAccount, agree: list[MeasuredSystem]) -> Iterator[str]:
    if len(agree) > _MOST:
        yield f"{len(agree) - _MOST} more machines agree: {', '.join(system.name for system in agree[_MOST:])}"
    for system in account.systems:
        if system.doubted:
            yield f"{system.name}: its measured figures are doubted, so it is named and not believed"
    silent = [system for system in account.of("says nothing") if not system.doubted]
    if silent:
        names = ", ".join(system.name for system in silent)
        yield f"they say nothing of this study's limits, only of its laws: {names}"


def _beyond(system: MeasuredSystem) -> str:
    assert system.excess is not None
    errors = "" if system.standard_errors is None else f", {system.standard_errors:.1f} standard errors"
    if system.excess > 1.0:
        return f"{100 * (system.excess - 1):.1f} % beyond it{errors}"
    return f"the laws have it {system.factor:.2f} times worse, it is {1 / system.excess:.2f} times worse{errors}"


def _contradicts(system: MeasuredSystem) -> str:
    assert system.excess is not None
    law = "on the frontier at best" if system.present else f"{system.factor:.1f} times worse"
    against = (
        f"{1 / system.excess:.2f} times worse"
        if system.excess < 1.0
        else f"{system.excess:.2f} times better than all designs"
    )
    errors = "" if system.standard_errors is None else f" ({system.standard_errors:.1f} standard errors)"
    return (
        f"the laws say that designs of {system.of_class} are {law}; {system.name} as measured is {against}{errors}: "
        f"the law of {system.of_class} is refuted, no statement on the class"
    )
