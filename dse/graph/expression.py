"""Constraints and derived quantities as a study writes them: ``node_power * nodes <= 20 MW and cores != 48``.

The text is parsed by a grammar into a tree and the tree is checked for units and turned into array operations; it
never reaches Python's own parser, so a study file stays data.

A number and its unit are one word: ``20 MW`` or ``5 GB/s``, written without blanks round the "/". What could be a
quantity as well as a unit (``20 MW/nodes``) is refused with both readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.arithmetic.power import power
from dse.errors import InputError, MissingQuantityError, NonFiniteError
from dse.units import base_unit, counts_in, factor, parse_quantity, product_unit, same_dimension, unit_of

if TYPE_CHECKING:
    import lark

__all__ = ["Expression", "names_in", "parse", "words_in"]

_GRAMMAR = r"""
?start: any_of
?any_of: all_of
       | all_of ("or" all_of)+          -> any_of
?all_of: negation
       | negation ("and" negation)+     -> all_of
?negation: "not" negation               -> negation
         | comparison
?comparison: sum
           | sum COMPARE sum            -> comparison
           | sum "in" "[" sum ("," sum)* "]"  -> membership
?sum: product
    | product ((PLUS | MINUS) product)+ -> sum
?product: signed
        | signed ((TIMES | OVER) signed)+ -> product
?signed: MINUS signed                   -> minus
       | power
?power: atom
      | atom ("**" | "^") signed        -> power
?atom: QUANTITY                         -> literal
     | NUMBER                           -> literal
     | STRING                           -> text
     | NAME "(" any_of ("," any_of)* ")" -> call
     | NAME                             -> name
     | "(" any_of ")"
COMPARE: "<=" | ">=" | "==" | "!=" | "<" | ">"
PLUS: "+"
MINUS: "-"
TIMES: "*"
OVER: "/"
NUMBER: /@NUMBER@/
QUANTITY.2: /@NUMBER@[ \t]*(?!(and|or|not|in)\b)(?![eE][-+]?\d)@UNIT@(\^-?\d+)?(\/@UNIT@(?![\w@]|[ \t]*\()(\^\d+)?)*/
NAME: /(?!(and|or|not|in)\b)[A-Za-z_][A-Za-z0-9_]*(@[A-Za-z_][A-Za-z0-9_]*)*/
STRING: /"[^"]*"|'[^']*'/
%ignore /[ \t\n\r]+/
""".replace("@NUMBER@", r"(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?").replace("@UNIT@", "[A-Za-zµ%°€$£]+")

_FUNCTIONS: dict[str, tuple[int, np.ufunc]] = {
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "floor": (1, np.floor),
    "ceil": (1, np.ceil),
}

_COMPARE: dict[str, np.ufunc] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "<": np.less,
    ">": np.greater,
    "==": np.equal,
    "!=": np.not_equal,
}
_OPERATIONS: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}
_LONGEST = 2000
_DEEPEST = 60
_PREFIX_APART = re.compile(r"\d\s*[kKMGTP]\s+\Z")
_NESTED = re.compile(r"\(|\bnot\b|\^|\*\*|-\s*(?=-)")


Compute: TypeAlias = Callable[[Mapping[str, Operand]], Operand | str]
"""From the quantities by name to a result; a text where the expression is one."""


class _Tree(Protocol):
    """A part of a parsed text, by its rule of the grammar; of a leaf only the text is read."""

    @property
    def data(self) -> str: ...
    @property
    def children(self) -> Sequence[Any]: ...  # lark mixes parts and leaves; the grammar says which stands where
    def iter_subtrees(self) -> Iterable[_Tree]: ...
    def iter_subtrees_topdown(self) -> Iterable[_Tree]: ...


@dataclass(frozen=True)
class Node:
    """A part of an expression that knows its unit (``"bool"`` for a condition) and how to compute itself.

    `name` is that of the quantity it is, `word` what stands in quotes, where it is nothing else.
    """

    unit: str
    compute: Compute
    is_zero: bool = False
    name: str = ""
    word: str = ""

    @property
    def is_constant(self) -> bool:
        """Whether it reads no quantity."""
        try:
            self.compute({})
        except KeyError:
            return False
        return True


@dataclass(frozen=True, eq=False)
class Expression:
    """A checked expression.

    Attributes
    ----------
    text : str
        As written.
    needs : tuple of str
        Quantities it reads, in order of appearance.
    unit : str
        SI unit of the result; ``"bool"`` for a condition.
    sides : tuple or None
        (left, relation, right) of a plain comparison, for slacks.
    difference : bool
        The last operation is a subtraction or a change of sign, so that the result is meant to fall below 0.
    """

    text: str
    needs: tuple[str, ...]
    unit: str
    compute: Compute
    sides: tuple[Node, str, Node] | None = None
    difference: bool = False

    def __call__(self, *values: Operand) -> Operand | str:
        """Compute it from values in the order of `needs`."""
        return self.compute(dict(zip(self.needs, values, strict=True)))


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=False)


@lru_cache(maxsize=2048)
def names_in(text: str) -> tuple[str, ...]:
    """Return the quantities an expression reads."""
    trees = _tree(text).iter_subtrees_topdown()
    return tuple(dict.fromkeys(str(tree.children[0]) for tree in trees if tree.data == "name"))


@lru_cache(maxsize=2048)
def words_in(text: str) -> tuple[str, ...]:
    """Return what stands in quotes in an expression, without the quotes."""
    trees = _tree(text).iter_subtrees_topdown()
    return tuple(dict.fromkeys(str(tree.children[0])[1:-1] for tree in trees if tree.data == "text"))


@lru_cache(maxsize=2048)
def _tree(text: str) -> _Tree:
    from lark import Token, Tree, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

    if len(text) > _LONGEST:
        raise InputError(f"the expression has {len(text)} characters", allowed=f"at most {_LONGEST}")
    if len(_NESTED.findall(text)) > _DEEPEST:
        raise InputError("the expression is nested too deeply", allowed=f"at most {_DEEPEST} levels")
    try:
        tree = _parser().parse(text)
    except UnexpectedEOF:
        raise InputError(f"the expression '{text}' ends too early") from None
    except (UnexpectedCharacters, UnexpectedToken, UnexpectedInput) as error:
        if getattr(getattr(error, "token", None), "type", "") == "$END":
            raise InputError(f"the expression '{text}' ends too early") from None
        column = getattr(error, "column", 1)
        column = len(text) + 1 if not isinstance(column, int) or column < 1 else column
        rest = text[column - 1 :][:20]
        where = f"at '{rest}' (character {column})" if rest else "at its end"
        apart = _PREFIX_APART.search(text[: column - 1])
        raise InputError(
            f"the expression '{text}' cannot be read {where}",
            allowed="a prefix right before its unit, such as 250 kEUR or 250e3 EUR"
            if apart and rest[:1].isalpha()
            else "such as 'power <= 20 MW', 'nodes * cores < 1e6'",
        ) from None
    return Tree("name", [tree]) if isinstance(tree, Token) else tree


def parse(text: str, units: Mapping[str, str], names: Collection[str] = ()) -> Expression:
    """Parse an expression and check its units.

    Parameters
    ----------
    text : str
        The expression.
    units : dict of str to str
        SI unit of every quantity it may read (``"text"`` for texts).
    names : collection of str
        Further names that a reader may take for quantities, so that they are no units.

    Raises
    ------
    InputError
        Unreadable text, an unknown quantity, a number without its unit, units that do not fit, a quantity's name among
        the words of a unit.
    """
    tree = _tree(text)
    _refuse_infinite(tree, units, text)
    for literal in _literals_in(text):
        _refuse_two_readings(literal, units, names, text)
    node = _build(tree, units, text)
    sides = None
    if tree.data == "comparison":
        left, relation, right = tree.children
        fitted = _fitted(_build(left, units, text), _build(right, units, text), text)
        sides = (fitted[0], str(relation), fitted[1])
    return Expression(text, names_in(text), node.unit, node.compute, sides, _is_difference(tree))


@lru_cache(maxsize=2048)
def _literals_in(text: str) -> tuple[str, ...]:
    """Return the numbers of an expression that have a unit, as written."""
    trees = _tree(text).iter_subtrees_topdown()
    literals = [str(tree.children[0]) for tree in trees if tree.data == "literal"]
    return tuple(literal for literal in literals if unit_of(literal))


def _refuse_two_readings(literal: str, units: Mapping[str, str], names: Collection[str], text: str) -> None:
    """Refuse a unit with a word that is a quantity too, and a count, which is what quantities are called as a rule."""
    first, *others = literal.split("/")
    for place, word in enumerate(others, start=1):
        name = word.partition("^")[0]
        if name in units or name in names:
            divided = "/".join([first, *others[: place - 1]]) + " / " + " / ".join(others[place - 1 :])
            raise InputError(
                f"'{literal}' in '{text}' has two readings, as '{name}' is a quantity here",
                allowed=f'{divided} to divide by the quantity, or "{literal}" in quotes for the unit',
            )
    unit = unit_of(literal)
    counts = counts_in(unit)
    if counts:
        number = literal.removesuffix(unit).strip()
        raise InputError(
            f"'{literal}' in '{text}': '{counts[0]}' is a count, which is no unit of an expression",
            allowed=f'{number} as a plain number, or "{literal}" in quotes',
        )


def _is_difference(tree: _Tree) -> bool:
    return tree.data == "minus" or (tree.data == "sum" and str(tree.children[-2]) == "-")


def _refuse_infinite(tree: _Tree, units: Mapping[str, str], text: str) -> None:
    """Refuse arithmetic of numbers alone that is infinite or none, innermost first, before anything computes it."""
    for part in tree.iter_subtrees():
        if part.data not in ("sum", "product", "power", "call") or any(
            below.data in ("name", "text") for below in part.iter_subtrees()
        ):
            continue
        with np.errstate(all="ignore"):
            value = _build(part, units, text).compute({})
        if not np.all(np.isfinite(np.asarray(value, dtype=float))):
            what = "not a number" if np.any(np.isnan(np.asarray(value, dtype=float))) else "infinite"
            raise InputError(f"a part of '{text}' without quantities is {what}", allowed="numbers up to 1.8e308")


def _build(tree: _Tree, units: Mapping[str, str], text: str) -> Node:
    children = tree.children
    match tree.data:
        case "literal":
            return _literal(str(children[0]))
        case "text":
            word = str(children[0])[1:-1]
            return Node("text", lambda values: word, word=word)
        case "name":
            name = str(children[0])
            if name not in units:
                raise MissingQuantityError(
                    f"unknown quantity '{name}' in '{text}'", missing={name: name}, wrong=name, candidates=units
                )
            return Node(units[name], lambda values: values[name], name=name)
        case "call":
            return _call(str(children[0]), [_build(child, units, text) for child in children[1:]], text)
        case "minus":
            inner = _number(_build(children[1], units, text), text)
            return Node(inner.unit, lambda values: np.negative(inner.compute(values)), inner.is_zero)
        case "sum" | "product":
            return _chain(tree.data, children, units, text)
        case "power":
            return _power(_build(children[0], units, text), _build(children[1], units, text), text)
        case "comparison":
            return _comparison(
                _build(children[0], units, text), str(children[1]), _build(children[2], units, text), text
            )
        case "membership":
            value = _build(children[0], units, text)
            return _joined(
                [_comparison(value, "==", _build(option, units, text), text) for option in children[1:]], np.logical_or
            )
        case "negation":
            inner = _condition(_build(children[0], units, text), text)
            return Node("bool", lambda values: np.logical_not(inner.compute(values)))
        case "any_of" | "all_of":
            parts = [_condition(_build(child, units, text), text) for child in children]
            return _joined(parts, np.logical_or if tree.data == "any_of" else np.logical_and)
    raise InputError(f"the expression '{text}' cannot be read")


def _literal(word: str) -> Node:
    written = unit_of(word)
    unit = _coherent(written) if written else "1"
    constant = np.array([parse_quantity(word, unit)])
    return Node(unit, lambda values: constant, bool(constant[0] == 0))


@lru_cache(maxsize=1024)
def _coherent(unit: str) -> str:
    return base_unit(unit)


def _number(node: Node, text: str) -> Node:
    node = _unquoted(node)
    if node.unit in ("bool", "text"):
        kind = "a condition" if node.unit == "bool" else "a text"
        raise InputError(f"{kind} stands where a number is needed in '{text}'")
    return node


def _unquoted(node: Node) -> Node:
    """Return a number with its unit that stands in quotes as the number it is, and anything else as it is."""
    if not node.word or not unit_of(node.word):
        return node
    try:
        return _literal(node.word)
    except InputError:
        return node


def _condition(node: Node, text: str) -> Node:
    if node.unit != "bool":
        raise InputError(f"a number stands where a condition is needed in '{text}'", allowed="such as 'power <= 20 MW'")
    return node


def _fitted(left: Node, right: Node, text: str) -> tuple[Node, Node]:
    for side, opposite in ((left, right), (right, left)):
        if side.is_zero and side.unit == "1" and opposite.unit not in ("text", "bool"):
            return left, right
    if {left.unit, right.unit} & {"text", "bool"}:
        if left.unit != right.unit and {left.word, right.word} != {""}:
            plain = _unquoted(left), _unquoted(right)
            if plain != (left, right):
                return _fitted(*plain, text)
        if left.unit != right.unit:
            raise InputError(f"a text and a number cannot be compared in '{text}'")
        return left, right
    if not same_dimension(left.unit, right.unit):
        raise InputError(
            f"units do not fit in '{text}': '{left.unit}' against '{right.unit}'",
            allowed="the same dimension on both sides",
        )
    factor(left.unit, right.unit)
    return left, right


def _comparison(left: Node, relation: str, right: Node, text: str) -> Node:
    left, right = _fitted(left, right, text)
    if left.unit == "bool":
        raise InputError(f"a condition cannot be compared in '{text}'")
    if left.unit == "text" and relation not in ("==", "!="):
        raise InputError(f"texts have no order in '{text}'", allowed="== or !=")
    compare = _COMPARE[relation]
    sides = [_number_or_refuse(side, text) for side in (left, right)]
    return Node("bool", lambda values: compare(sides[0](values), sides[1](values)))


def _number_or_refuse(side: Node, text: str) -> Compute:
    """Return how a side of a comparison is computed; NaN made inside it would silently count as "not met"."""
    if side.name or side.unit == "text" or side.is_constant:
        return side.compute

    def compute(values: Mapping[str, Operand]) -> Operand | str:
        result = side.compute(values)
        if not isinstance(result, np.ndarray) or not np.isnan(result.sum()) or not np.isnan(result).any():
            return result
        # A NaN that was read, not made here, is told by the search, which can name the design.
        arrays = [value for value in values.values() if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
        if not any(np.isnan(array).any() for array in arrays):
            raise NonFiniteError(f"'{text}' is not a number for some designs (0/0, inf - inf, or the like)")
        return result

    return compute


def _joined(parts: list[Node], operation: np.ufunc) -> Node:
    def compute(values: Mapping[str, Operand]) -> Operand | str:
        result = parts[0].compute(values)
        for part in parts[1:]:
            result = operation(result, part.compute(values))
        return result

    return Node("bool", compute)


def _chain(kind: str, children: Sequence[_Tree], units: Mapping[str, str], text: str) -> Node:
    first = so_far = _number(_build(children[0], units, text), text)
    steps: list[tuple[np.ufunc, Node]] = []

    def compute(values: Mapping[str, Operand]) -> Operand | str:
        result = first.compute(values)
        for operation, right in steps:
            result = operation(result, right.compute(values))
        return result

    for sign, child in zip(children[1::2], children[2::2], strict=True):
        right = _number(_build(child, units, text), text)
        if kind == "sum":
            _fitted(so_far, right, text)
            unit = right.unit if so_far.is_zero and so_far.unit == "1" else so_far.unit
        else:
            unit = _product_unit(so_far.unit, right.unit, str(sign))
        steps.append((_OPERATIONS[str(sign)], right))
        so_far = Node(unit, compute)
    return so_far


def _product_unit(left: str, right: str, sign: str) -> str:
    if right == "1":
        return left
    if left == "1" and sign == "*":
        return right
    return product_unit(left, right, sign)


def _power(base: Node, exponent: Node, text: str) -> Node:
    base, exponent = _number(base, text), _number(exponent, text)
    if not same_dimension(exponent.unit, "1"):
        raise InputError(f"an exponent has the unit '{exponent.unit}' in '{text}'", allowed="a plain number")
    unit = "1"
    if not same_dimension(base.unit, "1"):
        try:
            value = float(np.asarray(exponent.compute({})).reshape(-1)[0])
        except KeyError:
            raise InputError(f"a quantity with a unit has an exponent that varies in '{text}'") from None
        unit = base_unit(f"({base.unit}) ** {value:g}")
    return Node(unit, lambda values: power(base.compute(values), exponent.compute(values)))


def _call(name: str, arguments: list[Node], text: str) -> Node:
    if name not in _FUNCTIONS:
        raise InputError(
            f"unknown function '{name}' in '{text}'", allowed=sorted(_FUNCTIONS), wrong=name, candidates=_FUNCTIONS
        )
    count, function = _FUNCTIONS[name]
    if len(arguments) != count:
        raise InputError(f"{name} takes {count} argument(s), not {len(arguments)}, in '{text}'")
    arguments = [_number(argument, text) for argument in arguments]
    if count == 2:
        _fitted(arguments[0], arguments[1], text)
    unit = arguments[0].unit
    if count == 2 and arguments[0].is_zero and unit == "1":
        unit = arguments[1].unit
    if name == "sqrt":
        unit = base_unit(f"({unit}) ** 0.5") if unit != "1" else "1"
    return Node(unit, lambda values: function(*(argument.compute(values) for argument in arguments)))
