"""Recorded runs of two programs on a grid of ranks (profiler/examples/cg.c, jacobi.c), n = 60 never fitted."""

import re
from functools import lru_cache
from pathlib import Path

from dse.models.workload.laws.fitting import fit_laws
from dse.models.workload.profile.reading import read_profile

PROFILES = Path(__file__).parent / "profiles"
CELLS = "cells = n**3 / processes"


def files(program, keep=lambda n, ranks: True):
    """Return the profiles of a program by (n, ranks), rising."""
    found = {}
    for path in PROFILES.glob(f"{program}-*.json"):
        n, ranks = map(int, re.findall(r"\d+", path.stem))
        if keep(n, ranks):
            found[n, ranks] = path
    return dict(sorted(found.items()))


@lru_cache(maxsize=256)
def run(program, n, ranks):
    """Return one recorded profile."""
    return read_profile(PROFILES / f"{program}-{n}-{ranks}.json")


def of_cubes(n, ranks):
    """Tell whether a run is one of the grid that laws are fitted to."""
    return n in (12, 24, 36, 48) and ranks in (1, 8, 27, 64)


@lru_cache(maxsize=4)
def laws(program):
    """Return the laws of a program over its cells."""
    return fit_laws([run(program, *key) for key in files(program, of_cubes)], [CELLS])
