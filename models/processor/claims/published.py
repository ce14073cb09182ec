"""Published figures of processors beside what the models give.

The published tool's manual prints two result tables; the other figures come from independent evaluations of the same
formulas with the same two profiles, so they check the implementation and not the model. Accuracies against
measurements were published without their inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from dse.authoring.library.claims import Claim, read_figures
from dse.models.branches.claims.published import claims as branch_claims
from dse.models.power.claims.memory import dram_claims
from dse.models.power.claims.published import measured_claims as power_claims
from dse.models.processor.claims.runs import (
    CSR,
    E5_2690,
    LIST,
    MANUAL,
    REFERENCE_CASES,
    SMALLER_L3,
    T4240,
    UNSPLIT,
    V3,
    mixed,
    run,
    sample,
)
from dse.models.processor.claims.sample_machines import MIB
from dse.models.processor.program.behaviour import REFERENCE
from dse.models.workload.profile.vectors import fit_vectors

__all__ = ["also_shown", "claims"]

FIGURES = read_figures(Path(__file__).with_name("printed.csv"), "processor")
MEASURED = read_figures(Path(__file__).with_name("measured.csv"), "processor")


def claims() -> list[Claim]:
    """Return every published figure of the processor models, with what they give."""
    return [
        *_manual(),
        *_independent(),
        *_unsplit(),
        *_bounds(),
        *_several_threads(),
        *_reference_cases(),
        *_worked_example(),
        *_misprints(),
        *MEASURED.not_checkable(),
    ]


def also_shown() -> list[Claim]:
    """Return what belongs to a time and a power of a processor and counts elsewhere: branches, and power of memory."""
    return [*branch_claims(), *dram_claims(), *power_claims()]


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _manual() -> Iterator[Claim]:
    for program, machine, threads in MANUAL:
        prediction = run(program, machine, threads)
        title = f"seq-{program} on {machine}, {_threads(threads)}"
        yield FIGURES.claim(f"{title}: CPI", prediction.cpi)
        yield FIGURES.claim(f"{title}: run time", prediction.seconds)
        yield FIGURES.claim(f"{title}: memory traffic of each [GB/s]", prediction.dram_bytes_per_second / 1e9)
    single, many = run(CSR, V3), run(CSR, V3, 14)
    title = f"seq-{CSR} on {V3}"
    yield FIGURES.claim(f"{title}: peak of a core [GFLOP/s]", single.peak_flops / 1e9)
    yield FIGURES.claim(f"{title}: peak of a socket [GFLOP/s]", 14 * single.peak_flops / 1e9)
    yield FIGURES.claim(f"{title}: peak of two sockets [GFLOP/s]", 28 * single.peak_flops / 1e9)
    yield FIGURES.claim(f"{title}, 1 thread: achieved [GFLOP/s]", single.flops / 1e9)
    yield FIGURES.claim(f"{title}, 14 threads: achieved by each [GFLOP/s]", many.flops / 1e9)
    yield FIGURES.claim(f"{title}, 14 threads: level 3 of each [MiB]", many.machine["l3_size_bytes"] / MIB)
    split = fit_vectors(sample(CSR).only, 256).instructions
    yield FIGURES.claim(f"seq-{CSR} on vectors of 256 bits: instructions", split)


def _independent() -> Iterator[Claim]:
    parts = ("execution", "l1 misses", "l2 misses", "l3 misses", "l1 hits", "branches")
    for program in (CSR, LIST):
        prediction = run(program, V3, model="independent", split=False, l3_size_bytes=SMALLER_L3)
        title = f"seq-{program} on {V3} (32 MiB), independent events"
        yield FIGURES.claim(f"{title}: instructions per cycle in execution", 1.0 / prediction.stack["execution"])
        ready = prediction.bounds["parallelism"]
        scarcity = ready / min(prediction.bounds[name] for name in prediction.bounds if name.endswith("units"))
        yield FIGURES.claim(f"{title}: pressure on the scarcest units", scarcity)
        for name in parts:
            yield FIGURES.claim(f"{title}: cycles of {name}", prediction.stack[name])
        yield FIGURES.claim(f"{title}: CPI", prediction.cpi)
        latencies: dict[str, Any] = {"l3_latency": 12 + 36, "dram_latency": 12 + 36 + 217}
        prediction = run(program, V3, model="independent", split=False, l3_size_bytes=SMALLER_L3, **latencies)
        yield FIGURES.claim(f"{title}: CPI with latencies read as increments", prediction.cpi)


def _unsplit() -> Iterator[Claim]:
    for program, machine, in_order in UNSPLIT:
        prediction = run(program, machine, split=False, in_order=in_order)
        order = ", in order" if in_order else ""
        title = f"seq-{program} on {machine}{order}, vectors as profiled"
        yield FIGURES.claim(f"{title}: CPI", prediction.cpi)
        yield FIGURES.claim(f"{title}: base", prediction.stack["base"])
        yield FIGURES.claim(f"{title}: issue queue", prediction.stack["issue queue"])
        yield FIGURES.claim(f"{title}: reorder buffer", prediction.stack["reorder buffer"])
        yield FIGURES.claim(f"{title}: branches", prediction.stack["branches"])
        steady = f"{title}: instructions per cycle without branches"
        if steady in FIGURES:
            yield FIGURES.claim(steady, 1.0 / (prediction.cpi - prediction.stack["branches"]))


def _bounds() -> Iterator[Claim]:
    prediction = run(CSR, V3, split=False)
    title = f"seq-{CSR} on {V3}, vectors as profiled"
    bound = f"{title}: bound of "
    for printed in FIGURES:
        if printed.startswith(bound):
            yield FIGURES.claim(printed, prediction.bounds[printed.removeprefix(bound)])
    arriving = prediction.accesses
    answered = {
        "l1": arriving["l1"] - arriving["l2"],
        "l2": arriving["l2"] - arriving["l3"],
        "l3": arriving["l3"] - arriving["dram"],
        "dram": arriving["dram"],
    }
    for level, computed in answered.items():
        yield FIGURES.claim(f"{title}: accesses answered by {level}", computed)
    for level in ("l1", "l2", "l3"):
        yield FIGURES.claim(f"{title}: hits down to {level}", prediction.hits[level])
    for program in (CSR, LIST):
        computed = run(program, V3, split=False, mode=replace(REFERENCE, hits="counts")).cpi
        title = f"seq-{program} on {V3}, vectors as profiled, reuse from counts: CPI"
        yield FIGURES.claim(title, computed)
    yield FIGURES.claim(
        f"seq-{LIST} on {V3} with a level 3 of 28 cycles, vectors as profiled: CPI",
        run(LIST, V3, split=False, l3_latency=28).cpi,
    )
    for size in (14.737, 16.2):
        computed = run(LIST, V3, split=False, l3_size_bytes=size * MIB).cpi
        title = f"seq-{LIST} on {V3} with {size:.1f} MiB of level 3, vectors as profiled: CPI"
        yield FIGURES.claim(title, computed)
    for entries in (10, 198):
        computed = run(CSR, V3, split=False, issue_queue=entries).cpi
        title = f"seq-{CSR} on {V3} with an issue queue of {entries}, vectors as profiled: CPI"
        yield FIGURES.claim(title, computed)


def _several_threads() -> Iterator[Claim]:
    for program in (CSR, LIST):
        for threads in (2, 4, 14):
            prediction = run(program, V3, threads, split=False)
            yield FIGURES.claim(f"seq-{program} on {V3}, {threads} threads, vectors as profiled: CPI", prediction.cpi)
    for program, part in ((CSR, "issue queue"), (CSR, "reorder buffer"), (LIST, "issue queue")):
        title = f"seq-{program} on {V3}, 2 threads, vectors as profiled: {part}"
        yield FIGURES.claim(title, run(program, V3, 2, split=False).stack[part])
    for program in (CSR, LIST):
        prediction = run(program, V3, 14, split=False)
        title = f"seq-{program} on {V3}, 14 threads, vectors as profiled: memory traffic of all [GB/s]"
        yield FIGURES.claim(title, prediction.total_dram_bytes_per_second / 1e9)
    undivided = mixed(V3, split=False)  # the memory's bandwidth binds neither thread, so dividing it changes nothing
    for index, program in enumerate((CSR, LIST)):
        title = f"seq-csr and seq-list on {V3}, one thread each, vectors as profiled: seq-{program}"
        yield FIGURES.claim(f"{title}, level 3 [MiB]", undivided.l3_shares[index] / MIB)
        yield FIGURES.claim(f"{title}, CPI", undivided.predictions[index].cpi)
    together = mixed(V3, split=True)
    for index, program in enumerate((CSR, LIST)):
        title = f"seq-csr and seq-list on {V3}, one thread each: seq-{program}"
        yield FIGURES.claim(f"{title}, level 3 [MiB]", together.l3_shares[index] / MIB)
        yield FIGURES.claim(f"{title}, CPI", together.predictions[index].cpi)


def _reference_cases() -> Iterator[Claim]:
    for program, machine, threads in REFERENCE_CASES:
        prediction = run(program, machine, threads)
        title = f"seq-{program} on {machine}, {_threads(threads)}, to nine decimals"
        yield FIGURES.claim(f"{title}: CPI", prediction.cpi)
        yield FIGURES.claim(f"{title}: run time", prediction.seconds)
    title = "to nine decimals"
    queue = run(LIST, V3).stack["issue queue"]
    yield FIGURES.claim(f"seq-{LIST} on {V3}, 1 thread, {title}: issue queue", queue)
    traffic = run(CSR, V3, 14).dram_bytes_per_second / 1e9
    yield FIGURES.claim(f"seq-{CSR} on {V3}, 14 threads, {title}: memory traffic of each [GB/s]", traffic)
    buffer = run(CSR, T4240, 12).stack["reorder buffer"]
    yield FIGURES.claim(f"seq-{CSR} on {T4240}, 12 threads: reorder buffer", buffer)
    little = run(LIST, "SDP little", 4)
    title = f"seq-{LIST} on SDP little, 4 threads"
    yield FIGURES.claim(f"{title}: hits of level 3 of what arrives there", little.local_hits["l3"])
    yield FIGURES.claim(f"{title}: memory accesses per instruction", little.accesses["dram"])
    tegra = run(LIST, "Cortex-A15 (Tegra K1)")
    stalls = tegra.stack["issue queue"] + tegra.stack["reorder buffer"]
    yield FIGURES.claim(f"seq-{LIST} on Cortex-A15 (Tegra K1), 1 thread: stalls", stalls)


def _worked_example() -> Iterator[Claim]:
    prediction = run(CSR, E5_2690)
    rates = prediction.rates
    title = f"seq-{CSR} on {E5_2690}, 1 thread"
    for name, computed in (
        ("loads and stores", rates.memory_fraction),
        ("address arithmetic", rates.address_fraction),
        ("integer operations", rates.integer_fraction),
        ("integer arithmetic", rates.integer_arithmetic_fraction),
        ("integer multiplications", rates.integer_multiply_fraction),
        ("integer divisions", rates.integer_divide_fraction),
        ("floating-point operations", rates.float_fraction),
        ("floating-point multiplications", rates.float_multiply_fraction),
        ("floating-point divisions", rates.float_divide_fraction),
        ("control", rates.control_fraction),
        ("parallelism", rates.ilp),
        ("memory parallelism", rates.memory_ilp),
        ("integer parallelism", rates.integer_ilp),
        ("control parallelism", rates.control_ilp),
        ("floating-point parallelism", rates.float_ilp),
        ("hits down to level 1", prediction.hits["l1"]),
        ("hits down to level 2", prediction.hits["l2"]),
        ("hits down to level 3", prediction.hits["l3"]),
        ("accesses of level 2", prediction.accesses["l2"]),
        ("accesses of level 3", prediction.accesses["l3"]),
        ("accesses of the memory", prediction.accesses["dram"]),
        ("hits of level 2 of what arrives", prediction.local_hits["l2"]),
        ("hits of level 3 of what arrives", prediction.local_hits["l3"]),
        ("bound of miss registers", prediction.bounds["miss registers"]),
        ("bound of parallelism", prediction.bounds["parallelism"]),
        ("bound of integer parallelism", prediction.bounds["integer parallelism"]),
        ("bound of memory parallelism", prediction.bounds["memory parallelism"]),
        ("bound of control parallelism", prediction.bounds["control parallelism"]),
        ("bound of float parallelism", prediction.bounds["float parallelism"]),
        ("bound of memory units", prediction.bounds["memory units"]),
        ("bound of integer units", prediction.bounds["integer units"]),
        ("bound of float units", prediction.bounds["float units"]),
        ("bound of control units", prediction.bounds["control units"]),
        ("bound of vector units", prediction.bounds["vector units"]),
        ("bound of l1 bandwidth", prediction.bounds["l1 bandwidth"]),
        ("bound of l3 bandwidth", prediction.bounds["l3 bandwidth"]),
        ("bound of dram bandwidth", prediction.bounds["dram bandwidth"]),
        ("reorder buffer", prediction.stack["reorder buffer"]),
        ("branches", prediction.stack["branches"]),
        ("cycles [1e9]", prediction.cycles / 1e9),
        ("memory accesses", prediction.dram_reads + prediction.dram_writes),
        ("memory traffic [GB/s]", prediction.dram_bytes_per_second / 1e9),
        ("peak of a core [GFLOP/s]", prediction.peak_flops / 1e9),
    ):
        yield FIGURES.claim(f"{title}: {name}", computed)


def _misprints() -> Iterator[Claim]:
    latencies: dict[str, Any] = {"l3_latency": 18, "dram_latency": 187}
    prediction = run(CSR, "Xeon E5-2697 v2", model="independent", split=False)
    as_printed = run(CSR, "Xeon E5-2697 v2", model="independent", split=False, **latencies)
    yield FIGURES.claim(
        f"seq-{CSR} on Xeon E5-2697 v2, independent events: CPI with the latencies of Table 4.3",
        float(prediction.cpi),
        float(f"{as_printed.cpi:.6f}"),
    )
    prediction = run(CSR, V3, mode="corrected", branch_factor=1.71)
    yield FIGURES.claim(f"seq-{CSR} on {V3}, 1 thread: CPI with the errors of the tool corrected", prediction.cpi)
