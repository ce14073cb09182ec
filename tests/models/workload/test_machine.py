"""The description of a machine from samples that are made up: figures, what stands in, bad files. Nothing is timed."""

import json
import os

import pytest

from dse.errors import InputError
from dse.models.workload.machine.description import described, read_machine, study_lines, write_machine
from dse.models.workload.machine.microbenchmarks import Beside, largest_working_set, parsed

KIB, MIB = 1024, 2**20
CACHES = {"l1": 32 * KIB, "l2": MIB, "l3": 32 * MIB}
BESIDE = Beside(1.5, 10.0, 100.0, ("cc1",)), Beside(2.0, 30.0, 200.0, ("ld", "cc1"))
CHAINS = {
    **{"cycle": 0.25, "integer_multiply_chain": 0.75, "integer_divide_chain": 3.5, "float_add_chain": 1.0},
    **{"float_multiply_chain": 1.0, "float_divide_chain": 3.0, "float_multiply_apart": 0.125},
    "integer_multiply_apart": 0.25,
}


def _latency(working_set):
    return next(
        time for size, time in ((32 * KIB, 1.25), (MIB, 4.0), (32 * MIB, 20.0), (10**12, 80.0)) if working_set <= size
    )


def made_up_samples(largest=128 * MIB):
    samples = {(name, 0): [1e-9 * time * factor for factor in (1.0, 1.1, 1.4)] for name, time in CHAINS.items()}
    samples["page_fault", 32 * MIB] = [5e-7, 6e-7, 9e-7]
    working_set = 16 * KIB
    while working_set <= largest:
        time = 1e-9 * _latency(working_set)
        samples["latency", working_set] = [time, 2 * time, time]
        samples["latency_small_pages", working_set] = [2 * time]
        samples["reads_apart", working_set] = [time / 4]
        samples["reads_apart_small_pages", working_set] = [time / 4 + 3e-9 * (1 - 8 * MIB / max(working_set, 8 * MIB))]
        samples["read", working_set] = samples["triad", working_set] = [time / 64]
        working_set *= 2
    return samples


def _described(samples=None, caches=CACHES):
    return described(samples or made_up_samples(), caches, 4, *BESIDE, name="mine")


def test_levels_are_read_where_they_answer():
    figures = _described()["figures"]
    assert [figures[f"{level}_latency"]["value"] for level in ("l1", "l2", "l3", "dram")] == [1.25e-9, 4e-9, 2e-8, 8e-8]
    assert figures["l2_latency"]["largest"] == 8e-9
    assert figures["l2_latency"]["working_sets"] == [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB]
    assert figures["l3_bandwidth"]["value"] == pytest.approx(64 / 2e-8)
    assert not _described()["notes"]


def test_chains_are_cycles_and_throughput_is_a_rate():
    figures = _described()["figures"]
    assert figures["frequency"]["value"] == pytest.approx(4e9)
    assert figures["frequency"]["median"] == pytest.approx(4e9 / 1.1)
    assert figures["float_latency"]["value"] == pytest.approx(4.0)
    assert figures["integer_divide_latency"]["value"] == pytest.approx(14.0)
    assert figures["float_multiplications"]["value"] == pytest.approx(2.0)
    assert figures["float_latency"]["least"] == figures["float_latency"]["value"] < figures["float_latency"]["median"]


def test_a_walk_costs_what_small_pages_cost_more_by_the_share_that_misses():
    assert _described()["figures"]["tlb_miss_cost"]["value"] == pytest.approx(3e-9)


def test_a_level_that_was_not_reached_is_told():
    samples = made_up_samples(largest=16 * MIB)
    samples["reads_apart", 64 * MIB], samples["reads_apart_small_pages", 64 * MIB] = [1e-9], [4e-9]
    notes = _described(samples)["notes"]
    assert any("no working set is of the memory alone" in note for note in notes)


def test_a_machine_without_level_3_takes_the_memory():
    made = _described(caches={**CACHES, "l3": 0})
    assert "l3_latency" not in made["figures"]
    assert made["study"]["set"]["l3_size"] == "0 KiB"


def test_what_ran_beside_it_is_told():
    assert _described()["beside"] == {
        **{"load_before": 1.5, "load_after": 2.0, "stolen_share": 0.2},
        "running": ["cc1", "ld"],
    }


def test_a_description_is_read_as_it_was_written_and_never_overwritten(tmp_path):
    file = write_machine(_described(), tmp_path / "mine.json")
    found = read_machine(file)
    assert found.name == "mine"
    assert found.figures["l1_latency"] == 1.25e-9
    assert found.curves["latency"][0].tolist() == [16 * KIB, 1.25e-9]
    with pytest.raises(InputError, match="not overwritten"):
        write_machine(_described(), file)
    with pytest.raises(InputError, match="does not end in"):
        write_machine(_described(), tmp_path / "mine.txt")
    lines = study_lines(_described(), file)
    assert "cores = 4" in lines
    assert 'prefetching = "strides"' in lines


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("schema", "dse-machine/2", "dse-machine/1"),
        ("figures", {}, "l1_latency"),
        ("curves", {"latency": [[64, 1.0, 1.0, 1.0], [32, 1.0, 1.0, 1.0]]}, "do not rise"),
        ("curves", {"latency": [[64, -1.0, 1.0, 1.0]]}, "curves"),
        ("cores", 0, "cores"),
    ],
)
def test_edited_descriptions_are_refused(tmp_path, key, value, problem):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(_described() | {key: value}))
    with pytest.raises(InputError, match=problem):
        read_machine(file)


def test_lines_of_the_program():
    assert parsed(["cycle 0 2.5e-10", "cycle 0 3e-10", "read 64 1e-9"]) == {
        ("cycle", 0): [2.5e-10, 3e-10],
        ("read", 64): [1e-9],
    }
    with pytest.raises(InputError, match="printed"):
        parsed(["Segmentation fault"])


def test_the_largest_working_set_leaves_room():
    most = largest_working_set(10**12)
    assert most <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 8
    assert most & (most - 1) == 0
