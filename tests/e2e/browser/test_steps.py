"""Every step the page repeats, on random and odd numbers, against NumPy: bit for bit, or named as inexact."""

import base64
import math

import numpy as np
import pytest

from dse.evaluation.step_operations import OPERATIONS
from dse.report.html.static_files import static_text
from tests.slider_replay import OWN

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]

ODD = np.concatenate(
    [
        [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 7.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324],
        [1e308, -1e308, 2.0**52, 2.0**52 + 1, 2.0**53, 4503599627370495.5, -4503599627370495.5, 1e22],
        [0.49999999999999994, -0.49999999999999994],
    ]
)
COUNT = 10_000
RUN = """([name, given, count]) => {
  const numbers = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const found = steps.apply(name, given.map(numbers), count, new Float64Array(count));
  let told = "";
  for (const byte of new Uint8Array(found.buffer)) told += String.fromCharCode(byte);
  return btoa(told);
}"""
KNOTS, VALUES = np.array([-3.0, -0.5, 0.0, 1.0, 2.5, 7.0, 1e6]), np.array([2.0, 0.1, 0.3, 0.3, 5.0, np.inf, 1.0])


def _columns(rng, operands):
    """Return random numbers of many sizes, whole and half ones, and every combination of odd ones."""
    wide = rng.standard_normal((operands, COUNT)) * 10.0 ** rng.integers(-12, 12, (operands, COUNT))
    near = rng.integers(-40, 40, (operands, COUNT)) / 2.0
    columns = np.where(rng.random((operands, COUNT)) < 0.6, wide, near)
    grid = np.stack([part.reshape(-1) for part in np.meshgrid(*([ODD] * min(operands, 2)))])
    columns[: len(grid), : grid.shape[1]] = grid
    return list(columns)


def _given(name, rng):
    columns = _columns(rng, OPERATIONS[name].operands)
    if name in ("lookup", "searchsorted left", "searchsorted right"):
        columns[0] = KNOTS
    if name == "interp":
        columns[1:] = KNOTS, VALUES
    if name.startswith("logical") or name == "where":
        columns[0] = (columns[0] > 0).astype(float)
    return columns


@pytest.fixture(scope="module")
def tab(browser):
    context = browser.new_context()
    page = context.new_page()
    page.add_script_tag(content=static_text("panel/steps.js"))
    yield page
    context.close()


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_a_step_gives_the_bits_of_numpy(tab, name):
    columns = _given(name, np.random.default_rng(len(name)))
    with np.errstate(all="ignore"):
        right = np.asarray((OWN.get(name) or getattr(np, name))(*columns), dtype=float)
    packed = [base64.b64encode(column.tobytes()).decode() for column in columns]
    found = np.frombuffer(base64.b64decode(tab.evaluate(RUN, [name, packed, COUNT])), "<f8")
    unlike = np.isnan(found) != np.isnan(right)
    if OPERATIONS[name].exact:
        same = found.view(np.int64) == right.view(np.int64)
        if name in ("minimum", "maximum", "clip"):  # of zeros of two signs NumPy takes either
            same |= (found == 0) & (right == 0)
        unlike |= ~same & ~np.isnan(right)
    else:
        with np.errstate(all="ignore"):
            away = np.abs(found - right) > 4 * np.spacing(np.abs(right))
        unlike |= (away | (np.isinf(right) & (found != right))) & ~np.isnan(right)
        unlike &= ~((np.abs(right) > 1.79e308) & (np.abs(found) > 1.79e308))
    wrong = np.flatnonzero(unlike)
    told = [([float(c[at]) if len(c) == COUNT else "table" for c in columns], found[at], right[at]) for at in wrong[:5]]
    assert not len(wrong), told


def test_the_comparison_sees_one_last_bit(tab):
    packed = [base64.b64encode(np.full(1, math.nextafter(0.1, 1.0))).decode(), base64.b64encode(np.ones(1)).decode()]
    found = np.frombuffer(base64.b64decode(tab.evaluate(RUN, ["multiply", packed, 1])), "<f8")
    assert found[0] != 0.1
