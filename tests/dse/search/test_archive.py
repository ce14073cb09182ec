"""The archive keeps what nothing beats, each design once, in the order of design numbers."""

import numpy as np
import pytest
from engine_problems import undominated

import dse.search.frontier.archive
import dse.search.frontier.prefilter
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter


@pytest.mark.slow
@pytest.mark.parametrize("columns", range(1, 7))
def test_points_added_in_any_pieces_leave_the_frontier_of_all(columns, monkeypatch):
    for seed in range(8):
        rng = np.random.default_rng(columns * 100 + seed)
        points = rng.integers(0, int(rng.choice([2, 5, 50])), (300, columns)).astype(float)
        numbers = rng.permutation(100_000)[:300]
        monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", int(rng.choice([1, 7, 60, 10_000])))
        archive = Archive(columns, Prefilter(columns))
        start = 0
        while start < 300:
            stop = start + int(rng.integers(1, 50))
            archive.add(points[start:stop], numbers[start:stop])
            start = stop
        found, kept = archive.result()
        expected = undominated(points)
        order = np.argsort(numbers[expected])
        assert kept.tolist() == numbers[expected][order].tolist()
        assert found.tolist() == points[expected][order].tolist()


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("columns", [2, 3])
def test_the_frontiers_of_parts_leave_the_frontier_of_all(columns, parts, monkeypatch):
    """Also where a part of them has all, and where points are looked at in small pieces."""
    monkeypatch.setattr(dse.search.frontier.archive, "_PIECE", 100)
    monkeypatch.setattr(dse.search.frontier.prefilter, "_PIECE", 7)
    rng = np.random.default_rng(parts)
    points = rng.integers(0, 500, (6000, columns)).astype(float)
    points[::2, 0] = -points[::2, 1:].sum(axis=1)  # so that many stay, and ties among them
    together = Archive(columns, Prefilter(columns))
    numbers = rng.permutation(10_000)[:6000]
    for places in np.array_split(rng.permutation(6000), parts):
        monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", int(rng.choice([500, 5000, 10_000])))
        one = Archive(columns, Prefilter(columns))
        for some in np.array_split(places, 3):
            one.add(points[some], numbers[some])
        together.add(*one.result(), merged=True)
    found, kept = together.result()
    expected = undominated(points)
    order = np.argsort(numbers[expected])
    assert len(kept) > 100
    assert kept.tolist() == numbers[expected][order].tolist()
    assert found.tolist() == points[expected][order].tolist()


def test_the_table_of_a_filter_is_the_same_however_many_points_go_into_it_together(monkeypatch):
    points = np.random.default_rng(0).normal(size=(1000, 3))
    tables = []
    for together in (7, 1000):
        monkeypatch.setattr(dse.search.frontier.prefilter, "_PIECE", together)
        one = Prefilter(3)
        one.rebuild(points)
        tables.append(one.table)
    assert np.array_equal(*tables)


def test_a_design_that_is_met_twice_counts_once():
    archive = Archive(2, Prefilter(2))
    for _ in range(2):
        archive.add(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), np.array([7, 3, 5]))
        archive.merge()
    points, numbers = archive.result()
    assert numbers.tolist() == [3, 5, 7]
    assert points.tolist() == [[2.0, 1.0], [1.0, 2.0], [1.0, 2.0]]


def test_many_candidates_at_once_are_looked_at_before_the_merge():
    rng = np.random.default_rng(1)
    points = rng.random((9000, 3)).round(2)
    archive = Archive(3, Prefilter(3))
    archive.add(points[:500], np.arange(500))
    archive.merge()
    archive.add(points[500:], np.arange(500, 9000))
    assert archive.result()[1].tolist() == np.flatnonzero(undominated(points)).tolist()


def test_candidates_are_merged_when_enough_have_come_together(monkeypatch):
    monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", 10)
    archive = Archive(1, Prefilter(1))
    merges = []
    for number in range(35):
        archive.add(np.array([[0.0]]), np.array([number]))
        merges.append(archive.merges)
    assert merges == [0] * 9 + [1] * 20 + [2] * 6  # the buffer is at least twice the archive
    assert len(archive.result()[1]) == 35
    archive.add(np.empty((0, 1)), np.empty(0, dtype=np.int64))
    archive.merge()
    assert archive.merges == 3


def test_an_empty_archive_has_an_empty_result():
    points, numbers = Archive(4, Prefilter(4)).result()
    assert (points.shape, numbers.shape, numbers.dtype) == ((0, 4), (0,), np.int64)
