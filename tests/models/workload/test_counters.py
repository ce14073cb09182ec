"""Counters of perf, LIKWID and PAPI: what they determine of a profile."""

import json

import pytest

from dse.errors import InputError
from dse.models.workload.counters.counters import read_counters

PERF = """# started on Mon
1000000,,instructions:u,500,100.00,,
200000,,mem_inst_retired.all_loads:u,500,80.00,,
150000,,branches:u,500,100.00,,
<not supported>,,cycles,0,100.00,,
77,,cache-misses,500,100.00,,
"""
LIKWID = """TABLE,Group 1 Raw,MEM,5,
Event,Counter,HWThread 0,HWThread 1,
INSTR_RETIRED_ANY,FIXC0,1000,3000,
CPU_CLK_UNHALTED_CORE,FIXC1,9,9,
MEM_INST_RETIRED_ALL_STORES,PMC0,100,300,
TABLE,Group 1 Raw STAT,MEM,5,
Event,Counter,Sum,Min,Max,Avg,
INSTR_RETIRED_ANY STAT,FIXC0,4000,1000,3000,2000,
TABLE,Group 1 Metric,MEM,1,
Runtime (RDTSC) [s],1.2,1.2,,
"""
PAPI = {
    "papi_version": "7.0.0",
    "threads": {
        "0": {
            "regions": {
                "0": {"name": "main", "parent_region_id": "-1", "PAPI_TOT_INS": "900", "PAPI_LD_INS": "200"},
                "1": {"name": "inner", "parent_region_id": "0", "PAPI_TOT_INS": "500", "PAPI_LD_INS": "100"},
                "2": {"name": "end", "parent_region_id": "-1", "PAPI_TOT_INS": {"total": "100"}, "PAPI_L1_DCM": "3"},
            }
        }
    },
}


def written(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_perf_counts_of_the_program_are_taken_over_and_those_of_the_machine_are_not(tmp_path):
    found = read_counters(written(tmp_path, "perf.csv", PERF))
    assert found.counts == {"instructions": 1_000_000, "load": 200_000, "control": 150_000}
    assert found.unused == ("cache-misses",)
    assert found.remarks == (
        "mem_inst_retired.all_loads was counted 80.00 % of the time: perf scaled it up to the whole",
        "cycles was not supported",
        "how many threads ran is not said (no task-clock): taken as one; otherwise --threads N",
    )


def test_likwid_counts_are_the_mean_of_the_threads_without_the_tables_of_statistics(tmp_path):
    found = read_counters(written(tmp_path, "run.csv", LIKWID))
    assert (found.threads, found.counts) == (2, {"instructions": 2000, "store": 200})
    assert found.unused == ("CPU_CLK_UNHALTED_CORE",)
    (told,) = found.remarks
    assert told == "the mean of 2 threads, taken as equal although their instructions differ, from 1000 to 3000"


def test_the_columns_of_likwids_statistics_are_no_threads(tmp_path):
    """Older versions write "Raw Stat", newer ones "Raw STAT"; two threads have four columns of statistics."""
    found = read_counters(written(tmp_path, "run.csv", LIKWID.replace("Raw STAT", "Raw Stat")))
    assert (found.threads, found.counts) == (2, {"instructions": 2000, "store": 200})
    assert found.unused == ("CPU_CLK_UNHALTED_CORE",)


PARALLEL = """1000000,,instructions:u,500,100.00,1.09,insn per cycle
160000,,branches:u,500,100.00,,
84211.34,msec,task-clock:u,500,100.00,15.9,CPUs utilized
"""


def test_perf_counts_all_threads_together_and_how_many_has_to_be_said(tmp_path):
    path = written(tmp_path, "perf.csv", PARALLEL)
    with pytest.raises(InputError, match=r"kept 15\.9 processors busy, .*; allowed: --threads N with the number"):
        read_counters(path)
    shared = read_counters(path, threads=16)
    assert (shared.threads, shared.together) == (16, True)
    assert shared.counts == {"instructions": 62_500, "control": 10_000}
    assert shared.remarks == ("counted of 16 threads together: each has an equal share",)
    alone = read_counters(path, threads=1)
    assert (alone.threads, alone.together, alone.counts["instructions"], alone.remarks) == (1, False, 10**6, ())
    serial = read_counters(written(tmp_path, "one.csv", PARALLEL.replace("15.9", "1.00")))
    assert (serial.threads, serial.counts["instructions"], serial.remarks) == (1, 10**6, ())
    with pytest.raises(InputError, match=r"--threads: 3, but .* tells 2 apart; allowed: to leave it out"):
        read_counters(written(tmp_path, "likwid.csv", LIKWID), threads=3)


def test_other_signs_between_the_cells_and_units_of_hybrid_processors_are_read(tmp_path):
    plain = read_counters(written(tmp_path, "perf.csv", PERF))
    for sign in ";|\t":
        assert read_counters(written(tmp_path, "other.csv", PERF.replace(",", sign))) == plain
    german = PARALLEL.replace(",", ";").replace("84211.34", "84211,34").replace("15.9", "1,0")
    assert read_counters(written(tmp_path, "german.csv", german)).counts["instructions"] == 10**6
    hybrid = (
        "700,,cpu_core/instructions/u,5,60.00,,\n300,,cpu_atom/instructions/u,5,100.00,,\n"
        "90,,cpu_core/branches/,5,100.00\n"
    )
    found = read_counters(written(tmp_path, "hybrid.csv", hybrid))
    assert found.counts == {"instructions": 1000, "control": 90}
    assert "instructions was counted 60.00 % of the time: perf scaled it up to the whole" in found.remarks
    repeated = read_counters(written(tmp_path, "r.csv", "100,,instructions,0.12%,42105670010,50.00,1.09,insn\n"))
    assert "instructions was counted 50.00 % of the time: perf scaled it up to the whole" in repeated.remarks
    twice = read_counters(written(tmp_path, "twice.csv", "100,,instructions:u\n120,,instructions\n"))
    assert twice.counts == {"instructions": 100}
    assert "instructions was counted twice, the first is taken" in twice.remarks


MARKERS = """TABLE,Region solve,Group 1 Raw,MEM,5
Region Info,HWThread 0,HWThread 1
call count,1,1
TABLE,Region solve,Group 1 Raw,MEM,5
Event,Counter,HWThread 0,HWThread 1
INSTR_RETIRED_ANY,FIXC0,1000,3000
TABLE,Region solve,Group 1 Raw Stat,MEM,5
Event,Counter,Sum,Min,Max,Avg
INSTR_RETIRED_ANY STAT,FIXC0,4000,1000,3000,2000
TABLE,Region write,Group 1 Raw,MEM,5
Region Info,HWThread 0,HWThread 1
RDTSC Runtime [s],0.1,0.1
Event,Counter,HWThread 0,HWThread 1
INSTR_RETIRED_ANY,FIXC0,10,30
"""


def test_likwids_marked_regions_are_added(tmp_path):
    """The form of the tables is from memory: no machine with LIKWID was at hand."""
    found = read_counters(written(tmp_path, "run.csv", MARKERS))
    assert (found.threads, found.counts, found.unknown) == (2, {"instructions": 2020}, ())
    assert found.remarks == (
        "the mean of 2 threads, taken as equal although their instructions differ, from 1010 to 3030",
        "the sum of the regions solve, write; a region inside another counts twice",
    )


def test_floating_point_is_added_over_widths_and_loads_of_the_cache_stand_in(tmp_path):
    lines = (
        "1000,,instructions,5,100.00,,\n200,,L1-dcache-loads,5,100.00,,\n"
        "30,,fp_arith_inst_retired.scalar_double,5,100.00,,\n"
        "12,,fp_arith_inst_retired.256b_packed_double,5,100.00,,\n7,,L1-dcache-load-misses,5,100.00,,\n"
        "5,,fp_arith_inst_retired.vector,5,100.00,,\n9,,made_up.event,5,100.00,,\n"
        "1.0,msec,task-clock,5,100.00,1.0,CPUs utilized\n"
    )
    found = read_counters(written(tmp_path, "perf.csv", lines))
    assert found.counts == {"instructions": 1000, "load": 200, "fp": 42}
    assert found.unused == ("L1-dcache-load-misses", "task-clock")
    assert found.unknown == ("fp_arith_inst_retired.vector", "made_up.event")
    (told,) = found.remarks
    assert told.startswith("fp is fp_arith_inst_retired.scalar_double + fp_arith_inst_retired.256b_packed_double: ")
    better = read_counters(written(tmp_path, "b.csv", lines + "210,,mem_inst_retired.all_loads,5,100.00,,\n"))
    assert better.counts["load"] == 210


def test_papi_counts_are_those_of_the_outermost_regions(tmp_path):
    found = read_counters(written(tmp_path, "rank_0.json", PAPI))
    assert found.counts == {"instructions": 1000, "load": 200}
    assert found.unused == ("PAPI_L1_DCM",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "77,,cache-misses,1,100.00\n", "counts no instructions; allowed: one of instructions, inst_retired"),
        ("a.csv", "many,,instructions,1,100.00\n", "'many' is no count of 'instructions'; allowed: a number >= 0"),
        ("a.csv", "-5,,instructions,1,100.00\n", "'-5' is no count of 'instructions'"),
        ("a.csv", "hello\n", "'hello' is no line of a counter; allowed: what `perf stat"),
        ("a.csv", "10,,instructions\n20,,branches\n", "control is 20; allowed: at most 10, the instructions"),
        ("a.json", {"regions": []}, "has no 'threads'; allowed: what"),
        ("a.json", {"threads": {"0": {"regions": [3]}}}, "threads: has a region that is no table"),
    ],
)
def test_what_is_no_file_of_counters_is_refused(tmp_path, name, content, message):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError) as error:
        read_counters(path)
    assert str(error.value).startswith(f"{path}: {message}")
