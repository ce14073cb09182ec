"""Rules across functions: what one operation costs at most, if others can do its work ("Allreduce <= Reduce + Bcast").

Only growths count: the fastest on the right is compared with the one on the left, coefficients are left out (Shudler et
al. 2019, performance guidelines). A rule may be broken by a function that matches its own expectation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dse.errors import InputError, shown
from dse.models.measured_laws.kinds.expectations.growth import Growth, leading

__all__ = ["Rule", "broken_by"]

_NAME = r'\s*(?:"([^"]+)"|([^\s"<>=+]+))\s*'
_RULE = re.compile(rf"{_NAME}<=(.+)\Z", re.DOTALL)
_TERM = re.compile(_NAME)
_LONGEST = 1000


@dataclass(frozen=True)
class Rule:
    """No faster growth on the left than on the right.

    Attributes
    ----------
    function : str
    others : tuple of str
    """

    function: str
    others: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Rule:
        """Read a rule such as ``Allreduce <= Reduce + Bcast``; names with other signs stand in double quotes."""
        match = _RULE.match(text) if len(text) <= _LONGEST else None
        others = [_TERM.fullmatch(part) for part in _parts(match[3])] if match else []
        if match is None or not others or not all(others):
            raise InputError(f"the rule {shown(text)} cannot be read", allowed="such as 'Allreduce <= Reduce + Bcast'")
        return cls(match[1] or match[2], tuple(term[1] or term[2] for term in others if term))

    def __str__(self) -> str:
        """Write it as `of` reads it."""
        return f"{_quoted(self.function)} <= {' + '.join(map(_quoted, self.others))}"

    def check_names(self, known: Iterable[str]) -> None:
        """Refuse a function that nothing is known of."""
        names = list(known)
        for name in (self.function, *self.others):
            if name not in names:
                raise InputError(
                    f"the rule '{self}' has the unknown function '{name}'", allowed=names, wrong=name, candidates=names
                )

    def broken(self, growths: Mapping[str, Growth]) -> bool:
        """Say whether the function grows faster than all others together."""
        return growths[self.function] > leading(growths[name] for name in self.others)


def broken_by(rules: Iterable[Rule], growths: Mapping[str, Growth]) -> dict[str, tuple[Rule, ...]]:
    """Return the rules that each function breaks, by function."""
    broken: dict[str, tuple[Rule, ...]] = {}
    for rule in rules:
        if rule.broken(growths):
            broken[rule.function] = (*broken.get(rule.function, ()), rule)
    return broken


def _parts(text: str) -> list[str]:
    """Split at the plus signs that do not stand in quotes."""
    return re.findall(r'(?:"[^"]*"|[^"+])+', text) if not text.rstrip().endswith("+") else []


def _quoted(name: str) -> str:
    return name if re.fullmatch(r'[^\s"<>=+]+', name) else f'"{name}"'
