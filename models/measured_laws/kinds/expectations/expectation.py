"""What growth is expected of a quantity, how far it may deviate, and what a fitted growth is worth beside it.

After Shudler et al. 2019, Sections 2.3 and 2.4: of the divergence ``G / E`` of a fitted growth G from the expected
growth E, nothing left is an exact match; what lies between ``1 / D`` and ``D``, both included, is an approximate one;
anything else is none. The comparison is that of growths in the end, never of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.growth import CONSTANT, Growth
from dse.models.measured_laws.kinds.expectations.language import parse_growth

__all__ = ["Direction", "Expectation", "Match", "Verdict", "default_deviation", "halved", "search_space"]

Match = Literal["exact", "approx", "none"]
Direction = Literal["as expected", "better", "worse"]
_HALF = Fraction(1, 2)


def halved(growth: Growth) -> Growth:
    """Return the printed rule of deviation: the fastest component with its exponent halved, at least 1."""
    half = growth.dominating**_HALF
    return CONSTANT / half if half < CONSTANT else half


def default_deviation(growth: Growth) -> Growth:
    """Return the deviation taken where none is given.

    The square root of the size for powers and logarithms, as the study of MPI libraries has it throughout (the printed
    rule allows a logarithm next to nothing); the printed rule for exponentials; none for a constant.
    """
    if growth == CONSTANT:
        return CONSTANT
    return halved(growth) if growth.exponential else Growth(power=_HALF)


@dataclass(frozen=True)
class Verdict:
    """A fitted growth beside the expected one.

    Attributes
    ----------
    growth : Growth
        The fitted one.
    divergence : Growth
        Fitted over expected.
    match : {"exact", "approx", "none"}
    direction : {"as expected", "better", "worse"}
    """

    growth: Growth
    divergence: Growth
    match: Match
    direction: Direction


@dataclass(frozen=True)
class Expectation:
    """An expected growth.

    Attributes
    ----------
    growth : Growth
    deviation : Growth
        At least constant.
    variable : str
        The size it is in.
    source : str
        Who says so.
    larger_is_better : bool
        Whether faster growth is the better one, as of a bandwidth.
    """

    growth: Growth
    deviation: Growth
    variable: str = "p"
    source: str = ""
    larger_is_better: bool = False

    def __post_init__(self) -> None:
        if self.deviation < CONSTANT:
            raise InputError(
                f"the deviation {self.deviation.text(self.variable)} falls", key="deviation", allowed="'O(1)' or growth"
            )

    @classmethod
    def of(
        cls,
        growth: str,
        deviation: str | None = None,
        *,
        variable: str | None = None,
        source: str = "",
        larger_is_better: bool = False,
    ) -> Expectation:
        """Read an expectation.

        Parameters
        ----------
        growth : str
            As `parse_growth` reads it.
        deviation : str, optional
            A growth too, or ``"halved"`` for the printed rule; `default_deviation` by default.
        variable : str, optional
            The only variable that may stand in them.
        source : str
        larger_is_better : bool

        Raises
        ------
        InputError
        """
        try:
            expected, named = parse_growth(growth, variable)
        except InputError as error:
            raise error.within(key="growth") from None
        variable = variable or named
        if deviation is None:
            allowed = default_deviation(expected)
        elif deviation == "halved":
            allowed = halved(expected)
        else:
            try:
                allowed, named = parse_growth(deviation, variable)
            except InputError as error:
                raise error.within(key="deviation") from None
            variable = variable or named
        return cls(expected, allowed, variable or "p", source, larger_is_better)

    @property
    def limits(self) -> tuple[Growth, Growth]:
        """The slowest and the fastest growth that match; both do."""
        return self.growth / self.deviation, self.growth * self.deviation

    @property
    def bounds(self) -> tuple[Growth, Growth]:
        """The slowest and the fastest growth of the search space."""
        return CONSTANT, self.growth**2

    def judge(self, fitted: Growth) -> Verdict:
        """Set a fitted growth beside the expected one."""
        divergence = fitted / self.growth
        direction: Direction = "as expected"
        if divergence != CONSTANT:
            direction = "better" if (divergence > CONSTANT) == self.larger_is_better else "worse"
        if divergence == CONSTANT:
            return Verdict(fitted, divergence, "exact", direction)
        inside = CONSTANT / self.deviation <= divergence <= self.deviation
        return Verdict(fitted, divergence, "approx" if inside else "none", direction)


def search_space(expectation: Expectation, depth: int = 2) -> tuple[Growth, ...]:
    """Return the growths looked for, from the constant to the square of the expected one.

    The exponents of the fastest component between 0 and twice the expected one, in ``2 · 2^depth`` equal steps,
    each alone and, below the upper end, times the next slower component (Shudler et al. 2019, Section 2.3). Which law a
    fit chooses does not depend on it: this is the printed space, to compare with.

    Parameters
    ----------
    expectation : Expectation
    depth : int
        How often midpoints are put between two exponents, the two ends and the expected exponent being there.

    Returns
    -------
    tuple of Growth
        In rising order (falling for an expectation that falls).
    """
    if not 0 <= depth <= 6:
        raise InputError(f"depth = {depth}", allowed="0 to 6")
    fastest = expectation.growth.dominating
    if fastest == CONSTANT:
        return (CONSTANT,)
    slower = {"exponential": Growth(power=Fraction(1)), "polynomial": Growth(logarithm=Fraction(1))}
    beside, steps = slower.get(fastest.kind), 2 * 2**depth
    growths = []
    for step in range(steps + 1):
        growth = fastest ** Fraction(2 * step, steps)
        growths.append(growth)
        if beside is not None and step < steps:
            growths.append(growth * beside)
    return tuple(growths)
