"""What a stride prefetcher foresees and which loads wait for others: against brute force, and in programs."""

import ctypes
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

FIRST = 64  # the bin of first touches


def _counted(
    engines: Path, parents: list[list[int]], trace: list[tuple[int, int]]
) -> tuple[Counter[int], Counter[int], Counter[int], Counter[int]]:
    table = np.full((len(parents), 4), -1, np.int32)
    for row, of in enumerate(parents):
        table[row, : len(of)] = of
    which, addresses = (
        np.array(column, kind) for column, kind in zip(zip(*trace, strict=True), ("u4", "u8"), strict=True)
    )
    counts = np.zeros((4, FIRST + 1), np.uint64)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (table, which, addresses, counts)]
    ctypes.CDLL(str(engines)).dse_test_strides(
        ctypes.c_uint32(64),
        pointers[0],
        ctypes.c_uint32(len(parents)),
        pointers[1],
        pointers[2],
        ctypes.c_uint64(len(trace)),
        pointers[3],
    )
    return tuple(Counter({place: int(n) for place, n in enumerate(row) if n}) for row in counts)  # type: ignore


def _bin(distance: int) -> int:
    return distance if distance < 2 else (distance - 1).bit_length() + 1


def _slowly(
    parents: list[list[int]], trace: list[tuple[int, int]]
) -> tuple[Counter[int], Counter[int], Counter[int], Counter[int]]:
    """The same by lists: the stack of lines, the whole history of each access."""
    stack: list[int] = []
    history: dict[int, list[int]] = {}
    belief: dict[int, list[int]] = {}  # stride, confidence
    chains: dict[int, tuple[int, int]] = {}
    seen, covered, loads, waiting = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
    for number, (access, address) in enumerate(trace):
        line = address // 64
        place = FIRST
        if line in stack:
            place = _bin(stack.index(line))
            stack.remove(line)
        stack.insert(0, line)
        past = history.setdefault(access, [])
        sure = belief.setdefault(access, [0, 0])
        foreseen = False
        if past:
            stride = address - past[-1]
            if stride == sure[0]:
                foreseen = sure[1] >= 2 and stride != 0
                sure[1] = min(3, sure[1] + 1)
            elif sure[1]:
                sure[1] -= 1
            else:
                sure[0] = stride
        past.append(address)
        seen[place] += 1
        covered[place] += foreseen
        near = [chains[parent] for parent in parents[access] if parent in chains and number - chains[parent][1] <= 128]
        longest = max(near, default=(-1, 0))
        loads[place] += 1
        if near:
            waiting[min(place, longest[0])] += 1
        chains[access] = longest if longest[0] > place else (place, number)
    return +seen, +covered, +loads, +waiting


@pytest.mark.parametrize("seed", range(6))
def test_tables_against_brute_force(engines: Path, seed: int) -> None:
    """Streams that begin anew, jumps, accesses that stand still; up to two sources of each address."""
    draw = random.Random(seed)
    parents = [draw.sample(range(6), draw.randrange(3)) for _ in range(6)]
    places = [draw.randrange(1 << 16) * 8 for _ in range(6)]
    trace = []
    for _ in range(1500):
        access = draw.randrange(6)
        if draw.random() < 0.06 or access == 5:
            places[access] = draw.randrange(1 << 16) * 8
        elif access < 4:
            places[access] += (8, 64, -24, 512)[access]
        trace.append((access, places[access]))
    assert _counted(engines, parents, trace) == _slowly(parents, trace)


def _shares(found: object, line_bytes: int = 64) -> tuple[dict[int, float], float]:
    row = next(row for row in found.thread["reuse"] if row.get("line_bytes") == line_bytes)  # type: ignore[attr-defined]
    first = row["covered"]["first"]
    return {upper: having / seen for upper, seen, having in row["covered"]["bins"]}, first[1] / max(first[0], 1)


def _waiting(found: object) -> float:
    """The share of the loads beyond 32 lines that wait for another one there."""
    row = found.thread["reuse"][0]["dependent"]  # type: ignore[attr-defined]
    rows = [(seen, having) for upper, seen, having in row["bins"] if upper > 32] + [row["first"]]
    return sum(having for _, having in rows) / sum(seen for seen, _ in rows)


PROGRAM = """#include <stdint.h>
#include <stdlib.h>
enum { N = 4096 };
static volatile double a[N], b[N], c[N];
struct node { struct node *volatile next; char rest[56]; };
static _Alignas(64) struct node nodes[512];
static volatile uint32_t where[N];
static uint32_t state = 2463534242u;
static uint32_t drawn(void) { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }
int main(int count, char **words) {
  const int kind = atoi(words[1]);
  if (kind == 0)
    for (int r = 0; r < 3; r++)
      for (int i = 0; i < N; i++) a[i] = b[i] + 3.0 * c[i];
  if (kind == 1) {
    int order[512];
    for (int i = 0; i < 512; i++) order[i] = i;
    for (int i = 511; i > 0; i--) { int j = drawn() % (i + 1), q = order[i]; order[i] = order[j]; order[j] = q; }
    for (int i = 0; i < 512; i++) nodes[order[i]].next = &nodes[order[(i + 1) % 512]];
    struct node *p = nodes;
    for (int i = 0; i < 20000; i++) p = p->next;
  }
  if (kind == 2) {
    for (int i = 0; i < N; i++) where[i] = drawn() % N;
    double sum = 0;
    for (int r = 0; r < 3; r++)
      for (int i = 0; i < N; i++) sum += a[where[i]];
    b[0] = sum;
  }
}
"""


def test_a_triad_is_foreseen_and_waits_for_nothing(build: Callable, run: Callable) -> None:
    found = run(build(PROGRAM), "0", metrics="reuse")
    bins, first = _shares(found)
    assert bins[2] > 0.999
    assert bins[2048] > 0.99
    assert first > 0.99
    assert _waiting(found) == 0.0


def test_a_list_in_random_order_is_not_foreseen_and_every_load_waits(build: Callable, run: Callable) -> None:
    found = run(build(PROGRAM), "1", metrics="reuse")
    bins, _ = _shares(found)
    assert bins[512] < 0.01
    assert _waiting(found) > 0.95


def test_an_indirect_sum_waits_once_for_each_line_of_its_indices(build: Callable, run: Callable) -> None:
    """Indices are foreseen, what they name is not; sixteen indices share a line, of which the first misses."""
    found = run(build(PROGRAM), "2", metrics="reuse")
    row = found.thread["reuse"][0]
    seen = {upper: (count, having) for upper, count, having in row["covered"]["bins"]}
    beyond = [pair for upper, pair in seen.items() if upper >= 256]
    assert 0.0 < sum(having for _, having in beyond) / sum(count for count, _ in beyond) < 0.3
    assert 0.0 < _waiting(found) < 0.3


def test_what_was_recorded_before_is_the_same_beside_a_sample(build: Callable, run: Callable) -> None:
    """Looking at strides changes no distance, and a sample is near the whole."""
    program = build(PROGRAM)
    exact = run(program, "0", folder="exact", metrics="reuse")
    sampled = run(program, "0", folder="sampled", metrics="reuse", sample="ilp=10")
    assert sampled.bins() == exact.bins()
    assert exact.record["sampling"]["strides"] == 1
