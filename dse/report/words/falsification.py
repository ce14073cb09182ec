"""What measured systems say of an answer, in words: the same on screen, page and in the notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dse.run.result.falsification_account import (
    FalsificationAccount,
    JudgedClass,
    MeasuredSystem,
    read_falsification,
)

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = [
    "VERDICT_HEADINGS",
    "WITHDRAWN",
    "ClassSentence",
    "change_in_words",
    "class_sentences",
    "exact_laws",
    "falsification_lines",
    "qualified",
    "system_in_words",
    "verdict_rows",
]

WITHDRAWN = "no statement"
"""How begins what `qualified` says of a choice where a class is refuted."""

VERDICT_HEADINGS = (
    "system",
    "class",
    "verdict",
    "e",
    "standard errors",
    "scale",
    "computed over measured",
    "by laws without it (standard errors)",
    "what would change it",
)

_MOST = 3  # systems of one verdict that are told one by one
_FAR = 1.5  # a factor that is told with one digit
_OFF = 2.0  # standard errors of a law without the system
_VERDICTS = ("contradicts", "weakens", "on the frontier", "agrees", "says nothing")


class ClassSentence(NamedTuple):
    """What is left to say of a class: "withdrawn" or "probably", and the sentence."""

    about: str
    text: str


def class_sentences(account: FalsificationAccount | None) -> list[ClassSentence]:
    """Return a sentence for each class of which a system refutes or weakens what the laws say; refuted ones first."""
    if account is None:
        return []
    sentences = []
    for about, word in (("withdrawn", "contradicts"), ("probably", "weakens")):
        for judged in account.classes:
            systems = [system for system in account.of(word) if system.of_class == judged.name]
            if judged.word == word and systems:
                sentences.append(ClassSentence(about, _of_class(judged, systems)))
    return sentences


def _of_class(judged: JudgedClass, systems: list[MeasuredSystem]) -> str:
    grave = max(systems, key=lambda system: system.excess or 0.0)
    others = [system.name for system in systems if system is not grave]
    also = f"; so {'does' if len(others) == 1 else 'do'} {', '.join(others)}" if others else ""
    errors = "" if grave.standard_errors is None else f" ({grave.standard_errors:.1f} standard errors)"
    measured = f"{grave.name} as measured is {_against(grave)}{errors}{also}"
    if judged.word == "contradicts":
        return (
            f"The laws say that designs of {judged.name} are {_by_laws(judged)}; {measured}: "
            f"the law of {judged.name} is refuted, no statement on the class"
        )
    if grave.present:
        return f"What the laws say of {judged.name} holds probably, no more: {measured}"
    return f"Designs of {judged.name} are probably {_by_laws(judged)}, no more: {measured}"


def _by_laws(judged: JudgedClass) -> str:
    if judged.factor is None:
        return "off the frontier"
    digits = 1 if judged.factor >= _FAR else 2
    return f"{'' if judged.exact else 'up to '}{judged.factor:.{digits}f} times worse"


def _against(system: MeasuredSystem) -> str:
    """Say how a system stands to the frontier."""
    excess = system.excess or 0.0
    if excess > 1.0:
        percent = 100.0 * (excess - 1.0)
        return f"{percent:.1f} % beyond the frontier's best" if percent < 100.0 else f"{excess:.2f} times better"
    return f"{1.0 / excess:.2f} times worse" if excess else "worse"


def system_in_words(system: MeasuredSystem) -> str:
    """Say what one system says."""
    if system.doubted:
        return f"{system.name}: its measured figures are doubted, so it is named and not believed"
    if system.excess is None:
        why = f" ({system.limit})" if system.limit else ""
        return f"{system.name} says nothing of this study's limits, only of its laws{why}"
    errors = "" if system.standard_errors is None else f" ({system.standard_errors:.1f} standard errors)"
    if system.word == "agrees":
        return f"{system.name} as measured is beaten by designs of the frontier ({system.excess:.2f}): no contradiction"
    if system.word == "on the frontier":
        beyond = 100.0 * (system.excess - 1.0)
        best = f"{system.name} as measured is as good as the frontier's best"
        return f"{best} ({beyond:.1f} % beyond it, within the law's error)"
    against = "refutes the law of" if system.word == "contradicts" else "weakens what is said of"
    return f"{system.name} as measured is {_against(system)}{errors}, which {against} {system.of_class}"


def change_in_words(system: MeasuredSystem) -> str:
    """Say what would change the verdict on a system; empty where nothing better would."""
    if system.next is None:
        return ""
    words = {"on the frontier": "be on the frontier", "weakens": "weaken it", "contradicts": "contradict it"}
    return f"{system.name} {system.next.times_better:.2f} times better would {words[system.next.word]}"


def falsification_lines(account: FalsificationAccount, label: Callable[[str], str] = str) -> list[str]:
    """Return a line for each system that tells something, what refutes first; then those that say nothing, counted.

    Parameters
    ----------
    account : FalsificationAccount
    label : callable
        Gives the words for a quantity.
    """
    lines = [_classes(account)] if account.classes else []
    lines += [system_in_words(system) for word in _VERDICTS[:3] for system in account.of(word)]
    agree = sorted(account.of("agrees"), key=lambda system: -(system.excess or 0.0))
    lines += [system_in_words(system) for system in agree[:_MOST]]
    return [*lines, *_counted(account, agree, label)]


def _classes(account: FalsificationAccount) -> str:
    """Say of each class how many designs of the frontier are of it, and how far its laws may be off."""
    words = []
    for judged in account.classes:
        count = "none" if judged.offered else "not offered"
        text = f"{judged.name} {judged.designs or count}"
        if judged.law_error is not None and judged.offered:
            text += f" (laws off by {100 * judged.law_error:.0f} %, one standard error)"
        words.append(text)
    return f"designs of the frontier by class: {', '.join(words)}"


def _counted(account: FalsificationAccount, agree: list[MeasuredSystem], label: Callable[[str], str]) -> Iterator[str]:
    more = agree[_MOST:]
    if more:
        names = ", ".join(system.name for system in more)
        yield f"{len(more)} more {'agrees' if len(more) == 1 else 'agree'}: {names}"
    yield from (system_in_words(system) for system in account.systems if system.doubted)
    silent = [system for system in account.of("says nothing") if not system.doubted]
    if silent:
        names = ", ".join(system.name for system in silent)
        yield f"they say nothing of this study's limits, only of its laws: {names}"
    off = [
        system for system in account.systems if any(abs(own.standard_errors) > _OFF for own in system.left_out.values())
    ]
    if off:
        words = "; ".join(f"{system.name} {left_out_in_words(system)}" for system in off)
        yield f"beyond two standard errors of laws without it: {words}"
    for judged in account.classes:
        if judged.factor is not None and not judged.word:
            yield f"the laws say that designs of {judged.name} are {_by_laws(judged)}"
    scaled = [system for system in account.systems if system.excess is not None and system.scale not in (None, 1.0)]
    if scaled:
        sizes = "; ".join(f"{system.name} at {system.scale:.3f} of its size ({system.limit})" for system in scaled)
        yield f"brought within the limits: {sizes}"
    yield from _far(account, label)
    changes = sorted(
        (system for system in account.systems if system.next is not None),
        key=lambda system: system.next.times_better if system.next is not None else 0.0,
    )
    if changes:
        yield f"what would change it: {'; '.join(change_in_words(system) for system in changes[:_MOST])}"


def _far(account: FalsificationAccount, label: Callable[[str], str]) -> Iterator[str]:
    """Say of which systems that are held against the frontier the space has no design like them, and in what."""
    held = [system for system in account.systems if system.excess is not None and not system.doubted]
    for name in dict.fromkeys(system.of_class for system in held if system.nearest is None):
        alike = [system.name for system in held if system.nearest is None and system.of_class == name]
        yield f"the space has no design of {name}, so none like {', '.join(alike)}"
    for system in held:
        if system.nearest is not None and system.nearest.missing:
            ratios = [f"{system.nearest.ratios[name]:.2g} times its {label(name)}" for name in system.nearest.missing]
            yield f"no design is like {system.name} within a factor of 1.5: the nearest has {' and '.join(ratios)}"


def verdict_rows(account: FalsificationAccount, label: Callable[[str], str] = str) -> list[list[str]]:
    """Return a row of texts for each system, as `VERDICT_HEADINGS` has them; what refutes first."""
    order = {word: place for place, word in enumerate(_VERDICTS)}
    systems = sorted(account.systems, key=lambda system: (order[system.word], -(system.excess or 0.0)))
    return [
        [
            system.name,
            system.of_class,
            system.word,
            "–" if system.excess is None else f"{system.excess:.3f}",
            "–" if system.standard_errors is None or system.excess is None else f"{system.standard_errors:.1f}",
            "–" if system.scale is None else f"{system.scale:.3f}",
            ", ".join(f"{label(name)} {100 * (ratio - 1):+.1f} %" for name, ratio in system.model_over_measured.items())
            or "–",
            left_out_in_words(system) or "–",
            change_in_words(system) or "–",
        ]
        for system in systems
    ]


def left_out_in_words(system: MeasuredSystem) -> str:
    """Say what laws without a system give of it: "rate +10.5 % (1.1), power …", with their distance in its errors."""
    return ", ".join(
        f"{name} {100 * (own.ratio - 1):+.1f} % ({own.standard_errors:+.1f})" for name, own in system.left_out.items()
    )


def exact_laws(account: FalsificationAccount | None) -> list[str]:
    """Return the classes whose laws are in no draw, so that nothing of them is sure."""
    return [] if account is None else [judged.name for judged in account.classes if judged.taken_as_exact]


def qualified(run: Run, choice: str) -> str:
    """Return what is said with a settled member of a choice: "probably …", "no statement: …", "the law of …"; or "".

    Parameters
    ----------
    run : Run
    choice : str
        A choice of the space, by whose members systems are of classes.
    """
    account = read_falsification(run)
    if account is None:
        return ""
    classes = [judged for judged in account.classes if choice in judged.of]
    for judged in classes:
        if judged.word == "contradicts":
            return f"{WITHDRAWN}: {', '.join(judged.by)} refutes the law of {judged.name}"
    for judged in classes:
        if judged.word == "weakens":
            return f"probably, no more: {', '.join(judged.by)}"
    exact = [judged.name for judged in classes if judged.taken_as_exact]
    return f"the law of {' and of '.join(exact)} was taken as exact" if exact else ""
