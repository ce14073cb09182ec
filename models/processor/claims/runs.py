"""Runs that should give the printed results of the published tool and of independent evaluations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dse.models.processor.claims.sample_machines import MACHINES, MIB
from dse.models.processor.predict.prediction import Mixture, Prediction, predict, predict_mixture
from dse.models.processor.program.behaviour import Behaviour
from dse.models.workload.profile.profile import WorkloadProfile
from dse.models.workload.profile.reading import bundled_profiles, read_profile

__all__ = ["CSR", "LIST", "MANUAL", "REFERENCE_CASES", "UNSPLIT", "V3", "mixed", "run", "sample"]

CSR, LIST = "csr", "list"
V3, E5_2690, A15 = "Xeon E5-2697 v3", "Xeon E5-2690", "Cortex-A15 (Tegra K1)"
BIG, LITTLE, T4240 = "SDP big", "SDP little", "T4240"

MANUAL: tuple[tuple[str, str, int], ...] = ((CSR, V3, 1), (CSR, V3, 14))
"""Program, machine and threads."""

UNSPLIT: tuple[tuple[str, str, int], ...] = (
    (CSR, V3, 0),
    (LIST, V3, 0),
    (CSR, E5_2690, 0),
    (LIST, E5_2690, 0),
    (CSR, A15, 0),
    (LIST, A15, 0),
    (CSR, LITTLE, 0),
    (LIST, BIG, 0),
    (CSR, LITTLE, 1),
    (CSR, V3, 1),
)
"""Program, machine, and whether its cores run in order."""

REFERENCE_CASES: tuple[tuple[str, str, int], ...] = (
    (CSR, E5_2690, 1),
    (LIST, V3, 1),
    (CSR, V3, 14),
    (CSR, T4240, 12),
    (LIST, LITTLE, 4),
    (LIST, A15, 1),
)
"""Program, machine and threads of what is printed to nine decimals."""


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


SMALLER_L3 = 32 * MIB
"""Level 3 of the E5-2697 v3 in Table 4.2 of the thesis; its tool has 35 MiB."""
