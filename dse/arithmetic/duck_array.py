"""Values that stand in for arrays in unchanged model functions, and what they refuse.

A stand-in (a range, a dual number) answers for the ufuncs it has a rule for. Everything else raises `TypeError` with
what to write instead, so that nothing NumPy or Python would do behind its back passes silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["BITWISE", "FORMULA", "INSTEAD", "Operand", "StandIn"]

FORMULA = "a formula of + - * / ** sqrt exp log minimum maximum where"

INSTEAD = {
    "sum": "the terms, x + y",
    "max": "np.maximum(x, y)",
    "min": "np.minimum(x, y)",
    "amax": "np.maximum(x, y)",
    "amin": "np.minimum(x, y)",
    "stack": "the terms one by one",
    "concatenate": "the terms one by one",
    "take": "dse.lookup(table, index)",
    "select": "nested np.where",
    "piecewise": "nested np.where",
    "sign": "nested np.where",
    "heaviside": "np.where(x >= 0, 1, 0)",
    "hypot": "np.sqrt(x * x + y * y)",
    "isclose": "a comparison",
    "zeros_like": "the small shape: 0.0 * x, or a constant",
    "full_like": "the small shape: 0.0 * x + value, or a constant",
    "ones_like": "the small shape: 0.0 * x + 1.0, or a constant",
    "broadcast_to": "the small shape; the engine broadcasts",
    "broadcast_arrays": "the small shape; the engine broadcasts",
    "clip": "np.clip(x, low, high) with positional arguments",
}
"""What to write instead, by the name of NumPy's function."""

BITWISE = frozenset(["bitwise_and", "bitwise_or", "bitwise_xor", "invert"])


class StandIn(NDArrayOperatorsMixin):
    """Base of the stand-ins: the operators of an array, and refusals.

    Attributes
    ----------
    one, several : str
        What messages call it: "a range", "ranges".
    """

    __slots__ = ()
    __array_priority__ = 1000
    one: ClassVar[str]
    several: ClassVar[str]

    @classmethod
    def refuse(cls, what: str, instead: str) -> NoReturn:
        """Raise the `TypeError` that says what to write instead."""
        msg = f"{what} has no form for {cls.several}; write {instead}"
        raise TypeError(msg)

    @classmethod
    def refuse_function(cls, name: str) -> NoReturn:
        """Raise the `TypeError` of a function of NumPy that has no rule."""
        cls.refuse(f"np.{name}", INSTEAD.get(name, FORMULA))

    @classmethod
    def check_ufunc(cls, name: str, method: str, keywords: Mapping[str, object]) -> None:
        """Refuse reductions and keywords of a ufunc."""
        if method != "__call__":
            cls.refuse(f"np.{name}.{method}", "the terms one by one")
        for keyword in keywords:
            if keyword == "out":
                cls.refuse("out= (or an assignment such as x += y)", "a plain expression, x = x + y")
            cls.refuse(f"np.{name} with {keyword}=", "np.where or a plain expression")

    @classmethod
    def refuse_bits(cls, name: str) -> NoReturn:
        """Raise the `TypeError` of an operation on the bits of numbers."""
        cls.refuse(f"np.{name} of numbers", "a comparison on each side, (x > 0) & (y > 0)")

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        self.refuse(f"using {self.one} as an array or an index", "ufuncs, np.where, or dse.lookup(table, index)")

    def __bool__(self) -> NoReturn:
        self.refuse("'if', 'and', 'or', 'not' or the built-in max/min", "np.where, &, |, ~, np.maximum, np.minimum")

    def __float__(self) -> NoReturn:
        self.refuse("float(x) or math.*", "NumPy's function of that name")

    def __int__(self) -> NoReturn:
        self.refuse("int(x)", "x.astype(int) or np.floor(x)")

    def __trunc__(self) -> NoReturn:
        self.refuse("math.trunc", "x.astype(int)")

    def __index__(self) -> NoReturn:
        self.refuse("an index", "dse.lookup(table, index)")

    def __round__(self, digits: int | None = None) -> NoReturn:
        self.refuse("the built-in round", "np.floor(x + 0.5)")

    def __getitem__(self, key: object) -> NoReturn:
        self.refuse(f"indexing {self.one} (x[...])", "dse.lookup(table, index), or leave the shape as it is")

    def __iter__(self) -> NoReturn:
        self.refuse(f"iterating over {self.one}", "the expression for the whole array")

    def __len__(self) -> NoReturn:
        self.refuse("len(x)", "code that does not depend on the number of designs")

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_") and hasattr(np.ndarray, name):
            self.refuse(f"the array method .{name}", INSTEAD.get(name, "NumPy's function"))
        raise AttributeError(name)


Operand: TypeAlias = np.ndarray | StandIn | float
"""What model functions run on: arrays and numbers, and what stands in for them (`Range`, `Signed`, `Dual`)."""
