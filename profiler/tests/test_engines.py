"""The engines alone, against closed forms and brute force that shares nothing with them."""

import ctypes
import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

BINS = 64


def _issue(
    engines: Path, producers: list[list[int]], windows: list[tuple[int, int]], types: list[int] | None = None
) -> np.ndarray:
    width = max(1, *(len(row) for row in producers))
    table = np.full((len(producers), width), -1, np.int64)
    for row, of in enumerate(producers):
        table[row, : len(of)] = of
    kinds = np.array(types or [1] * len(producers), np.uint8)
    sizes = np.array([size for size, _ in windows], np.uint32)
    order = np.array([order for _, order in windows], np.uint8)  # 0 any, 1 in order, 2 BASE, 3 all wait
    spans = np.zeros((len(windows), 5), np.uint64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (sizes, order, table, kinds, spans)]
    ctypes.CDLL(str(engines)).dse_test_issue(
        pointers[0],
        pointers[1],
        len(windows),
        pointers[2],
        width,
        pointers[3],
        ctypes.c_uint64(len(producers)),
        pointers[4],
    )
    return spans


LONG_CHAIN = [[]] + [[place - 1] for place in range(1, 100)] + [[]] * 1100


@pytest.mark.parametrize(("in_order", "spans"), [(False, [100, 119, 100, 100]), (True, [None, 134, 117, 108])])
def test_chain_before_independent_instructions(engines: Path, in_order: bool, spans: list[int | None]) -> None:
    found = _issue(engines, LONG_CHAIN, [(size, in_order) for size in (0, 32, 64, 128)])[:, 0]
    assert [int(span) for span, golden in zip(found, spans, strict=True) if golden] == [
        golden for golden in spans if golden
    ]


def test_independent_instructions_fill_the_window(engines: Path) -> None:
    assert _issue(engines, [[]] * 2400, [(24, False)])[0, 0] == 100


def test_chains(engines: Path) -> None:
    one = [[]] + [[place - 1] for place in range(1, 500)]
    two = [[], []] + [[place - 2] for place in range(2, 500)]
    assert list(_issue(engines, one, [(32, False), (0, False)])[:, 0]) == [500, 500]
    assert list(_issue(engines, two, [(32, False), (0, False)])[:, 0]) == [250, 250]


def _slow_issue(producers: list[list[int]], types: list[int], size: int, in_order: bool) -> list[int]:
    cycles: list[int] = []
    pool: list[int] = []
    least = 0
    best = [-1] * 4
    spans = [0] * 4
    for of, kind in zip(producers, types, strict=True):
        cycle = max([least, *(1 + cycles[place] for place in of), *([max(cycles)] if in_order and cycles else [])])
        cycles.append(cycle)
        if cycle > best[kind]:
            best[kind] = cycle
            spans[kind] += 1
        pool.append(cycle)
        while size and len(pool) >= size:
            pool = [entry for entry in pool if entry != least]
            least += 1
    return [1 + max(cycles), *spans]


def test_issue_against_a_pool_kept_as_a_list(engines: Path) -> None:
    draw = random.Random(5)
    for size, in_order in [(1, False), (2, False), (7, True), (32, False), (0, True), (0, False)]:
        producers = [
            [draw.randrange(max(0, place - 40), place) for _ in range(draw.randrange(3)) if place]
            for place in range(400)
        ]
        types = [draw.randrange(4) for _ in producers]
        found = _issue(engines, producers, [(size, in_order)], types)[0]
        assert list(map(int, found)) == _slow_issue(producers, types, size, in_order)


CONTROL = 2


def _slow_base(producers: list[list[int]], types: list[int], waits: bool = False) -> list[int]:
    """BASE (Anghel 2017, figure 3.9a): no window, control instructions in order, one in a cycle.

    By time: in each cycle everything issues whose producers are through, but only the first control instruction left;
    where all wait (Lam and Wilson 1992), nothing that stands behind it.
    """
    cycles: dict[int, int] = {}
    now = 0
    while len(cycles) < len(producers):
        left = [place for place in range(len(producers)) if place not in cycles]
        controls = [place for place in left if types[place] == CONTROL]
        for place in left:
            through = all(cycles.get(of, now) < now for of in producers[place])
            behind = waits and controls and place > controls[0]
            if through and not behind and (types[place] != CONTROL or place == controls[0]):
                cycles[place] = now
        now += 1
    spans = []
    for kind in range(4):
        best, count = -1, 0
        for place in range(len(producers)):
            if types[place] == kind and cycles[place] > best:
                best, count = cycles[place], count + 1
        spans.append(count)
    return [1 + max(cycles.values()), *spans]


@pytest.mark.parametrize("seed", range(5))
def test_base_against_a_machine_that_steps_through_cycles(engines: Path, seed: int) -> None:
    draw = random.Random(seed)
    producers = [[draw.randrange(place) for _ in range(draw.randrange(3)) if place] for place in range(150)]
    types = [draw.choice([0, 1, 2, 2, 3]) for _ in producers]
    base, waiting, ideal = _issue(engines, producers, [(0, 2), (0, 3), (0, 0)], types)
    assert list(map(int, base)) == _slow_base(producers, types)
    assert list(map(int, waiting)) == _slow_base(producers, types, waits=True)
    assert waiting[0] >= base[0]
    assert base[0] >= max(ideal[0], types.count(CONTROL))
    assert base[1 + CONTROL] == types.count(CONTROL)  # each is later than all before it
    alone = _issue(engines, producers, [(0, 0)], types)[0]
    assert list(alone) == list(ideal)  # a lane beside it changes nothing


def test_control_instructions_alone_take_a_cycle_each(engines: Path) -> None:
    assert _issue(engines, [[]] * 1000, [(0, 2), (0, 0), (32, 0)], [CONTROL] * 1000)[:, 0].tolist() == [1000, 1, 32]
    assert _issue(engines, [[]] * 1000, [(0, 2)], [1] * 1000)[0, 0] == 1


@pytest.mark.parametrize("choices", [[1, 2, 4, 8, 16, 32, 64], [4, 4, 4, 8], [1, 2, 4, 4, 4, 4, 8]])
@pytest.mark.parametrize("aligned", [False, True])
def test_store_cycles_byte_by_byte(engines: Path, choices: list[int], aligned: bool) -> None:
    draw = random.Random(6)
    count = 2000
    kinds = np.array([draw.randrange(2) for _ in range(count)], np.uint8)
    sizes = np.array([draw.choice(choices) for _ in range(count)], np.uint32)
    addresses = np.array([4096 * 3 - 64 + draw.randrange(128) for _ in range(count)], np.uint64)
    if aligned:
        addresses -= addresses % sizes
    found = np.full(count, -7, np.int64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (kinds, addresses, sizes, found)]
    ctypes.CDLL(str(engines)).dse_test_stores(
        pointers[0], pointers[1], pointers[2], ctypes.c_uint64(count), pointers[3]
    )
    stored: dict[int, int] = {}
    for place in range(count):
        touched = range(int(addresses[place]), int(addresses[place]) + int(sizes[place]))
        if kinds[place]:
            stored |= dict.fromkeys(touched, place + 1)
        else:
            assert found[place] == max(stored.get(byte, -1) for byte in touched)


def _reuse(
    engines: Path, addresses: list[int], sizes: list[int], line: int, rate: float = 1.0
) -> tuple[np.ndarray, list[int], float]:
    places, widths = np.array(addresses, np.uint64), np.array(sizes, np.uint32)
    bins, others = np.zeros(BINS, np.uint64), np.zeros(5, np.uint64)
    entropy = ctypes.c_double()
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (places, widths, bins, others)]
    ctypes.CDLL(str(engines)).dse_test_reuse(
        ctypes.c_uint32(line), ctypes.c_double(rate), pointers[0], pointers[1], ctypes.c_uint64(len(addresses)), pointers[2], pointers[3],
        ctypes.byref(entropy),
    )  # fmt: skip
    return bins, [int(other) for other in others], entropy.value


def _distances(lines: list[int]) -> tuple[Counter[int], int]:
    """By a Fenwick tree over the times of last references."""
    tree = [0] * (len(lines) + 1)

    def add(time: int, by: int) -> None:
        time += 1
        while time < len(tree):
            tree[time] += by
            time += time & -time

    def before(time: int) -> int:
        total = 0
        while time:
            total += tree[time]
            time -= time & -time
        return total

    last: dict[int, int] = {}
    found: Counter[int] = Counter()
    for now, line in enumerate(lines):
        if line in last:
            found[before(now) - before(last[line] + 1)] += 1
            add(last[line], -1)
        add(now, 1)
        last[line] = now
    return found, len(last)


@pytest.mark.parametrize("lines", [1, 2, 3, 4, 5, 8, 9, 64, 65, 700])
@pytest.mark.parametrize("line_bytes", [8, 64, 4096])
def test_reuse_against_a_fenwick_tree(engines: Path, lines: int, line_bytes: int) -> None:
    draw = random.Random(lines)
    touched = [min(draw.randrange(lines), draw.randrange(lines)) for _ in range(3000)]
    addresses = [10**6 * line_bytes + line * line_bytes + draw.randrange(line_bytes) for line in touched]
    sizes = [draw.choice([1, 4, 8, 32]) for _ in touched]
    bins, (references, cold, split, footprint, _), entropy = _reuse(engines, addresses, sizes, line_bytes)
    golden: Counter[int] = Counter()
    distances, first = _distances(touched)
    for distance, times in distances.items():
        golden[0 if distance == 0 else math.ceil(math.log2(distance)) + 1] += times
    assert {place: int(times) for place, times in enumerate(bins) if times} == dict(golden)
    assert (references, cold) == (3000, first)
    assert split == sum(
        address % line_bytes + size > line_bytes for address, size in zip(addresses, sizes, strict=True)
    )
    assert footprint == len(
        {byte for address, size in zip(addresses, sizes, strict=True) for byte in range(address, address + size)}
    )
    shares = [times / 3000 for times in Counter(touched).values()]
    assert entropy == pytest.approx(-sum(share * math.log2(share) for share in shares), abs=1e-9)


def test_sampled_lines_keep_the_share_of_long_distances(engines: Path) -> None:
    draw = random.Random(9)
    addresses = [64 * min(draw.randrange(20000), draw.randrange(20000)) for _ in range(60000)]
    bins, (_, cold, _, _, _), _ = _reuse(engines, addresses, [8] * len(addresses), 64)
    some, (_, some_cold, _, _, sampled), _ = _reuse(engines, addresses, [8] * len(addresses), 64, 0.1)
    assert sampled == pytest.approx(6000, rel=0.1)
    assert 10 * some_cold == pytest.approx(cold, rel=0.1)
    far = int(bins[12:].sum())  # beyond 1024 lines; a tenth of them beyond 102
    assert 10 * int(some[9:].sum()) == pytest.approx(far, rel=0.1)


def _branches(engines: Path, outcomes: list[int] | np.ndarray, most: int = 62) -> list[float]:
    taken = np.array(outcomes, np.uint8)
    entropy = np.zeros(most)
    count = ctypes.CDLL(str(engines)).dse_test_branches(
        taken.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_uint64(len(taken)),
        entropy.ctypes.data_as(ctypes.c_void_p),
        most,
    )
    return [float(bits) for bits in entropy[:count]]


def _window_entropy(outcomes: list[int], length: int) -> float:
    windows = Counter(tuple(outcomes[place : place + length]) for place in range(len(outcomes) - length + 1))
    total = sum(windows.values())
    return -sum(times / total * math.log2(times / total) for times in windows.values())


@pytest.mark.parametrize("count", [1, 2, 5, 40, 63, 64, 65, 300])
def test_entropies_against_windows_kept_as_tuples(engines: Path, count: int) -> None:
    draw = random.Random(count)
    outcomes = [int(draw.random() < 0.8) for _ in range(count)]
    found = _branches(engines, outcomes)
    assert len(found) == max(0, min(count - 1, 62))
    for history, bits in enumerate(found, 1):
        golden = _window_entropy(outcomes, history + 1) - _window_entropy(outcomes, history)
        assert bits == pytest.approx(max(0.0, golden), abs=1e-9)


def test_full_table_is_exact_for_the_histories_it_still_holds(engines: Path) -> None:
    outcomes = np.random.default_rng(3).integers(0, 2, 1_300_000)
    found = _branches(engines, outcomes)
    assert 20 <= len(found) < 62

    def entropy(length: int) -> float:
        keys = np.zeros(len(outcomes) - length + 1, np.int64)
        for place in range(length):
            keys = keys * 2 + outcomes[place : place + len(keys)]
        shares = np.unique(keys, return_counts=True)[1] / len(keys)
        return float(-(shares * np.log2(shares)).sum())

    assert found[7] == pytest.approx(entropy(9) - entropy(8), abs=1e-9)
    assert found[-1] == pytest.approx(max(0, entropy(len(found) + 1) - entropy(len(found))), abs=1e-9)


def _missed(histories: Counter[tuple[tuple[int, ...], int]], entries: int) -> float:
    """By the rule of one paragraph: rows of a table, the most frequent first, and one row for all the rest."""
    seen = Counter[tuple[int, ...]]()
    for (past, _), times in histories.items():
        seen[past] += times
    order = sorted(seen, key=lambda past: (-seen[past], past))
    own = order if not entries or len(order) <= entries else order[: entries - 1]
    groups = [[past] for past in own] + ([order[len(own) :]] if len(own) < len(order) else [])
    missed = 0.0
    for group in groups:
        followed = [sum(histories[past, taken] for past in group) for taken in (0, 1)]
        missed += 0.5 if sum(followed) == 1 else min(followed)
    return missed / sum(seen.values())


@pytest.mark.parametrize("count", [5, 17, 18, 64, 200, 6000])
def test_the_more_frequent_outcome_against_a_table_of_tuples(engines: Path, count: int) -> None:
    draw = random.Random(count)
    outcomes = [0, 1, 1, 0, 1]
    while len(outcomes) < count:
        outcomes.append(outcomes[-5] ^ (draw.random() < 0.2))
    rows = [(history, entries) for history in (1, 4, 8, 12, 16) for entries in (0, 1, 2, 10, 300)]
    found = _rows(engines, "dse_test_max_outcome", outcomes[:count], rows)
    for (history, entries), misses in zip(rows, found, strict=True):
        if count <= history:
            assert misses == -1
            continue
        followers = Counter(
            (tuple(outcomes[place - history : place]), outcomes[place]) for place in range(history, count)
        )
        assert misses == pytest.approx(_missed(followers, entries), abs=1e-12)


def _rows(engines: Path, function: str, outcomes: list[int] | np.ndarray, rows: list[tuple[int, int]]) -> list[float]:
    taken, found = np.array(outcomes, np.uint8), np.zeros(len(rows))
    histories = np.array([history for history, _ in rows], np.int32)
    entries = np.array([entries for _, entries in rows], np.uint64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (taken, histories, entries, found)]
    getattr(ctypes.CDLL(str(engines)), function)(
        pointers[0], ctypes.c_uint64(len(taken)), pointers[1], pointers[2], len(rows), pointers[3]
    )
    return [float(one) for one in found]


def _local(
    engines: Path, which: list[int] | np.ndarray, outcomes: list[int] | np.ndarray, histories: list[int], sure: int = 0
) -> list[float]:
    branches, taken, found = np.array(which, np.uint32), np.array(outcomes, np.uint8), np.zeros(len(histories))
    wanted = np.array(histories, np.int32)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (branches, taken, wanted, found)]
    ctypes.CDLL(str(engines)).dse_test_local(
        pointers[0], pointers[1], ctypes.c_uint64(len(taken)), ctypes.c_uint64(sure), pointers[2], len(histories), pointers[3]
    )  # fmt: skip
    return [float(one) for one in found]


@pytest.mark.parametrize("count", [3, 30, 70, 5000])
def test_local_entropies_against_a_list_for_each_branch(engines: Path, count: int) -> None:
    draw = random.Random(count)
    which = [draw.choice([0, 0, 0, 3, 3, 70_000]) for _ in range(count)]
    streams: dict[int, list[int]] = {}
    outcomes = []
    for branch in which:
        stream = streams.setdefault(branch, [])
        again = stream[-3] if len(stream) > 2 else 1
        stream.append(int(again ^ (draw.random() < 0.3)))
        outcomes.append(stream[-1])
    histories = [1, 4, 8, 11, 12]
    for history, found in zip(histories, _local(engines, which, outcomes, histories, sure=10), strict=True):
        followers: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for branch, stream in streams.items():
            for place in range(history, len(stream)):
                followers.setdefault((branch, tuple(stream[place - history : place])), [0, 0])[stream[place]] += 1
        total = 10 + sum(map(sum, followers.values()))
        assert found == pytest.approx(sum(2 * min(pair) for pair in followers.values()) / total, abs=1e-12)
    assert _local(engines, which, outcomes, [13]) == [-1]


def test_a_full_table_of_branches_drops_the_longest_history_and_stays_exact(engines: Path) -> None:
    draw = np.random.default_rng(4)
    branches, times = 500, 4000  # 2^13 windows each, of which some 3000 come: more than 2^20
    taken = draw.integers(0, 2, (times, branches))
    which = np.tile(np.arange(branches), times)
    long, found = _local(engines, which, taken.reshape(-1), [12, 8])
    codes = sum(taken[place : times - 8 + place].astype(np.int64) << (8 - place) for place in range(9))
    ones = np.zeros((branches, 2**9))
    np.add.at(ones, (np.tile(np.arange(branches), times - 8), codes.reshape(-1)), 1)
    assert long == -1
    assert found == pytest.approx(2 * np.minimum(ones[:, 0::2], ones[:, 1::2]).sum() / codes.size, abs=1e-12)
