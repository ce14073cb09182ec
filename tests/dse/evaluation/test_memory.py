"""What was freed is kept: no page of the next arrays is new (in a process of its own, as it holds for all of it)."""

import os
import platform
import subprocess
import sys

import pytest

ROUNDS = """
import resource
import numpy as np
from dse.evaluation.memory import keep_memory

def faults(rounds):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        arrays = [np.ones(20_000) for _ in range(40)]  # 6 MiB
        del arrays
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / rounds

faults(3)
as_it_comes = faults(10)
keep_memory()
faults(3)
print(as_it_comes, faults(10))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library has other rules")
@pytest.mark.parametrize("given", [{}, {"MALLOC_TRIM_THRESHOLD_": "65536"}], ids=["as it comes", "of a Dask worker"])
def test_the_next_arrays_go_where_the_last_ones_were(given):
    own = {**os.environ, **given}
    told = subprocess.run(
        [sys.executable, "-c", ROUNDS], capture_output=True, text=True, check=True, env=own, timeout=120
    ).stdout
    as_it_comes, kept = map(float, told.split())
    assert as_it_comes > 500
    assert kept < 20
