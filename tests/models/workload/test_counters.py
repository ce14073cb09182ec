"""Counters of perf, LIKWID and PAPI: what they determine of a profile."""

import json

import pytest

from dse.errors import InputError
from dse.models.workload.counters import read_counters

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
        "mem_inst_retired.all_loads was counted 80.00 % of the time and scaled up",
        "cycles was not supported",
    )


def test_likwid_counts_are_the_mean_of_the_threads_without_the_tables_of_statistics(tmp_path):
    found = read_counters(written(tmp_path, "run.csv", LIKWID))
    assert (found.threads, found.counts) == (2, {"instructions": 2000, "store": 200})
    assert found.unused == ("CPU_CLK_UNHALTED_CORE",)
    assert found.remarks == ("the mean of 2 threads, taken as equal",)


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
