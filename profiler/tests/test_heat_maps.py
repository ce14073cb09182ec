"""Heat maps of accesses: the engines and programs against brute force that shares nothing with them."""

import ctypes
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROWS, COLUMNS, FIRST_BYTES, FIRST_COLUMN, REACH = 128, 128, 8, 64, 1024


def _address_map(engines: Path, addresses: Sequence[int]) -> dict[str, Any]:
    trace, size = np.array(addresses, np.uint64), np.zeros(4, np.uint64)
    first, counts = np.zeros(ROWS, np.uint64), np.zeros((ROWS, COLUMNS), np.uint64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (trace, size, first, counts)]
    ctypes.CDLL(str(engines)).dse_test_address_map(
        pointers[0], ctypes.c_uint64(len(addresses)), pointers[1], pointers[2], pointers[3]
    )
    rows, columns, row_bytes, column_accesses = map(int, size)
    cells = [[int(first[row]), *map(int, counts[row, :columns])] for row in range(rows)]
    return {"accesses": len(addresses), "row_bytes": row_bytes, "column_accesses": column_accesses, "rows": cells}


def _by_hand(addresses: Sequence[int]) -> dict[str, Any]:
    """The least sizes that fit, and each access counted for its cell."""
    row_bytes, column_accesses = FIRST_BYTES, FIRST_COLUMN
    while len({address // row_bytes for address in addresses}) > ROWS:
        row_bytes *= 2
    while column_accesses * COLUMNS < len(addresses):
        column_accesses *= 2
    cells = Counter(
        (address // row_bytes * row_bytes, place // column_accesses) for place, address in enumerate(addresses)
    )
    columns = -(-len(addresses) // column_accesses)
    rows = [[first, *(cells[first, column] for column in range(columns))] for first in sorted({r for r, _ in cells})]
    return {
        "accesses": len(addresses),
        "row_bytes": row_bytes,
        "column_accesses": column_accesses,
        "rows": rows,
    }


def _sorted(counted: dict[str, Any]) -> dict[str, Any]:
    return {**counted, "rows": sorted(counted["rows"])}


@pytest.mark.parametrize("count", [1, 64, 65, 128 * 64, 128 * 64 + 1, 20_000])
@pytest.mark.parametrize("spread", [3, 9, 20, 47])
def test_counts_by_address_and_time_are_exact(engines: Path, count: int, spread: int) -> None:
    """A heap, a stack far away, and places drawn from up to 2^spread bytes."""
    draw = random.Random(100 * spread + count)
    addresses = [
        draw.choice([0x5555_0000_0000 + draw.randrange(1 << min(spread, 40)), 0x7FFF_0000_0000 - 8 * draw.randrange(9)])
        for _ in range(count)
    ]
    if spread == 47:
        addresses = [draw.randrange(1 << 47) for _ in range(count)]
    assert _sorted(_address_map(engines, addresses)) == _by_hand(addresses)


def test_the_size_is_bounded_whatever_is_touched(engines: Path) -> None:
    counted = _address_map(engines, [place * 0x1_0000_0001 % (1 << 47) for place in range(100_000)])
    assert len(counted["rows"]) <= ROWS
    assert all(len(row) <= COLUMNS + 1 for row in counted["rows"])
    assert sum(sum(row[1:]) for row in counted["rows"]) == 100_000


def _locality(engines: Path, accesses: Sequence[tuple[int, int]]) -> dict[int, dict[int, int]]:
    places, sizes = (
        np.array(column, kind) for column, kind in zip(zip(*accesses, strict=True), ("u8", "u4"), strict=True)
    )
    lags, counts = np.zeros(64, np.uint32), np.zeros((64, 2 * REACH + 1), np.uint64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (places, sizes, lags, counts)]
    rows = ctypes.CDLL(str(engines)).dse_test_locality_map(
        pointers[0], pointers[1], ctypes.c_uint64(len(accesses)), pointers[2], pointers[3]
    )
    return {
        int(lags[row]): {int(place) - REACH: int(counts[row, place]) for place in np.flatnonzero(counts[row])}
        for row in range(rows)
    }


@pytest.mark.parametrize("seed", range(4))
def test_pairs_by_distance_byte_by_byte(engines: Path, seed: int) -> None:
    """Every byte of the later access less every byte of the earlier one; nothing beyond the reach."""
    draw = random.Random(seed)
    accesses = [
        (0x1000_0000 + draw.randrange(1 << (6, 9, 12, 16)[seed]), draw.choice([1, 2, 4, 8, 32])) for _ in range(400)
    ]
    counted = _locality(engines, accesses)
    assert list(counted)[:3] == [1, 2, 3]
    assert max(counted) == 256
    for lag, counts in counted.items():
        wanted: Counter[int] = Counter()
        for (before, size), (after, held) in zip(accesses, accesses[lag:], strict=False):
            wanted.update({b - a for a in range(before, before + size) for b in range(after, after + held)})
        assert counts == {offset: n for offset, n in wanted.items() if abs(offset) <= REACH}


SWEEP = """
#include <stdio.h>
static volatile int a[65536] __attribute__((aligned(262144)));
int main(void) {
  for (int sweep = 0; sweep < 2; ++sweep)
    for (int i = 1; i < 65535; ++i)
      a[i] = a[i - 1] + a[i + 1];
  printf("%p\\n", (void *)a);
  return 0;
}
"""
WALK = """
#include <stdio.h>
static volatile int a[65536] __attribute__((aligned(262144)));
int main(void) {
  unsigned x = 2463534242u;
  for (int i = 0; i < 100000; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    a[x & 65535] = a[x >> 16];
  }
  printf("%p\\n", (void *)a);
  return 0;
}
"""


def _sweep(first: int) -> list[int]:
    return [first + 4 * place for _ in range(2) for i in range(1, 65535) for place in (i - 1, i + 1, i)]


def _walk(first: int) -> list[int]:
    x, addresses = 2463534242, []
    for _ in range(100_000):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        addresses += [first + 4 * (x >> 16), first + 4 * (x & 65535)]
    return addresses


def test_a_sweep_has_stripes_and_a_random_walk_none(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    """Every cell is what the addresses say; of the rows a column touches few, or nearly all."""
    touched = {}
    for name, text, trace in (("sweep", SWEEP, _sweep), ("walk", WALK, _walk)):
        recorded = run(build(text, name=name), folder=name, metrics="mix", heatmap="addresses,locality")
        addresses = trace(int(recorded.output, 16))
        counted = recorded.thread["address_map"]
        assert counted.pop("version") == 1
        assert _sorted(counted) == _by_hand(addresses)
        cells = np.array([row[1:] for row in counted["rows"]])
        touched[name] = (cells > 0).mean(axis=0).mean()
    assert touched["sweep"] < 0.05
    assert touched["walk"] > 0.95


def test_the_locality_of_a_sweep(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    """Three accesses later the same place of the next element, 4 bytes on; a walk goes anywhere."""
    thread = run(build(SWEEP), metrics="mix", heatmap="locality").thread
    assert "address_map" not in thread
    counted = thread["locality_map"]
    assert (counted["version"], counted["reach_bytes"], counted["step_bytes"]) == (1, REACH, 4)
    offsets = range(-REACH, REACH + 1, 4)
    rows = {lag: dict(zip(offsets, counts, strict=True)) for lag, *counts in counted["rows"]}
    jump = 2 * 65534 * 3 - 3
    assert rows[3][4] == jump - 3  # all pairs but the three from one sweep into the next
    assert rows[1][8] == jump // 3 + 1  # from a[i - 1] to a[i + 1]
    assert sum(rows[3].values()) == rows[3][4]


def test_other_records_stay_as_they_are(build: Callable[..., Path], run: Callable[..., Any]) -> None:
    """The maps are keys of their own, of a fixed size; a wrong word is told and none is recorded."""
    program = build(WALK)
    plain = run(program, folder="plain")
    mapped = run(program, folder="mapped", heatmap="addresses,locality")
    wrong = run(program, folder="wrong", heatmap="heat")
    assert "DSE_PROFILE_HEATMAP=heat is not understood" in wrong.errors
    assert wrong.thread == plain.thread
    assert {key: value for key, value in mapped.thread.items() if not key.endswith("_map")} == plain.thread
    assert 0 < mapped.record["memory_bytes"] - plain.record["memory_bytes"] < 1_000_000
