"""The language of expectations: ``log p``, ``p^(1/2) log^2 p``, ``k^3 2^k``, ``O(1)``, ``p / log p``.

A text is one term in one variable, and is parsed by a grammar: nothing in it is ever run.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dse.errors import InputError, refuse_control
from dse.models.measured_laws.kinds.expectations.growth import Growth

if TYPE_CHECKING:
    import lark

__all__ = ["EXAMPLES", "parse_growth"]

EXAMPLES = "one term such as 'log p', 'p^(1/2) log^2 p', '1/p', 'k^3 2^k', 'O(1)'"
_LONGEST, _LARGEST = 200, 16
_GRAMMAR = r"""
?start: "O" "(" product ")" | product
product: factor (_TIMES? factor | by)*
by: "/" factor
?factor: _ONE -> one
    | name ["^" exponent] -> power
    | _LOG ["^" exponent] argument -> logarithm
    | "(" _LOG argument ")" "^" exponent -> raised_logarithm
    | _SQRT argument -> root
    | _TWO "^" name -> exponential
    | _TWO "^" "(" multiple ")" -> exponential_of
multiple: (scale _TIMES?)? name divisor? | minus name divisor?
scale: SIGNED | UNSIGNED ["/" UNSIGNED] | "(" SIGNED ["/" UNSIGNED] ")" | SIGNED "/" UNSIGNED
divisor: "/" UNSIGNED
minus: "-"
?argument: name | "(" name ")"
exponent: SIGNED | UNSIGNED | "(" (SIGNED | UNSIGNED) ["/" UNSIGNED] ")"
name: NAME
_ONE.3: /1(?![\d.])/
_TWO.3: /2(?=\s*\^)/
_TIMES: "*" | "·"
SIGNED.2: /-\d{1,4}(\.\d{1,4})?/
UNSIGNED.1: /\d{1,4}(\.\d{1,4})?/
_LOG.4: /log2?(?![A-Za-z_\d])/
_SQRT.4: /sqrt(?![A-Za-z_\d])/
NAME: /[A-Za-z_][A-Za-z_\d]*/
%ignore /[ \t]+/
"""
_BARE_FRACTION = re.compile(r"\^\s*(-?\d+\s*/\s*\d+)")
_NUMBER = re.compile(r"(?:^|[\s*·])(\d+(?:\.\d+)?)(?!\s*\^)")


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=False)


@lru_cache(maxsize=1024)
def parse_growth(text: str, variable: str | None = None) -> tuple[Growth, str | None]:
    """Read a growth.

    Parameters
    ----------
    text : str
        Factors beside each other: powers of a variable, its binary logarithm, 2 to the power of a multiple of it.
    variable : str, optional
        The only variable that may stand in it.

    Returns
    -------
    growth : Growth
    variable : str or None
        As it stands in the text; None for a constant.

    Raises
    ------
    InputError
        A text that cannot be read, two variables, another one than `variable`, exponents beyond 16.
    """
    from lark.exceptions import UnexpectedInput

    if len(text) > _LONGEST:
        raise InputError(f"the growth has {len(text)} characters", allowed=f"at most {_LONGEST}")
    refuse_control(text)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _unreadable(text, error) from None
    growth, names = _product(tree), sorted({str(leaf.children[0]) for leaf in tree.find_data("name")})
    if len(names) > 1:
        raise InputError(f"the growth '{text}' has {len(names)} variables ({', '.join(names)})", allowed="one")
    if variable is not None and names and names != [variable]:
        raise InputError(
            f"the growth '{text}' is in {names[0]}", allowed=variable, wrong=names[0], candidates=[variable]
        )
    if any(abs(exponent) > _LARGEST for exponent in growth.exponents):
        raise InputError(f"the growth '{text}' has an exponent beyond {_LARGEST}", allowed=f"-{_LARGEST} to {_LARGEST}")
    return growth, (names[0] if names else None)


def _unreadable(text: str, error: Any) -> InputError:
    fraction = _BARE_FRACTION.search(text)
    if fraction:
        return InputError(f"the growth '{text}': '^{fraction[1]}' can be read in two ways", allowed=f"^({fraction[1]})")
    if "+" in text:
        return InputError(f"the growth '{text}' is a sum", allowed="its fastest term alone")
    number = _NUMBER.search(text)
    if number and number[1] != "1":
        return InputError(
            f"the growth '{text}' has the coefficient {number[1]}", allowed="a growth without coefficient"
        )
    column = getattr(error, "column", -1)
    rest = text[column - 1 :][:20] if isinstance(column, int) and column > 0 else ""
    where = f"at '{rest}' (character {column})" if rest else "at its end"
    return InputError(f"the growth '{text}' cannot be read {where}", allowed=EXAMPLES)


def _product(tree: Any) -> Growth:
    """Return the product of the factors below a tree."""
    if tree.data == "product":
        product = Growth()
        for part in tree.children:
            product = product / _factor(part.children[0]) if part.data == "by" else product * _factor(part)
        return product
    return _product(tree.children[0])


def _factor(tree: Any) -> Growth:
    numbers = [child for child in tree.children if child.data == "exponent"]
    exponent = _fraction(numbers[0]) if numbers else Fraction(1)
    match tree.data:
        case "one":
            return Growth()
        case "power":
            return Growth(power=exponent)
        case "logarithm" | "raised_logarithm":
            return Growth(logarithm=exponent)
        case "root":
            return Growth(power=Fraction(1, 2))
        case "exponential":
            return Growth(exponential=exponent)
    return Growth(exponential=_multiple(tree.children[0]))


def _multiple(tree: Any) -> Fraction:
    value = Fraction(1)
    for child in tree.children:
        if child.data == "scale":
            value *= _fraction(child)
        elif child.data == "divisor":
            value /= _divisor(child)
        elif child.data == "minus":
            value = -value
    return value


def _fraction(tree: Any) -> Fraction:
    top, *bottom = (Fraction(str(token)) for token in tree.children)
    return top if not bottom else top / _nonzero(bottom[0])


def _divisor(tree: Any) -> Fraction:
    return _nonzero(Fraction(str(tree.children[0])))


def _nonzero(value: Fraction) -> Fraction:
    if not value:
        raise InputError("a growth divides by 0", allowed=EXAMPLES)
    return value
