"""Trees of up to 2^40 processes against recursions in exact fractions, which follow the definition of the tree."""

from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.models.collectives import INFINIBAND, cost
from dse.models.collectives.algorithms.geometry import kary_height

PROCESSES = st.one_of(st.integers(2, 2**40), st.integers(1, 40).map(lambda m: 2**m), st.integers(2, 10**4))
ARITIES = st.one_of(st.integers(2, 9), st.integers(10, 2**40))
LATENCY, OVERHEAD, BYTE = (
    Fraction(float(value)) for value in (INFINIBAND.latency, INFINIBAND.overhead, INFINIBAND.byte_time)
)
HOP = LATENCY + OVERHEAD


def subtree_sizes(nodes, arity):
    """Nodes below each kind of child of the root, from left to right, as (size, how many)."""
    height = 0
    while sum(arity**level for level in range(height + 1)) < nodes:
        height += 1
    inner = sum(arity**level for level in range(height))
    last, room = nodes - inner, arity ** (height - 1)
    small = sum(arity**level for level in range(height - 1))
    kinds = [(small + room, last // room)]
    if last % room:
        kinds.append((small + last % room, 1))
    kinds.append((small, arity - sum(count for _, count in kinds)))
    return [(size, count) for size, count in kinds if size and count]


def kary_times(processes, arity, size, personalised):
    """(Time, sum of depths, most children) by recursion over subtrees of different sizes."""

    @cache
    def below(nodes):
        if nodes == 1:
            return Fraction(0), 0
        elapsed, latest, depths = Fraction(0), Fraction(0), 0
        for child, count in subtree_sizes(nodes, arity):
            elapsed += count * (OVERHEAD + (child if personalised else 1) * size * BYTE)
            time, deep = below(child)
            latest = max(latest, elapsed + HOP + time)  # of children of one size the last is the latest
            depths += count * (child + deep)
        return latest, depths

    return below(processes)


@given(PROCESSES, ARITIES, st.sampled_from([0, 8, 4096, 10**6]))
@settings(max_examples=examples(150), deadline=None)
def test_kary(processes, arity, size):
    for collective, name in (("bcast", "kary"), ("scatter", "kary_pers")):
        found = cost(name, collective, processes, size, arity=arity)
        time, depths = kary_times(processes, arity, size, name == "kary_pers")
        assert float(found.time) == pytest.approx(float(time), rel=1e-12)
        blocks = depths if name == "kary_pers" else processes - 1
        assert float(found.bytes) == pytest.approx(blocks * size, rel=1e-12)
        assert float(found.memory) == 32 * min(arity, processes - 1)


@given(PROCESSES, st.sampled_from([0, 8, 4096, 10**6]))
@settings(max_examples=examples(150), deadline=None)
def test_binomial(processes, size):
    @cache
    def below(nodes, personalised):
        if nodes == 1:
            return Fraction(0), 0
        kept = 1 << ((nodes - 1).bit_length() - 1)
        handed = nodes - kept
        send = OVERHEAD + (handed if personalised else 1) * size * BYTE
        (time, moved), (rest, staying) = below(handed, personalised), below(kept, personalised)
        return send + max(HOP + time, rest), moved + staying + handed

    for collective, name in (("bcast", "binomial"), ("scatter", "binomial_pers")):
        found = cost(name, collective, processes, size)
        time, moved = below(processes, name == "binomial_pers")
        assert float(found.time) == pytest.approx(float(time), rel=1e-12)
        blocks = moved if name == "binomial_pers" else processes - 1
        assert float(found.bytes) == pytest.approx(blocks * size, rel=1e-12)


@given(PROCESSES, st.sampled_from([0, 8, 4096, 10**6]))
@settings(max_examples=examples(60), deadline=None)
def test_fibonacci_informs_all_in_time_and_no_sooner(processes, size):
    """Labels i a + j b in exact fractions: enough nodes have one up to T, too few have a smaller one."""
    send = OVERHEAD + size * BYTE
    time = Fraction(float(cost("fibonacci", "bcast", processes, size).time))

    def informed(until):
        total = 0
        for hops in range(60):
            left = until - hops * HOP
            total += comb(int(left // send), hops) if left >= 0 else 0
        return total

    assert informed(time * (1 + Fraction(1, 10**12))) >= processes
    assert informed(time * (1 - Fraction(1, 10**12))) < processes


def test_heights_at_the_edges_of_full_trees():
    """One node more than a full tree is a level more, at any arity and size; floating logarithms fail here."""
    for arity in (2, 3, 5, 7, 10, 1000, 2**20 - 1):
        nodes, height = 1, 0
        while nodes * arity + 1 <= 2**40:
            nodes, height = nodes * arity + 1, height + 1
            found = cost("kary", "bcast", np.array([nodes, nodes + 1]), 0, arity=arity).time
            full = height * (HOP + arity * OVERHEAD)
            assert float(found[0]) == pytest.approx(float(full), rel=1e-12)
            assert found[1] >= found[0] * (1 - 1e-15)
            heights = kary_height(np.array([nodes, nodes + 1]), np.array(arity))
            assert heights.tolist() == [height, height + 1]
