"""Variants of a study: what they change, how they are called, and what they were derived from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dse.errors import InputError

__all__ = ["Changes", "Derivation", "name_and_value"]

_LONGEST = 60  # characters of a name made of the changes
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,-]{0,79}")
_OF_PART = re.compile(r"(\s*[A-Za-z_]\w*\[[^\[\]]+\]\s*)(=)(.*)", re.DOTALL)
_SIGNS = {"<=": " le ", ">=": " ge ", "==": " eq ", "!=": " ne ", "<": " lt ", ">": " gt "}


@dataclass(frozen=True)
class Derivation:
    """What a variant was derived from.

    Attributes
    ----------
    study : str
        Name of the study.
    sha256 : str
        Of its content (`dse.study.file.content`).
    variant : str
        Name of the variant, beside that of the study.
    changes : tuple of str
        The changes, each as an option of ``dse run``.
    """

    study: str
    sha256: str
    variant: str
    changes: tuple[str, ...]

    def as_text(self) -> str:
        """Return it as a person reads it."""
        return f"derived from {self.study}: {' '.join(self.changes) or 'no change'}"


@dataclass(frozen=True)
class Changes:
    """What a variant changes.

    Attributes
    ----------
    values : dict
        Axes, parameters and assumptions to their one value, numbers of one part too, ``node_price[small]`` (`set`).
    where : sequence of str
        Further constraints.
    also : sequence of str
        Further quantities to show.
    minimize, maximize : sequence of str
        The objectives instead of the study's, which are shown beside them.
    without : sequence of (str, object)
        What is left out: an axis and a value or part, a choice and a member, "alternative" and its name, or "limit" and
        its text.
    uncertain : dict
        Quantities to what is not known of them: "within 5 %", "error 10 %", "from 1 GHz to 2 GHz", or "none".
    """

    values: Mapping[str, object] = field(default_factory=dict)
    where: Sequence[str] = ()
    also: Sequence[str] = ()
    minimize: Sequence[str] = ()
    maximize: Sequence[str] = ()
    without: Sequence[tuple[str, object]] = ()
    uncertain: Mapping[str, str] = field(default_factory=dict)

    def as_options(self) -> tuple[str, ...]:
        """Return each change as an option of ``dse run``."""
        options = [("--set", f"{name}={value}") for name, value in self.values.items()]
        options += [("--where", text) for text in self.where] + [("--also", name) for name in self.also]
        options += [("--min", name) for name in self.minimize] + [("--max", name) for name in self.maximize]
        options += [("--without", f"{name}={value}") for name, value in self.without]
        options += [("--uncertain", f"{name}={text}") for name, text in self.uncertain.items()]
        return tuple(f"{option} {_quoted(' '.join(text.split()))}" for option, text in options)

    def derivation(self, study: str, content: str, name: str | None, before: Derivation | None) -> Derivation:
        """Return what the variant is derived from: the study, or what this one was derived from.

        Raises
        ------
        InputError
            A name that is no name of a folder, or none where nothing is changed.
        """
        options = self.as_options()
        if name is not None:
            if not _NAME.fullmatch(name) or name.endswith(".toml"):
                raise InputError(
                    f"'{name}' is no name of a variant",
                    key="--name",
                    allowed="a letter or a digit, and up to 79 letters, digits, '.', '_', '+', '=', ',', '-'",
                )
        elif not options:
            raise InputError("nothing is changed", allowed="a change, or a name for the variant")
        name = name or "+".join(filter(None, [before.variant if before else "", _short_name(options)]))
        if len(name) > _LONGEST:
            name = f"{name[: _LONGEST - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        if before is not None:
            return Derivation(before.study, before.sha256, name, (*before.changes, *options))
        return Derivation(study, content, name, options)


def name_and_value(text: str) -> tuple[str, str, str]:
    """Return name, ``=`` and value of a change; the last two empty where there is no ``=``.

    Examples
    --------
    >>> name_and_value("nodes=16"), name_and_value("price[a=b]=3 kUSD")
    (('nodes', '=', '16'), ('price[a=b]', '=', '3 kUSD'))
    """
    part = _OF_PART.fullmatch(text)  # the name of a part may hold anything
    return text.partition("=") if part is None else (part[1], part[2], part[3])


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_.,=@/+-]+", text) else '"' + re.sub(r'(["\\$`])', r"\\\1", text) + '"'


def _short_name(options: Sequence[str]) -> str:
    """Return changes as the name of a folder: letters, digits and ``. _ + = , -``."""
    names = []
    for option in options:
        kind, _, text = option.partition(" ")
        for sign, word in _SIGNS.items() if kind == "--where" else ():
            text = text.replace(sign, word)
        text = re.sub(r"[^A-Za-z0-9._+=,]+", "-", text.replace("]=", "=")).strip("-")
        names.append({"--set": "", "--where": "", "--without": "without-"}.get(kind, f"{kind[2:]}-") + text)
    return ",".join(names).lstrip("._+=,-")
