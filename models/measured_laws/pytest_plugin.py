"""Tests of growth for pytest: whether a model grows as it should, from the smallest machine to the largest.

pytest finds this file by itself (entry point ``pytest11``), with the fixtures `assert_growth` and `assert_rule`.
Nothing else of dse is imported before a test asks for one of them, and nothing else of dse imports pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries

__all__ = ["SIZES", "Model", "assert_growth", "assert_rule", "series_of"]

SIZES = tuple(4**power for power in range(2, 11))
"""2^4 to 2^20."""

Model = Callable[[Any], Any] | Sequence[float]
"""A function of an array of sizes, or its values."""


def series_of(model: Model, *, sizes: Sequence[float] = SIZES, exponential: bool = False) -> FittedSeries:
    """Return the law of a model over sizes.

    Parameters
    ----------
    model : callable or sequence of float
        A function of an array of sizes, or its values at `sizes`.
    sizes : sequence of float
        At least five.
    exponential : bool
        Whether powers of ``2^size`` are looked for.

    Raises
    ------
    InputError
        Too few sizes, values that are negative or not finite.
    """
    import numpy as np

    from dse.models.measured_laws.kinds.expectations.fitted import fit_series

    values = np.asarray(model(np.array(sizes)) if callable(model) else model, dtype=float)
    if values.ndim == 0 or values.shape == (1,):
        values = np.full(len(sizes), float(values.reshape(())))
    return fit_series(values.reshape(-1).tolist(), list(sizes), exponential=exponential)


def assert_growth(
    model: Model,
    expected: str,
    *,
    deviation: str | None = None,
    sizes: Sequence[float] = SIZES,
    match: Collection[str] = ("exact", "approx"),
    larger_is_better: bool = False,
) -> FittedSeries:
    """Fit a model over sizes, and fail where its growth is not the expected one.

    Parameters
    ----------
    model : callable or sequence of float
    expected : str
        Such as ``"log p"``, ``"p^(2/3)"``, ``"O(1)"``.
    deviation : str, optional
        How far it may be off; by default the square root of the size, nothing for a constant.
    sizes : sequence of float
    match : collection of {"exact", "approx", "none"}
        What passes.
    larger_is_better : bool
        Whether faster growth is called better, as of a bandwidth.

    Returns
    -------
    FittedSeries
        With the law, for further checks.

    Raises
    ------
    AssertionError
        Another growth; the message has the law.
    InputError
        An expectation that cannot be read, values that cannot be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> str(assert_growth(lambda p: 3.0 + 2.0 * np.log2(p), "log p", match=["exact"]).law)
    '2·log2(p) + 3'
    """
    __tracebackhide__ = True
    from dse.models.measured_laws.kinds.expectations.expectation import Expectation

    expectation = Expectation.of(expected, deviation, larger_is_better=larger_is_better)
    fitted = series_of(model, sizes=sizes, exponential=bool(expectation.growth.exponential))
    verdict, variable = expectation.judge(fitted.growth), expectation.variable
    if verdict.match not in match:
        raise AssertionError(
            f"{getattr(model, '__name__', 'the model')} grows like {verdict.growth.text(variable)} ({fitted.law}), "
            f"expected is {expectation.growth.text(variable)} within {expectation.deviation.text(variable)}: "
            f"{verdict.match} ({verdict.direction}), divergence {verdict.divergence.text(variable)}"
        )
    return fitted


def assert_rule(models: Mapping[str, Model], rule: str, *, sizes: Sequence[float] = SIZES) -> None:
    """Fail where one model grows faster than others together, such as ``"allreduce <= reduce + bcast"``.

    Parameters
    ----------
    models : mapping of str to callable or sequence of float
    rule : str
    sizes : sequence of float

    Raises
    ------
    AssertionError
        The message has the growths.
    InputError
        A rule that cannot be read, or that names an unknown model.
    """
    __tracebackhide__ = True
    from dse.models.measured_laws.kinds.expectations.rules import Rule

    asked = Rule.of(rule)
    asked.check_names(models)
    growths = {name: series_of(models[name], sizes=sizes).growth for name in (asked.function, *asked.others)}
    if asked.broken(growths):
        growth_texts = ", ".join(f"{name} grows like {growth.text()}" for name, growth in growths.items())
        raise AssertionError(f"the rule {asked} is violated: {growth_texts}")


@pytest.fixture(name="assert_growth", scope="session")
def _growth_fixture() -> Callable[..., FittedSeries]:
    """Check that a model grows as expected: ``assert_growth(lambda p: ..., "log p")``."""
    return assert_growth


@pytest.fixture(name="assert_rule", scope="session")
def _rule_fixture() -> Callable[..., None]:
    """Check a rule across models: ``assert_rule({"a": ..., "b": ...}, "a <= b")``."""
    return assert_rule
