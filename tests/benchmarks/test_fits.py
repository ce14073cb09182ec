"""The benchmark of fits on one series per cell, beside a made-up answer of `extrap`. Nothing is installed here."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import fits, growths, intervals, peer_environment  # noqa: E402
from benchmarks.__main__ import ON_DEMAND, SECTIONS  # noqa: E402

sys.path.remove(str(ROOT))


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(fits, "SIZES", (5,))
    monkeypatch.setattr(fits, "NOISES", ((0.0, 1), (0.02, 1)))


def test_section_without_extrap(few, monkeypatch):
    def missing(series, falling):
        raise fits.Unavailable("extrap 4.2.5 cannot be installed: no network")

    monkeypatch.setattr(fits, "ask_extrap", missing)
    section = fits.run("small", lambda text: None)
    assert SECTIONS["fits"] is fits.run
    assert "fits" in ON_DEMAND
    exact, _, *outside = section.rows
    assert exact["exact"] == exact["near"] == exact["coverage"] == 1.0
    assert exact["error_90"] < 1e-9
    assert [row["growth"] for row in outside] == list(growths.OUTSIDE)
    assert sum("no network" in note for note in section.notes) == 2


def test_scores_see_what_is_wrong():
    one = growths.series("p", 5, 0.0, 1, np.random.default_rng(0))
    right, wrong = (
        fits.Answer(terms, told, [(0.0, 2 * value) for value in told], 1.0)
        for terms, told in (([(1.0, 0.0)], one.truth.tolist()), ([(1.5, 1.0)], (one.truth / 3).tolist()))
    )
    assert fits.scores([one], [right])["exact"] == fits.scores([one], [right])["coverage"] == 1.0
    both = fits.scores([one, one], [right, wrong])
    assert (both["exact"], both["near"], both["coverage"]) == (0.5, 0.5, 0.5)
    assert both["error"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", [*growths.KNOWN, *growths.OUTSIDE])
def test_series_without_noise_are_the_truth(name):
    one = growths.series(name, 7, 0.0, 5, np.random.default_rng(0))
    assert one.sizes.tolist() == [2.0**k for k in range(5, 12)]
    if name in growths.KNOWN:
        ends = {"1": (1.0, 1.0), "c + 1/p": (10.0, 1.0 + 9.0 / 64.0)}.get(name, (1.0, 10.0))
        assert (one.values[0], one.values[-1]) == pytest.approx(ends)
    assert one.targets.tolist() == [2.0**13, 2.0**15, 2.0**17]


def test_what_cannot_be_installed_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(peer_environment.sys, "executable", "/bin/false")
    with pytest.raises(peer_environment.Unavailable, match=r"extrap 4.2.5 cannot be installed: no message"):
        peer_environment.environment("extrap", peer_environment.EXTRAP)
    assert list((tmp_path / "dse").iterdir()) == []


def test_the_least_factor_is_where_the_interval_begins_to_hold(monkeypatch):
    """The benchmark has a family and squares of its own; the interval's must change its verdict at the same factor."""
    from dse.models.measured_laws.fitting import interval

    generator, sizes = np.random.default_rng(4), 32.0 * 2.0 ** np.arange(6)
    targets, changes = sizes[-1] * np.array([4.0, 64.0]), 0
    for growth in (lambda p: p**0.7, lambda p: p**1.3, np.log2):
        law = intervals._risen(growth, sizes, 3.0)
        values = law(sizes) * (1.0 + 0.05 * generator.standard_normal((4, 6)))
        needed = intervals.least_factors(sizes, values, targets, law(targets))
        for series, factors in zip(values, needed, strict=True):
            for target, least, truth in zip(targets, factors, law(targets), strict=True):
                for factor in (0.98 * least, 1.02 * least + 1e-6):
                    monkeypatch.setattr(interval, "calibrated_factor", lambda *_, factor=factor: factor)
                    low, high = interval.prediction_interval(sizes, series, target, intervals.LEVEL)
                    assert (low <= truth <= high) == (factor >= least)
                    changes += factor < least
    assert changes > 8


def test_the_section_of_intervals(monkeypatch):
    monkeypatch.setattr(intervals, "SIZES", (5,))
    monkeypatch.setattr(intervals, "NOISES", ((0.02, 5),))
    monkeypatch.setattr(intervals, "RISES", (1.5, 10.0))
    section = intervals.run("small", lambda text: None)
    assert SECTIONS["intervals"] is intervals.run
    assert [row["taken"] for row in section.rows] == [1.6, pytest.approx(1.3)]
    assert all(0.0 <= row["rising"] < 3.0 for row in section.rows)
