"""Process grids and tiles against a search through everything that would fit."""

import itertools
import math

import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.models.network.patterns.process_grid import best_tiles, most_square

from . import oracle
from .test_closed_forms import factors


def flows_out_of_a_tile(grid, tile) -> int:
    """Flows of the first tile's processes to processes of others, counted one by one."""
    inside = set(itertools.product(*(range(side) for side in tile)))
    count = 0
    for point in inside:
        for axis, length in enumerate(grid):
            for way in (1, -1):
                other = (*point[:axis], (point[axis] + way) % length, *point[axis + 1 :])
                count += other not in inside
    return count


def fitting(outer, volume) -> list[tuple[int, ...]]:
    """All tiles of a volume that divide the outer one."""
    sides = itertools.product(*(range(1, length + 1) for length in outer))
    return [
        tile
        for tile in sides
        if math.prod(tile) == volume and all(length % side == 0 for length, side in zip(outer, tile, strict=True))
    ]


def best_by_trying(grid, blocks):
    """Fewest flows out of the outer tile, then out of the inner one; of equals the longest first sides."""
    chains = [(tile,) for tile in fitting(grid, blocks[0])]
    for block in blocks[1:]:
        chains = [(*chain, tile) for chain in chains for tile in fitting(chain[-1], block)]
    if not chains:
        return None
    fewest = min([flows_out_of_a_tile(grid, tile) for tile in chain] for chain in chains)
    equals = [chain for chain in chains if [flows_out_of_a_tile(grid, tile) for tile in chain] == fewest]
    return max(equals)


# --- grids -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
@given(processes=st.integers(1, 720))
def test_most_square_has_the_smallest_sum_of_sides(dimensions, processes):
    found = most_square(processes, dimensions)
    every = factors(processes, dimensions)
    assert found in every
    assert list(found) == sorted(found, reverse=True)
    assert sum(found) == min(map(sum, every))
    # Of equal sums the one whose longest side is shortest.
    assert found == min(tuple(sorted(one, reverse=True)) for one in every if sum(one) == sum(found))


@pytest.mark.parametrize(
    ("processes", "wanted"),
    [(360, (9, 8, 5)), (1008, (12, 12, 7)), (4620, (22, 15, 14)), (1800, (9, 8, 5, 5))],
)
def test_most_square_of_equal_sums(processes, wanted):
    """(10, 6, 6) and (14, 9, 8) have the same sums; (21, 20, 11) has a shorter longest side than (22, 15, 14)."""
    assert most_square(processes, len(wanted)) == wanted


@given(st.integers(1, 10**6))
def test_most_square_of_two_sides_has_the_divisor_next_to_the_root(processes):
    short = next(side for side in range(math.isqrt(processes), 0, -1) if processes % side == 0)
    assert most_square(processes, 2) == (processes // short, short)


@pytest.mark.slow
@given(st.integers(1, 2000), st.integers(1, 4))
def test_most_square_of_a_power_is_a_square_or_a_cube(side, dimensions):
    assert most_square(side**dimensions, dimensions) == (side,) * dimensions


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("processes", [1, 2, 7919, 2**31 - 1, 2**40, 6469693230, 10**12])
def test_most_square_of_primes_and_of_large_machines(processes, dimensions):
    found = most_square(processes, dimensions)
    assert math.prod(found) == processes
    if processes in (7919, 2**31 - 1):
        assert found == (processes,) + (1,) * (dimensions - 1)


# --- tiles -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.integers(1, 3).flatmap(lambda sides: st.tuples(*[st.integers(1, (48, 16, 8)[sides - 1])] * sides)), st.data())
def test_best_tiles_of_one_level(grid, data):
    """Volumes that divide the machine, and some that do not."""
    processes = math.prod(grid)
    volumes = [volume for volume in range(1, processes + 1) if processes % volume == 0] + [processes + 1, 5]
    volume = data.draw(st.sampled_from(volumes))
    found = best_tiles(grid, (volume,))
    assert found == best_by_trying(grid, (volume,))
    if found:
        assert math.prod(found[0]) == volume
        flows = oracle.neighbours(grid, found)  # the tiles are those of the first nodes, whatever the network is
        leaving = sum(other >= volume for others in flows[:volume] for other in others)
        assert leaving == flows_out_of_a_tile(grid, found[0])


@settings(max_examples=examples(200))
@given(st.integers(1, 3).flatmap(lambda sides: st.tuples(*[st.integers(1, (48, 16, 8)[sides - 1])] * sides)), st.data())
def test_best_tiles_of_two_levels(grid, data):
    """The outer one may only be one that has room for an inner one."""
    processes = math.prod(grid)
    outer = data.draw(st.sampled_from([volume for volume in range(1, processes + 1) if processes % volume == 0]))
    inner = data.draw(st.sampled_from([volume for volume in range(1, outer + 1) if outer % volume == 0]))
    found = best_tiles(grid, (outer, inner))
    assert found == best_by_trying(grid, (outer, inner))
    if found:
        assert len(found) == 2
        assert all(length % side == 0 for pair in ((grid, found[0]), found) for length, side in zip(*pair, strict=True))


@pytest.mark.parametrize(
    ("grid", "blocks", "wanted"),
    [
        ((64, 64), (64,), ((8, 8),)),
        ((64, 64), (4096,), ((64, 64),)),  # the whole grid: nothing leaves
        ((64, 2), (2,), ((1, 2),)),  # 4 flows leave; of (2, 1) 6
        ((4, 1), (2,), ((2, 1),)),
        ((8, 6), (5,), None),
        ((6, 6), (8,), None),
        ((12, 4), (16, 8), ((4, 4), (2, 4))),  # a column is closed in both: its flows stay
        ((6, 6), (9, 3), ((3, 3), (3, 1))),
        ((12, 3), (12, 6), ((4, 3), (2, 3))),
        ((7, 7), (7, 7), ((7, 1), (7, 1))),
        ((10, 10), (4, 4), ((2, 2), (2, 2))),
    ],
)
def test_best_tiles_by_hand(grid, blocks, wanted):
    assert best_tiles(grid, blocks) == wanted


def test_tiles_that_close_a_ring_are_best():
    """A side as long as the grid's: no flow leaves along it, so a stripe may beat a square."""
    assert best_tiles((4, 64), (16,)) == ((4, 4),)
    assert best_tiles((8, 64), (16,)) == ((8, 2),)  # 16 flows leave; (4, 4) 16: the first sides decide
    assert best_tiles((16, 64), (16,)) == ((4, 4),)
    assert best_tiles((2, 64), (16,)) == ((2, 8),)  # 4 flows leave, of (1, 16) 34


def test_tiles_of_large_machines_are_found_at_once():
    """Numbers with many divisors, three dimensions, two levels."""
    grid = most_square(720_720, 3)
    found = best_tiles(grid, (5040, 60))
    assert found is not None
    assert [math.prod(tile) for tile in found] == [5040, 60]
