"""Patterns of traffic matrices: scores by hand, and beside whole matrices of a plain comparison."""

import itertools

import numpy as np
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import classify, traffic_of_matrix

P = 16
UNIFORM = (1 - np.eye(P)) / (P * (P - 1))


def shift(step, ranks=P):
    found = np.zeros((ranks, ranks))
    found[np.arange(ranks), (np.arange(ranks) + step) % ranks] = 1 / ranks
    return found


def grid(*sides, periodic=True):
    """Return a grid by its coordinates, dimension 1 fastest."""
    ranks = int(np.prod(sides))
    places = [tuple(reversed(one)) for one in itertools.product(*(range(side) for side in reversed(sides)))]
    number = {place: rank for rank, place in enumerate(places)}
    found = np.zeros((ranks, ranks))
    for place, (side_number, side), step in itertools.product(places, enumerate(sides), (1, -1)):
        other = list(place)
        other[side_number] += step
        if periodic:
            other[side_number] %= side
        if tuple(other) in number:
            found[number[place], number[tuple(other)]] += 1
    return found / found.sum()


HYPERCUBE = sum(np.eye(P)[np.arange(P) ^ bit] for bit in (1, 2, 4, 8)) / (4 * P)


def score(matrix, other):
    return np.minimum(matrix / matrix.sum(), other / other.sum()).sum()


def test_scores_of_one_pattern_for_another():
    assert score(UNIFORM, grid(4, 4)) == pytest.approx(0.266667, abs=5e-7)
    assert score(UNIFORM, shift(1)) == pytest.approx(0.066667, abs=5e-7)
    assert score(UNIFORM, HYPERCUBE) == pytest.approx(0.266667, abs=5e-7)
    assert score(grid(4, 4), grid(2, 8)) == pytest.approx(0.25)
    assert score(grid(4, 4), grid(4, 4, periodic=False)) == pytest.approx(0.75)
    assert score(HYPERCUBE, grid(4, 4)) == pytest.approx(0.5)


GRID = {"grid": [4, 4], "periodic": True}
KNOWN = {
    "uniform": (UNIFORM, "uniform", {}, 1.0),
    "4x4 and uniform": (grid(4, 4) + 0.1 * UNIFORM, "2-D neighbour", GRID, 0.93333333),
    "shift and uniform": (shift(3) + 0.3 * UNIFORM, "shift", {"step": 3}, 0.78461538),
    "ring both ways": (grid(16), "1-D neighbour", {"grid": [16], "periodic": True}, 1.0),
    "open 2x2x4": (grid(2, 2, 4, periodic=False), "3-D neighbour", {"grid": [2, 2, 4], "periodic": False}, 1.0),
    "open 2x8": (grid(2, 8, periodic=False), "2-D neighbour", {"grid": [2, 8], "periodic": False}, 1.0),
    "hypercube": (HYPERCUBE, "hypercube", {}, 1.0),
    "exchange": (np.eye(P)[np.arange(P) ^ 4], "exchange", {"bit": 2}, 1.0),
    "complement": (np.eye(P)[::-1], "complement", {}, 1.0),
    "complement of an odd number": (np.eye(5)[::-1], "complement", {}, 1.0),
    "transpose": (np.eye(P)[np.arange(P).reshape(4, 4).T.reshape(-1)], "transpose", {}, 1.0),
    "pipeline": (np.eye(P, k=1), "pipeline", {}, 1.0),
    "two ranks": (np.array([[0, 1], [1, 0]]), "uniform", {}, 1.0),
    "shift of the last rank": (shift(6, 7), "shift", {"step": 6}, 1.0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_patterns(name):
    matrix, pattern, parameters, expected = KNOWN[name]
    found = classify(traffic_of_matrix(matrix))
    assert (found.name, found.parameters) == (pattern, parameters)
    assert found.score == pytest.approx(expected)


def test_runners_up_and_what_is_irregular():
    found = classify(traffic_of_matrix(grid(4, 4) + 0.1 * UNIFORM))
    assert found.runners_up[0].parameters == {"grid": [4, 4], "periodic": False}
    assert found.runners_up[0].score == pytest.approx(0.7)
    found = classify(traffic_of_matrix(grid(2, 2, 4, periodic=False)))
    assert (found.runners_up[0].name, round(found.runners_up[0].score, 4)) == ("3-D neighbour", 0.8214)
    assert classify(traffic_of_matrix(grid(2, 8, periodic=False))).runners_up[0].score == pytest.approx(0.80113636)
    assert classify(traffic_of_matrix(grid(16))).runners_up[0].score == pytest.approx(0.9375)
    found = classify(traffic_of_matrix(grid(4, 4) + shift(5)))
    assert found.name == "irregular"
    assert found.score == pytest.approx(0.5)
    assert {one.name for one in found.runners_up[:2]} == {"shift", "2-D neighbour"}
    assert found.ambiguous
    master = np.zeros((5, 5))
    master[0, 1:] = master[1:, 0] = 3.0
    assert classify(traffic_of_matrix(master)).name == "master-worker"


def test_noise_on_uniform_traffic():
    noise = np.random.default_rng(0).standard_normal((40, P, P))
    scores = [classify(traffic_of_matrix(UNIFORM * (1 + 0.086 * one))).score for one in noise[: examples(40)]]
    assert np.mean(scores) == pytest.approx(0.965, abs=0.005)


@pytest.mark.parametrize("seed", range(examples(20)))
def test_shifts_and_grids_beside_whole_matrices(seed):
    rng = np.random.default_rng(seed)
    ranks = int(rng.choice([6, 8, 12]))
    matrix = rng.random((ranks, ranks)) * (rng.random((ranks, ranks)) < 0.4)
    matrix += rng.random() * shift(int(rng.integers(1, ranks)), ranks) * ranks
    np.fill_diagonal(matrix, 0.0)
    found = classify(traffic_of_matrix(matrix))
    others = {("shift", step): shift(step, ranks) for step in range(1, ranks)}
    others["uniform", 0] = 1 - np.eye(ranks)
    for sides in itertools.product(range(2, ranks), repeat=2):
        if np.prod(sides) == ranks:
            others["2-D neighbour", sides] = grid(*sides)
            others["2-D neighbour open", sides] = grid(*sides, periodic=False)
    assert found.score >= max(score(matrix, other) for other in others.values()) - 1e-12
    for one in found.runners_up:
        if one.name == "shift":
            assert one.score == pytest.approx(score(matrix, others["shift", one.parameters["step"]]))


def test_by_messages_and_nothing():
    traffic = traffic_of_matrix([[0, 5, 0], [0, 0, 5], [9, 0, 0]])
    assert classify(traffic).score < 1
    assert classify(traffic, "messages").score == 1.0
    found = classify(traffic_of_matrix(np.zeros((4, 4))))
    assert found.name == "none"
    assert np.isnan(found.score)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [([[0, 1]], "as many columns as rows"), ([[0, -1], [0, 0]], "row 0 column 1: -1"), ([[0, np.nan], [0, 0]], "nan")],
)
def test_matrices_that_are_none(matrix, message):
    with pytest.raises(InputError, match=message):
        classify(traffic_of_matrix(matrix))


def test_by_something_else():
    with pytest.raises(InputError, match="by = 'size'; allowed: bytes, messages"):
        classify(traffic_of_matrix([[0, 1], [1, 0]]), "size")
