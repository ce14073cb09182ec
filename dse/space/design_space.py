"""Design spaces: a union of products of axes, its size, and the numbers of its designs.

Designs are numbered from 0: the products in their order, and within a product as mixed-radix numbers whose last axis
varies fastest. The number of a design depends on the study only, never on how the search walks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import prod

import numpy as np

from dse.authoring.table import Table
from dse.errors import InputError, one_of
from dse.space.axes import Axis

__all__ = ["Product", "Space"]

_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class Product:
    """One alternative: every combination of its axes, with what is fixed in it.

    Attributes
    ----------
    name : str
        Name of the alternative; empty when the space has only one.
    axes : tuple of Axis
    fixed : dict of str to float or str
        Quantities fixed in SI.
    fixed_units : dict of str to str
    tables : dict of str to Table
    use : dict of str to str
        The component of each slot.
    split : tuple of str
        Those of `fixed` that the alternative was taken apart by: functions that give them give way.
    """

    name: str
    axes: tuple[Axis, ...]
    fixed: Mapping[str, float | str] = field(default_factory=dict)
    fixed_units: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    use: Mapping[str, str] = field(default_factory=dict)
    split: tuple[str, ...] = ()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Rows by axis."""
        return tuple(len(axis) for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """Number of designs, as an exact whole number."""
        return prod(self.shape)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """What one step along each axis adds to the design number."""
        return tuple(prod(self.shape[position + 1 :]) for position in range(len(self.shape)))

    def axis(self, name: str) -> Axis:
        """Return an axis by name."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        names = [axis.name for axis in self.axes]
        raise InputError(f"no axis '{name}'", allowed=one_of(names), wrong=name, candidates=names)


@dataclass(frozen=True, eq=False)
class Space:
    """A union of products."""

    products: tuple[Product, ...]

    def __post_init__(self) -> None:
        if not self.products:
            raise InputError("the space has no alternatives", key="space")
        if self.size > _LARGEST and len(self.products) > 1:
            raise InputError(f"the space has {self.size:.3e} designs", key="space", allowed=f"at most {_LARGEST:.1e}")
        for product in self.products:
            if product.size > _LARGEST:
                what = f"the alternative '{product.name}'" if product.name else "the space"
                raise InputError(
                    f"{what} has {product.size:.3e} designs",
                    key="space" if product.name else "space.axes",
                    allowed=f"at most {_LARGEST:.1e} per alternative",
                )

    @cached_property
    def size(self) -> int:
        """Number of designs."""
        return sum(product.size for product in self.products)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Number of the first design of each product."""
        return tuple(accumulate((product.size for product in self.products), initial=0))[:-1]

    def product_of(self, number: int) -> int:
        """Return the index of the product a design belongs to."""
        if not 0 <= number < self.size:
            raise InputError(f"there is no design {number}", allowed=f"0 to {self.size - 1}")
        return bisect_right(self.offsets, number) - 1

    def by_product(self, numbers: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each product that has some of the designs, with their places in the list, in rising order."""
        inside = np.flatnonzero((numbers >= 0) & (numbers < self.size))
        owners = np.searchsorted(self.offsets, numbers[inside], side="right") - 1
        order = np.argsort(owners, kind="stable")
        owning, first = np.unique(owners[order], return_index=True)
        yield from zip(owning.tolist(), np.split(inside[order], first[1:]), strict=False)

    def rows_of(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the product index and the row of each axis of a design."""
        index = self.product_of(number)
        product, rest = self.products[index], number - self.offsets[index]
        return index, tuple(
            rest // stride % count for stride, count in zip(product.strides, product.shape, strict=True)
        )

    def number_of(self, product: int, rows: Sequence[int]) -> int:
        """Return the number of a design from the row of each axis."""
        chosen = self.products[product]
        if len(rows) != len(chosen.axes) or any(
            not 0 <= row < count for row, count in zip(rows, chosen.shape, strict=True)
        ):
            raise InputError(f"rows {tuple(rows)} are not in a product of shape {chosen.shape}")
        return self.offsets[product] + sum(row * stride for row, stride in zip(rows, chosen.strides, strict=True))

    def decode(self, product: int, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return, for designs of one product, the rows of each axis."""
        chosen = self.products[product]
        local = np.asarray(numbers, dtype=np.int64) - self.offsets[product]
        return tuple(local // stride % count for stride, count in zip(chosen.strides, chosen.shape, strict=True))

    def parameters(self, number: int) -> dict[str, str]:
        """Return what a person would call the design: axis name to value with unit, the alternative first.

        A part whose catalogue says how sure it is has its confidence after it.
        """
        index, rows = self.rows_of(number)
        product = self.products[index]
        named: dict[str, str] = {"alternative": product.name} if product.name else {}
        for axis, row in zip(product.axes, rows, strict=True):
            named[axis.name] = axis.label(row)
            if axis.confidences:
                named[axis.confidence_name] = axis.confidence(row)
        return named

    def validation(self, number: int) -> dict[str, str]:
        """Return, by part axis, how well the law of the design's part held for real machines, where that is told."""
        index, rows = self.rows_of(number)
        chosen = zip(self.products[index].axes, rows, strict=True)
        return {axis.name: text for axis, row in chosen if (text := axis.validation(row))}
