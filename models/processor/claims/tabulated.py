"""Printed results of the published tool and of independent evaluations, with the runs that should give them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dse.models.processor._machines import MACHINES, MIB
from dse.models.processor.behaviour import Behaviour
from dse.models.processor.prediction import Mixture, Prediction, predict, predict_mixture
from dse.models.workload.profile import WorkloadProfile
from dse.models.workload.reading import bundled_profiles, read_profile

__all__ = ["CSR", "LIST", "MANUAL", "REFERENCE_CASES", "UNSPLIT", "V3", "bound_cases", "mixed", "run", "sample"]

CSR, LIST = "csr", "list"
V3, E5_2690, A15 = "Xeon E5-2697 v3", "Xeon E5-2690", "Cortex-A15 (Tegra K1)"
BIG, LITTLE, T4240 = "SDP big", "SDP little", "T4240"

# Program, machine, threads, cycles per instruction, seconds, bytes per second to the memory of each thread.
MANUAL: tuple[tuple[str, str, int, str, str, str], ...] = (
    (CSR, V3, 1, "1.02631", "1.48069", "0.0143766"),
    (CSR, V3, 14, "1.70038", "2.4532", "0.49275"),
)

# Program, machine, in order, cycles per instruction, base, issue queue, reorder buffer, branches, i2.
UNSPLIT: tuple[tuple[str, str, int, str, str, str, str, str, str], ...] = (
    (CSR, V3, 0, "1.026121", "0.801770", "0.000000", "0.006298", "0.218053", "1.237520"),
    (LIST, V3, 0, "2.206470", "1.165157", "0.402273", "0.000000", "0.639040", "0.637987"),
    (CSR, E5_2690, 0, "1.280795", "0.940762", "0.000000", "0.093113", "0.246920", "0.967235"),
    (LIST, E5_2690, 0, "1.783804", "1.108236", "0.188462", "0.000000", "0.487106", "0.771189"),
    (CSR, A15, 0, "2.558917", "1.599067", "0.000000", "0.407897", "0.551953", "0.498265"),
    (LIST, A15, 0, "6.980310", "4.915042", "0.000000", "0.000000", "2.065268", "0.203457"),
    (CSR, LITTLE, 0, "1.939117", "1.369393", "0.000000", "0.177464", "0.392260", "0.646472"),
    (LIST, BIG, 0, "2.623881", "1.515121", "0.354900", "0.000000", "0.753860", "0.534753"),
    (CSR, LITTLE, 1, "3.328689", "1.369393", "1.301894", "0.000000", "0.657402", ""),
    (CSR, V3, 1, "1.885632", "0.801770", "0.701807", "0.000000", "0.382055", ""),
)

# Program, machine, threads, cycles per instruction, seconds.
REFERENCE_CASES: tuple[tuple[str, str, int, str, str], ...] = (
    (CSR, E5_2690, 1, "1.280785250", "1.656683449"),
    (LIST, V3, 1, "2.206098146", "3.577576198"),
    (CSR, V3, 14, "1.700378345", "2.453202686"),
    (CSR, T4240, 12, "4.686463878", "10.534003006"),
    (LIST, LITTLE, 4, "6.313912785", "13.310856264"),
    (LIST, A15, 1, "6.981140913", "12.797819455"),
)


@lru_cache(maxsize=2)
def sample(program: str) -> WorkloadProfile:
    """Return the measured profile of a program."""
    return read_profile(bundled_profiles()[f"graph500-seq-{program}"])


def run(
    program: str,
    machine: str,
    threads: int = 1,
    *,
    mode: str | Behaviour = "reference",
    model: str = "interaction",
    split: bool = True,
    **changed: Any,
) -> Prediction:
    """Return what the models give for a sample on a published machine, some of its parameters changed."""
    node = {**MACHINES[machine], **changed}
    return predict(sample(program), node, threads=threads, mode=mode, model=model, split=split)


def mixed(machine: str, *, split: bool, mode: str | Behaviour = "reference") -> Mixture:
    """Return what the models give for one thread of each sample."""
    parts = [(sample(CSR), 1), (sample(LIST), 1)]
    return predict_mixture(parts, MACHINES[machine], mode=mode, split=split)


def bound_cases() -> Mapping[str, str]:
    """Return the printed bounds on instructions per cycle of seq-csr, not split, on the E5-2697 v3."""
    return {
        "issue width": "8.000000",
        "miss registers": "10.1822",
        "parallelism": "5.3187",
        "memory parallelism": "1.2472",
        "integer parallelism": "23.7457",
        "control parallelism": "27.788",
        "float parallelism": "6013.28",
        "memory units": "15.7805",
        "integer units": "6.7076",
        "float units": "49760.18",
        "control units": "9.6595",
        "vector units": "11439.07",
        "dispatch width": "4.000000",
        "l1 bandwidth": "130.34",
        "l3 bandwidth": "15.3471",
        "dram bandwidth": "4342.24",
    }


SMALLER_L3 = 32 * MIB
"""Level 3 of the E5-2697 v3 in Table 4.2 of the thesis; its tool has 35 MiB."""
