"""Units as patterns: which texts are a number in a unit of some dimension, for editors, which have no registry.

An editor shows the pattern to people, so it is short: it refuses a word that is no unit of the dimension (``3 GHx`` and
``3 s`` of a frequency), and looks neither at prefixes nor into products (``3 GB/W`` of a bandwidth passes), whose
dimensions `dse.units` alone computes. What it refuses, ``dse check`` refuses too, and not the other way round.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dse.units import CURRENCIES, same_dimension, unit_names

__all__ = ["pattern_of"]

_NUMBER = r"[-+.\d_eE]+"
_PREFIX = "([A-Za-zµμ]i?|[a-z]{2,6})?"
_PRODUCT = r"1\s*/.*|\(.*|[^-+.\d\s]\S*[\s*/^()·⋅×⁻⁰¹²³⁴⁵⁶⁷⁸⁹].*"
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "%": "1", "‰": "1"}  # which become words before a unit is looked up


@lru_cache(maxsize=256)
def pattern_of(unit: str) -> str:
    """Return the pattern of a text that is a number in a unit of the dimension of `unit`."""
    words = sorted((word for word in _names() if same_dimension(word, unit)), key=lambda word: word != unit)
    words += [sign for sign, means in _SIGNS.items() if means == unit and sign not in words]
    named = f"{_PREFIX}({'|'.join(re.escape(word) for word in words)})s?|" if words else ""
    alone = "1|" if unit == "1" else ""
    return rf"^\s*{_NUMBER}\s*({alone}{named}{_PRODUCT}){'?' if unit == '1' else ''}\s*$"


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """Return the words that are units, those with few letters first; currencies have a sign and a word."""
    words = unit_names()
    return tuple(sorted(words, key=lambda word: (words[word] in CURRENCIES, len(word), word)))
