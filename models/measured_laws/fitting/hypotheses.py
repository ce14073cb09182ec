"""The hypotheses of a fit: sums of up to four terms, and the search for the ones that leave the least.

Every single term, and every single term beside a constant, is tried. For more terms, all pairs of the terms are tried
whose factors a grid of runs points to (without a grid: of plain terms), the best get each of these terms more, and all
are improved by exchanging one factor at a time for any other until nothing improves. Everything is array code over
hypotheses: no fit runs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dse.models.measured_laws.fitting.grids import grid_shape, promising
from dse.models.measured_laws.fitting.terms import Factor, Term

__all__ = ["Space", "hypothesis_space", "search"]

_AXES = 3
_KEPT, _STARTS, _ROUNDS, _SAMPLE = 100, 24, 4, 5000
_INDEPENDENT = 1e-9
_AGAIN = 0.5
_COARSE_EXPONENTS = tuple(map(Fraction, ("-1", "-1/2", "1/2", "1", "3/2", "2", "3", "4")))


@dataclass(frozen=True)
class Space:
    """Factors of up to three parameters and their values at the runs.

    Attributes
    ----------
    factors : tuple of tuple of Factor
        By axis, the constant first; axes without a parameter have nothing else.
    values : tuple of ndarray, shape (factors, runs)
        Each over its `scales`, so that columns are alike in size.
    scales : tuple of ndarray, shape (factors,)
    values_of_axis : tuple of int
        Different sizes along each axis.
    coarse : ndarray, shape (terms, 3)
        Indices of the factors of the terms whose pairs are all tried.
    grid : tuple of int or None
        Values along each axis, where the runs are a full grid.
    parameters : int
    """

    factors: tuple[tuple[Factor, ...], ...]
    values: tuple[np.ndarray, ...]
    scales: tuple[np.ndarray, ...]
    values_of_axis: tuple[int, ...]
    coarse: np.ndarray
    grid: tuple[int, ...] | None
    parameters: int

    def term(self, indices: Sequence[int]) -> Term:
        """Return the term of three factor indices."""
        return Term(tuple(self.factors[axis][indices[axis]] for axis in range(self.parameters)))

    def scale(self, terms: np.ndarray) -> np.ndarray:
        """Return what the columns of terms were divided by."""
        scale = np.ones(terms.shape[:-1])
        for axis in range(_AXES):
            scale = scale * self.scales[axis][terms[..., axis]]
        return scale

    def columns(self, terms: np.ndarray, tables: Sequence[np.ndarray] | None = None) -> np.ndarray:
        """Return the values of terms, shape (..., runs), from indices of shape (..., 3).

        `tables` are those of other sizes (`tables_at`); the runs' own by default.
        """
        used = self.values if tables is None else tables
        first, second, third = (used[axis][terms[..., axis]] for axis in range(_AXES))
        result: np.ndarray = first * second * third
        return result

    def tables_at(self, sizes: np.ndarray) -> list[np.ndarray]:
        """Return the values of the factors at other sizes, over the same scales.

        Parameters
        ----------
        sizes : ndarray, shape (points, parameters)
        """
        tables = []
        for axis in range(_AXES):
            if axis >= self.parameters:
                tables.append(np.ones((1, len(sizes))))
                continue
            at_sizes = np.array([np.broadcast_to(f.at(sizes[:, axis]), len(sizes)) for f in self.factors[axis]])
            tables.append(at_sizes / self.scales[axis][:, None])
        return tables

    @cached_property
    def first_two(self) -> np.ndarray:
        """Products of factors of the first two axes at the runs, shape (products, runs)."""
        first, second, _ = self.values
        result: np.ndarray = (first[:, None, :] * second[None, :, :]).reshape(-1, first.shape[1])
        return result

    def along(self) -> list[np.ndarray]:
        """Return the values of the factors of each axis at the values of its size in a full grid."""
        along, stride = [], len(self.values[0][0])
        for axis, count in enumerate(self.grid or ()):
            stride //= count
            along.append(self.values[axis][:, : count * stride : stride])
        return along

    @cached_property
    def intricacies(self) -> tuple[np.ndarray, ...]:
        """Those of the factors, by axis."""
        return tuple(np.array([factor.intricacy for factor in axis]) for axis in self.factors)

    def intricacy(self, hypotheses: np.ndarray) -> np.ndarray:
        """Return the sum over the factors of hypotheses of shape (m, terms, 3); one that comes again counts a half."""
        total = np.zeros(len(hypotheses))
        for axis in range(_AXES):
            ordered = np.sort(hypotheses[..., axis], axis=1)
            first = np.diff(ordered, axis=1, prepend=-1) != 0
            total += np.where(first, self.intricacies[axis][ordered], _AGAIN * (ordered != 0)).sum(axis=1)
        return total


def hypothesis_space(sizes: np.ndarray, factors: Sequence[Sequence[Factor]]) -> Space:
    """Return the space over the runs.

    Parameters
    ----------
    sizes : ndarray, shape (runs, parameters)
    factors : sequence of sequence of Factor
        Those of each parameter, the constant first.
    """
    runs, parameters = sizes.shape
    kept: list[tuple[Factor, ...]] = []
    values, scales, different = [], [], []
    for axis in range(_AXES):
        if axis >= parameters:
            kept.append((Factor(),))
            values.append(np.ones((1, runs)))
            scales.append(np.ones(1))
            different.append(1)
            continue
        along = sizes[:, axis]
        # Below 1 a logarithm is negative: no cost is.
        usable = tuple(factor for factor in factors[axis] if not factor.logarithms or along.min() >= 1.0)
        table = np.array([np.broadcast_to(factor.at(along), along.shape) for factor in usable])
        scale = np.abs(table).max(axis=1)
        scale = np.where(scale > 0, scale, 1.0)
        kept.append(usable)
        values.append(table / scale[:, None])
        scales.append(scale)
        different.append(len(np.unique(along)))
    coarse = [np.array([i for i, f in enumerate(axis) if f.constant or _is_coarse(f)]) for axis in kept]
    shape = grid_shape(sizes)
    return Space(tuple(kept), tuple(values), tuple(scales), tuple(different), _products(coarse), shape, parameters)


def _products(indices: Sequence[np.ndarray]) -> np.ndarray:
    """Return the terms of all combinations of factors."""
    full = [*indices, *([np.zeros(1, dtype=np.intp)] * (_AXES - len(indices)))]
    return np.stack(np.meshgrid(*full, indexing="ij"), axis=-1).reshape(-1, _AXES)


def _is_coarse(factor: Factor) -> bool:
    if not factor.logarithms:
        return factor.exponent in _COARSE_EXPONENTS
    return factor.logarithms == 1 and factor.exponent in (0, 1)


def search(space: Space, weights: np.ndarray, values: np.ndarray, most_terms: int) -> list[np.ndarray]:
    """Find the hypotheses that leave the least.

    Parameters
    ----------
    space : Space
    weights, values : ndarray, shape (runs,)
    most_terms : int
        A constant counts as one; with 1, a constant beside a term is tried all the same.

    Returns
    -------
    list of ndarray, shape (hypotheses, terms, 3)
        One array for each number of terms, without those that the runs cannot tell apart.
    """
    aim = weights * values
    alone, beside = _first_terms(space, weights, aim)
    searched = [_distinguishable(space, alone)]
    if most_terms < 2:
        return [*searched, _distinguishable(space, beside)]
    lattices = [space.coarse]
    if space.grid is not None and values.min() > 0:
        lattices.append(_products(promising(values, space.grid, space.along())))
    split = _split(space, weights, aim, alone[1 : _STARTS + 1])
    paired = [_best_pairs(space, weights, aim, lattice) for lattice in lattices]
    starts = np.concatenate([*paired, split, beside[: _STARTS // 2]])
    searched.append(_distinguishable(space, np.concatenate([beside, _exchanged(space, weights, aim, starts)])))
    for _ in range(3, most_terms + 1):
        best = _ranked(space, weights, aim, searched[-1])[: _STARTS // 2]
        grown = _with_one_more(space, weights, aim, best, lattices[-1])
        more = _distinguishable(space, _exchanged(space, weights, aim, grown))
        searched[-1] = _distinguishable(
            space, np.concatenate([searched[-1], _with_one_less(space, weights, aim, more)])
        )
        searched.append(more)
    return searched


def _first_terms(space: Space, weights: np.ndarray, aim: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the best terms of the full space, alone (the constant among them) and beside a constant."""
    third = space.values[2]
    shape = tuple(len(axis) for axis in space.values)
    constant = weights / np.linalg.norm(weights)
    onto_aim = space.first_two @ (weights * aim * third).T
    onto_constant = space.first_two @ (weights * constant * third).T
    lengths = space.first_two**2 @ (weights**2 * third**2).T
    left = lengths - onto_constant**2
    share = float(constant @ aim)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = np.where(lengths > 0, onto_aim**2 / lengths, -1.0)
        beside = np.where(left > _INDEPENDENT * lengths, (onto_aim - share * onto_constant) ** 2 / left, -1.0)
    single, other = (
        np.stack(np.unravel_index(_greatest(gain.reshape(-1), _KEPT), shape), axis=-1)[:, None, :]
        for gain in (alone, beside)
    )
    nothing = np.zeros((1, 1, _AXES), dtype=np.intp)
    return np.concatenate([nothing, single]), np.concatenate([np.zeros_like(other), other], axis=1)


def _projected(space: Space, weights: np.ndarray, aim: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal basis of the columns of hypotheses and what they leave of the aim."""
    count, terms, _ = fixed.shape
    if not terms:
        return np.empty((count, len(aim), 0)), np.broadcast_to(aim, (count, len(aim)))
    columns = np.swapaxes(space.columns(fixed) * weights, 1, 2)
    basis, _ = np.linalg.qr(columns)
    rest = aim - np.einsum("mnk,mk->mn", basis, np.einsum("mnk,n->mk", basis, aim))
    return basis, rest


def _best_pairs(space: Space, weights: np.ndarray, aim: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Return the best pairs of terms."""
    columns = space.columns(terms) * weights
    columns = columns / np.linalg.norm(columns, axis=1, keepdims=True)
    gain = _pair_gains(columns @ columns.T, columns @ aim)
    chosen = _greatest(gain.reshape(-1), 2 * _STARTS)
    first, other = np.unravel_index(chosen, gain.shape)
    return _unique(np.stack([terms[first], terms[other]], axis=1))


def _split(space: Space, weights: np.ndarray, aim: np.ndarray, singles: np.ndarray) -> np.ndarray:
    """Return the best pairs that come from single terms by two factors of one parameter in place of one.

    A sum of two factors of one parameter is one direction in a grid, so that the grid points to neither.
    """
    split, gains = [], []
    for axis in range(space.parameters):
        held = singles[:, 0].copy()
        held[:, axis] = 0
        held = np.unique(held, axis=0)
        columns = (space.columns(held) * weights)[:, None, :] * space.values[axis]
        lengths = np.linalg.norm(columns, axis=2, keepdims=True)
        columns = columns / np.where(lengths > 0, lengths, 1.0)
        gain = _pair_gains(columns @ np.swapaxes(columns, 1, 2), columns @ aim)
        which, first, other = np.unravel_index(_greatest(gain.reshape(-1), 2 * _STARTS), gain.shape)
        pairs = np.repeat(held[which][:, None, :], 2, axis=1)
        pairs[:, 0, axis], pairs[:, 1, axis] = first, other
        split.append(pairs)
        gains.append(gain[which, first, other])
    best = np.argsort(-np.concatenate(gains), kind="stable")[: 2 * _STARTS]
    return _unique(np.concatenate(split)[best])


def _pair_gains(inner: np.ndarray, onto: np.ndarray) -> np.ndarray:
    """Return what pairs of columns of length 1 explain, from their inner products and those with the aim."""
    left = 1.0 - inner**2
    first, second = onto[..., :, None], onto[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = (first**2 + second**2 - 2.0 * inner * first * second) / left
    return np.where(left > _INDEPENDENT, gain, -1.0)


def _greatest(gain: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the greatest values >= 0, the greatest first."""
    step = max(1, gain.size // _SAMPLE)
    sample = np.sort(gain[::step])
    least = max(0.0, sample[-min(len(sample), max(20, 4 * count // step))])
    inside = np.flatnonzero(gain >= least)
    if len(inside) < count:
        inside = np.flatnonzero(gain >= 0.0)
    return inside[np.argsort(-gain[inside], kind="stable")[:count]]


def _with_one_more(
    space: Space, weights: np.ndarray, aim: np.ndarray, best: np.ndarray, lattice: np.ndarray
) -> np.ndarray:
    """Return the best of the hypotheses with one term of the lattice more."""
    basis, rest = _projected(space, weights, aim, best)
    columns = space.columns(lattice) * weights
    lengths = np.einsum("tn,tn->t", columns, columns)
    left = lengths - np.square(np.einsum("mnk,tn->mtk", basis, columns)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(left > _INDEPENDENT * lengths, (rest @ columns.T) ** 2 / left, -np.inf)
    squares = np.einsum("mn,mn->m", rest, rest)[:, None] - gain
    chosen = np.argsort(squares, axis=None, kind="stable")[: 4 * _STARTS]
    which, term = np.unravel_index(chosen, squares.shape)
    return _distinguishable(space, np.concatenate([best[which], lattice[term][:, None, :]], axis=1))[:_STARTS]


def _with_one_less(space: Space, weights: np.ndarray, aim: np.ndarray, hypotheses: np.ndarray) -> np.ndarray:
    """Return the best hypotheses without each of their terms."""
    best = _ranked(space, weights, aim, hypotheses)[: _STARTS // 2]
    return np.concatenate([np.delete(best, place, axis=1) for place in range(hypotheses.shape[1])])


def _exchanged(space: Space, weights: np.ndarray, aim: np.ndarray, hypotheses: np.ndarray) -> np.ndarray:
    """Improve hypotheses by exchanging one factor at a time; return where they began and where they went."""
    current, seen = hypotheses.copy(), [hypotheses]
    for _ in range(_ROUNDS):
        before = current.copy()
        for place in range(current.shape[1]):
            basis, rest = _projected(space, weights, aim, np.delete(current, place, axis=1))
            for axis in range(space.parameters):
                held = current[:, place].copy()
                held[:, axis] = 0
                columns = (space.columns(held) * weights)[:, None, :] * space.values[axis]
                lengths = np.einsum("mfn,mfn->mf", columns, columns)
                left = lengths - np.square(columns @ basis).sum(axis=-1)
                along = np.einsum("mfn,mn->mf", columns, rest)
                with np.errstate(divide="ignore", invalid="ignore"):
                    gain = np.where(left > _INDEPENDENT * lengths, along**2 / left, -1.0)
                current[:, place, axis] = np.argmax(gain, axis=1)
        seen.append(current.copy())
        if np.array_equal(before, current):
            break
    return _unique(np.concatenate(seen))


def _unique(hypotheses: np.ndarray) -> np.ndarray:
    """Return each hypothesis once, whatever the order of its terms."""
    if not len(hypotheses):
        return hypotheses
    code = (hypotheses[..., 0] * 1000 + hypotheses[..., 1]) * 1000 + hypotheses[..., 2]
    order = np.argsort(code, axis=1, kind="stable")
    ordered = np.take_along_axis(hypotheses, order[..., None], axis=1)
    _, first = np.unique(np.take_along_axis(code, order, axis=1), axis=0, return_index=True)
    return ordered[np.sort(first)]


def _distinguishable(space: Space, hypotheses: np.ndarray) -> np.ndarray:
    """Return those that have fewer different factors in each parameter than it has values."""
    hypotheses = _unique(hypotheses)
    fits = np.ones(len(hypotheses), dtype=bool)
    for axis in range(space.parameters):
        ordered = np.sort(hypotheses[..., axis], axis=1)
        different = 1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)
        fits &= different < space.values_of_axis[axis]
    return hypotheses[fits]


def _ranked(space: Space, weights: np.ndarray, aim: np.ndarray, hypotheses: np.ndarray) -> np.ndarray:
    if not len(hypotheses):
        return hypotheses
    _, rest = _projected(space, weights, aim, hypotheses)
    return hypotheses[np.argsort(np.einsum("mn,mn->m", rest, rest), kind="stable")]
