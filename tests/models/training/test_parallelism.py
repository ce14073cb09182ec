"""Ways to cut a model over devices: counts of the golden cases, a plain count beside them, and bad input."""

from __future__ import annotations

from itertools import product

import pytest

from dse.authoring.library.library import find_enumeration
from dse.errors import InputError
from tests.models.training.cases import GOLDEN

PARALLELISM = find_enumeration("training.parallelism")
CASES = {
    "X1": {"architecture": "llama3.1-405b", "devices": 8192, "batch": 1536, "chunks": [1, 2, 4, 8]}
    | {"largest_micro_batch": 4},
    "X2": {"architecture": "gpt3-175b", "devices": 1024, "batch": 2048, "chunks": [1, 2, 4], "largest_micro_batch": 8},
    "X3": {"architecture": "mixtral-8x7b", "devices": 128, "batch": 256, "experts": [1, 2, 4, 8]}
    | {"largest_micro_batch": 2},
}


@pytest.mark.parametrize("name", CASES)
def test_counts(name):
    found = PARALLELISM.rows(CASES[name])
    assert (found.kept, sum(found.refused.values())) == (GOLDEN[name]["rows"], GOLDEN[name]["refused"])


def test_every_row_by_plain_loops():
    a, kv, h, f, s, layers, experts, n, batch = 12, 4, 96, 192, 64, 12, 4, 24, 48
    given = {"layers": layers, "hidden": h, "heads": a, "kv_heads": kv, "ffn": f, "sequence": s, "experts": experts}
    options = {"architecture": given, "devices": n, "batch": batch, "experts": [1, 2], "chunks": [1, 2]}
    found = PARALLELISM.rows({**options, "largest_micro_batch": 2})
    wanted = []
    for t, p, c, e, v, b in product(range(1, 65), range(1, 65), range(1, 17), (1, 2), (1, 2), (1, 2)):
        if n % (t * p * c):
            continue
        d = n // (t * p * c)
        if a % t or (kv % t and t % kv) or h % t or f % t or p * v > layers or (v > 1 and p == 1):
            continue
        if (c > 1 and s % (2 * c)) or (e > 1 and (experts % e or d % e)) or batch % (d * b):
            continue
        if v > 1 and batch // (d * b) % p:
            continue
        wanted.append(f"t{t} p{p} d{d} c{c} e{e} v{v} b{b}")
    assert sorted(found.labels) == sorted(wanted)
    for name, letter in (("tensor_parallel", "t"), ("data_parallel", "d"), ("micro_batch", "b")):
        by_label = [int(next(w for w in label.split() if w[0] == letter)[1:]) for label in found.labels]
        assert found.columns[name].tolist() == by_label


def test_without_devices_the_machine_says_how_many_copies():
    found = PARALLELISM.rows({"architecture": "megatron-1t", "batch": 6144, "largest_micro_batch": 1})
    assert "data_parallel" not in found.columns
    assert {"t8 p32 c1 e1 v1 b1", "t5 p1 c1 e1 v1 b1"} <= set(found.labels)
    assert not [label for label in found.labels if label.startswith("t3 ")]  # 3 divides neither layers nor heads


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"architecture": "lama3.1-405b"}, "llama3.1-405b"),
        ({"architecture": {"layers": 2}}, "layers"),
        ({"batch": 1535, "largest_context": 1}, "1536 leaves 173"),
        ({"batch": 0}, "whole number >= 1"),
        ({"devices": 8192.5}, "whole number >= 1"),
        ({"experts": [2]}, "experts do not divide"),
        ({"chunks": []}, "list of whole numbers"),
        ({"chunk": [1]}, "chunks"),
    ],
)
def test_bad_input(changed, words):
    with pytest.raises(InputError) as raised:
        PARALLELISM.rows({**CASES["X1"], **changed})
    assert words in str(raised.value)


def test_dimensions():
    sizes = find_enumeration("training.dimension_sizes")
    assert sizes.rows({"devices": 1024}).kept == 10
    with pytest.raises(InputError, match="1024"):
        sizes.rows({"devices": 1000})
    with pytest.raises(InputError, match="powers of two"):
        sizes.rows({"devices": 1024, "sizes": [4, 12]})
    rows = find_enumeration("training.dimension_topology").rows({"dimension": 3})
    assert (rows.labels, rows.columns["dimension_3_topology"].tolist()) == (("ring", "full", "switch"), [0, 1, 2])


def test_several_numbers_of_devices_are_the_cuts_of_each_after_one_another():
    options = {**CASES["X2"], "chunks": [1]}
    single = [PARALLELISM.rows({**options, "devices": devices}) for devices in (256, 512, 1024)]
    for devices in ({"values": [1024, 256, 512]}, {"powers_of_two": [200, 1024]}):
        together = PARALLELISM.rows({**options, "devices": devices})
        assert list(together.labels) == [label for own in single for label in own.labels]
        assert len(set(together.labels)) == len(together.labels)
        assert together.considered == sum(own.considered for own in single)
        reasons = {reason for own in single for reason in own.refused}
        assert together.refused == {reason: sum(own.refused.get(reason, 0) for own in single) for reason in reasons}
        t, p, c, d = (together.columns[f"{name}_parallel"] for name in ("tensor", "pipeline", "context", "data"))
        assert sorted(set((t * p * c * d).tolist())) == [256, 512, 1024]


def test_a_number_of_devices_that_leaves_no_cut_is_left_out_and_one_must_leave_some():
    options = {**CASES["X2"], "chunks": [1]}
    assert PARALLELISM.rows({**options, "devices": {"values": [1021, 512]}}).labels == (
        PARALLELISM.rows({**options, "devices": 512}).labels
    )
    with pytest.raises(InputError, match="no row is left"):
        PARALLELISM.rows({**options, "devices": {"values": [1021]}})
    with pytest.raises(InputError, match="no power of two from 600 to 1000"):
        PARALLELISM.rows({**options, "devices": {"powers_of_two": [600, 1000]}})
    with pytest.raises(InputError, match="devices"):
        PARALLELISM.rows({**options, "devices": {"powers": [600, 1000]}})
