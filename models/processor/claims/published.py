"""Published figures of processors beside what the models give.

The published tool's manual prints two result tables; the other figures come from independent evaluations of the same
formulas with the same two profiles, so they check the implementation and not the model. Accuracies against
measurements were published without their inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dse.authoring.claims import Claim, Kind
from dse.models.branches.validation import claims as branch_claims
from dse.models.power._dram_claims import dram_claims
from dse.models.processor._golden import (
    CSR,
    E5_2690,
    LIST,
    MANUAL,
    REFERENCE_CASES,
    SMALLER_L3,
    T4240,
    UNSPLIT,
    V3,
    bound_cases,
    mixed,
    run,
    sample,
)
from dse.models.processor._machines import MIB
from dse.models.processor.accuracy import measured_claims
from dse.models.processor.behaviour import REFERENCE
from dse.models.workload.vectors import fit_vectors

__all__ = ["also_shown", "claims"]

MANUAL_TABLES = "IBM ExaBounds manual (2017), results table and multi-core panel"
EVALUATION = "independent evaluation of the formulas"


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
        *measured_claims("processor"),
    ]


def also_shown() -> list[Claim]:
    """Return what belongs to a time and a power of a processor and counts elsewhere: branches, and power of memory."""
    return [*branch_claims(), *dram_claims(), *measured_claims("power")]


def _claim(
    title: str, source: str, published: str, computed: object, unit: str = "1", *, last: float = 0.501, **more: object
) -> Claim:
    """Return the claim of a printed number; it holds when the computed one rounds to what is printed."""
    _, _, decimals = published.partition(".")
    step = last * 10.0 ** -len(decimals)
    number = float(computed)  # type: ignore[arg-type]
    return Claim("processor", title, source, float(published), number, unit, 0.0, step, **more)  # type: ignore[arg-type]


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _manual() -> Iterator[Claim]:
    for program, machine, threads, cpi, seconds, traffic in MANUAL:
        found = run(program, machine, threads)
        title = f"seq-{program} on {machine}, {_threads(threads)}"
        yield _claim(f"{title}: CPI", MANUAL_TABLES, cpi, found.cpi)
        yield _claim(f"{title}: run time", MANUAL_TABLES, seconds, found.seconds, "s")
        yield _claim(
            f"{title}: memory traffic of each [GB/s]", MANUAL_TABLES, traffic, found.dram_bytes_per_second / 1e9
        )
    one, many = run(CSR, V3), run(CSR, V3, 14)
    title = f"seq-{CSR} on {V3}"
    yield _claim(f"{title}: peak of a core [GFLOP/s]", MANUAL_TABLES, "46.8", one.peak_flops / 1e9)
    yield _claim(f"{title}: peak of a socket [GFLOP/s]", MANUAL_TABLES, "655.2", 14 * one.peak_flops / 1e9)
    yield _claim(f"{title}: peak of two sockets [GFLOP/s]", MANUAL_TABLES, "1310.4", 28 * one.peak_flops / 1e9)
    yield _claim(f"{title}, 1 thread: achieved [GFLOP/s]", MANUAL_TABLES, "0.000101812", one.flops / 1e9)
    yield _claim(f"{title}, 14 threads: achieved by each [GFLOP/s]", MANUAL_TABLES, "0.0000614515", many.flops / 1e9)
    yield _claim(
        f"{title}, 14 threads: level 3 of each [MiB]", MANUAL_TABLES, "2.50000", many.machine["l3_size_bytes"] / MIB
    )
    split = fit_vectors(sample(CSR).only, 256).instructions
    yield _claim(f"seq-{CSR} on vectors of 256 bits: instructions", EVALUATION, "3751122215", split)


def _independent() -> Iterator[Claim]:
    printed = {
        CSR: ("6.23878", "1.44759", "0.16029", "0.56242", "0.43071", "0.01333", "0.31948", "0.04348", "1.52970"),
        LIST: ("6.48402", "1.34259", "0.15423", "0.89147", "1.21714", "0.01747", "0.27996", "0.04515", "2.60543"),
    }
    parts = ("execution", "l1 misses", "l2 misses", "l3 misses", "l1 hits", "branches")
    increments = {CSR: "1.74825", LIST: "3.21816"}
    for program, (n, pressure, *stack, cpi) in printed.items():
        found = run(program, V3, model="independent", split=False, l3_size_bytes=SMALLER_L3)
        title = f"seq-{program} on {V3} (32 MiB), independent events"
        yield _claim(f"{title}: instructions per cycle in execution", EVALUATION, n, 1.0 / found.stack["execution"])
        ready = found.bounds["parallelism"]
        scarcity = ready / min(found.bounds[name] for name in found.bounds if name.endswith("units"))
        yield _claim(f"{title}: pressure on the scarcest units", EVALUATION, pressure, scarcity)
        for name, value in zip(parts, stack, strict=True):
            # The last printed digit of two figures is cut, not rounded.
            yield _claim(f"{title}: cycles of {name}", EVALUATION, value, found.stack[name], last=1.0)
        yield _claim(f"{title}: CPI", EVALUATION, cpi, found.cpi)
        latencies: dict[str, Any] = {"l3_latency": 12 + 36, "dram_latency": 12 + 36 + 217}
        found = run(program, V3, model="independent", split=False, l3_size_bytes=SMALLER_L3, **latencies)
        yield _claim(f"{title}: CPI with latencies read as increments", EVALUATION, increments[program], found.cpi)


def _unsplit() -> Iterator[Claim]:
    for program, machine, in_order, cpi, base, queue, buffer, branches, steady in UNSPLIT:
        found = run(program, machine, split=False, in_order=in_order)
        order = ", in order" if in_order else ""
        title = f"seq-{program} on {machine}{order}, vectors as profiled"
        yield _claim(f"{title}: CPI", EVALUATION, cpi, found.cpi)
        yield _claim(f"{title}: base", EVALUATION, base, found.stack["base"])
        yield _claim(f"{title}: issue queue", EVALUATION, queue, found.stack["issue queue"])
        yield _claim(f"{title}: reorder buffer", EVALUATION, buffer, found.stack["reorder buffer"])
        yield _claim(f"{title}: branches", EVALUATION, branches, found.stack["branches"])
        if steady:
            rate = 1.0 / (found.cpi - found.stack["branches"])
            yield _claim(f"{title}: instructions per cycle without branches", EVALUATION, steady, rate)


def _bounds() -> Iterator[Claim]:
    found = run(CSR, V3, split=False)
    title = f"seq-{CSR} on {V3}, vectors as profiled"
    for name, printed in bound_cases().items():
        yield _claim(f"{title}: bound of {name}", EVALUATION, printed, found.bounds[name])
    arriving = found.accesses
    answered = {
        "l1": ("0.0798707", arriving["l1"] - arriving["l2"]),
        "l2": ("0.0300497", arriving["l2"] - arriving["l3"]),
        "l3": ("0.0167295", arriving["l3"] - arriving["dram"]),
        "dram": ("0.000088717", arriving["dram"]),
    }
    for level, (printed, computed) in answered.items():
        yield _claim(f"{title}: accesses answered by {level}", EVALUATION, printed, computed)
    for level, printed in (("l1", "0.6302"), ("l2", "0.8673"), ("l3", "0.9993")):
        yield _claim(f"{title}: hits down to {level}", EVALUATION, printed, found.hits[level])
    for program, printed in ((CSR, "1.023295"), (LIST, "2.206082")):
        computed = run(program, V3, split=False, mode=replace(REFERENCE, hits="counts")).cpi
        title = f"seq-{program} on {V3}, vectors as profiled, reuse from counts: CPI"
        yield _claim(title, EVALUATION, printed, computed)
    yield _claim(
        f"seq-{LIST} on {V3} with a level 3 of 28 cycles, vectors as profiled: CPI",
        EVALUATION,
        "1.7840",
        run(LIST, V3, split=False, l3_latency=28).cpi,
    )
    for size, printed in ((14.737, "2.2762"), (16.2, "2.2974")):
        computed = run(LIST, V3, split=False, l3_size_bytes=size * MIB).cpi
        title = f"seq-{LIST} on {V3} with {size:.1f} MiB of level 3, vectors as profiled: CPI"
        note = "the size is printed to three digits"
        yield _claim(title, EVALUATION, printed, computed, last=1.0, note=note)
    for entries, printed in ((10, "0.867"), (198, "1.464")):
        computed = run(CSR, V3, split=False, issue_queue=entries).cpi
        title = f"seq-{CSR} on {V3} with an issue queue of {entries}, vectors as profiled: CPI"
        yield _claim(title, EVALUATION, printed, computed)


def _several_threads() -> Iterator[Claim]:
    alone = {
        (CSR, 2): "1.445997",
        (CSR, 4): "1.629695",
        (CSR, 14): "1.700256",
        (LIST, 2): "2.294115",
        (LIST, 4): "3.891977",
        (LIST, 14): "5.464742",
    }
    for (program, threads), printed in alone.items():
        found = run(program, V3, threads, split=False)
        title = f"seq-{program} on {V3}, {threads} threads, vectors as profiled"
        yield _claim(f"{title}: CPI", EVALUATION, printed, found.cpi)
    for program, part, printed in (
        (CSR, "issue queue", "0.000000"),
        (CSR, "reorder buffer", "0.045119"),
        (LIST, "issue queue", "0.279387"),
    ):
        title = f"seq-{program} on {V3}, 2 threads, vectors as profiled: {part}"
        yield _claim(title, EVALUATION, printed, run(program, V3, 2, split=False).stack[part])
    for program, printed in ((CSR, "6.9026"), (LIST, "13.3560")):
        found = run(program, V3, 14, split=False)
        title = f"seq-{program} on {V3}, 14 threads, vectors as profiled: memory traffic of all [GB/s]"
        yield _claim(title, EVALUATION, printed, found.total_dram_bytes_per_second / 1e9)
    undivided = mixed(V3, split=False)  # the memory's bandwidth binds neither thread, so dividing it changes nothing
    for index, (program, share, cpi) in enumerate(((CSR, "11.62006", "1.550132"), (LIST, "23.37994", "2.269731"))):
        title = f"seq-csr and seq-list on {V3}, one thread each, vectors as profiled: seq-{program}"
        yield _claim(f"{title}, level 3 [MiB]", EVALUATION, share, undivided.l3_shares[index] / MIB)
        yield _claim(f"{title}, CPI", EVALUATION, cpi, undivided.predictions[index].cpi)
    together = mixed(V3, split=True)
    for index, (program, share, cpi) in enumerate(((CSR, "11.61641", "1.550372"), (LIST, "23.38359", "2.269134"))):
        title = f"seq-csr and seq-list on {V3}, one thread each: seq-{program}"
        yield _claim(f"{title}, level 3 [MiB]", EVALUATION, share, together.l3_shares[index] / MIB)
        yield _claim(f"{title}, CPI", EVALUATION, cpi, together.predictions[index].cpi)


def _reference_cases() -> Iterator[Claim]:
    for program, machine, threads, cpi, seconds in REFERENCE_CASES:
        found = run(program, machine, threads)
        title = f"seq-{program} on {machine}, {_threads(threads)}, to nine decimals"
        # One figure was printed from a number that differs by 1e-10 of itself.
        yield _claim(f"{title}: CPI", EVALUATION, cpi, found.cpi, last=1.0)
        yield _claim(f"{title}: run time", EVALUATION, seconds, found.seconds, "s", last=2.0)
    title = "to nine decimals"
    queue = run(LIST, V3).stack["issue queue"]
    yield _claim(f"seq-{LIST} on {V3}, 1 thread, {title}: issue queue", EVALUATION, "0.401773683", queue)
    traffic = run(CSR, V3, 14).dram_bytes_per_second / 1e9
    yield _claim(
        f"seq-{CSR} on {V3}, 14 threads, {title}: memory traffic of each [GB/s]", EVALUATION, "0.492749676", traffic
    )
    buffer = run(CSR, T4240, 12).stack["reorder buffer"]
    yield _claim(f"seq-{CSR} on {T4240}, 12 threads: reorder buffer", EVALUATION, "1.94822", buffer)
    little = run(LIST, "SDP little", 4)
    title = f"seq-{LIST} on SDP little, 4 threads"
    yield _claim(f"{title}: hits of level 3 of what arrives there", EVALUATION, "0.44300", little.local_hits["l3"])
    yield _claim(f"{title}: memory accesses per instruction", EVALUATION, "0.04136", little.accesses["dram"])
    tegra = run(LIST, "Cortex-A15 (Tegra K1)")
    stalls = tegra.stack["issue queue"] + tegra.stack["reorder buffer"]
    yield _claim(f"seq-{LIST} on Cortex-A15 (Tegra K1), 1 thread: stalls", EVALUATION, "0.000000", stalls)


def _worked_example() -> Iterator[Claim]:
    found = run(CSR, E5_2690)
    rates = found.rates
    title = f"seq-{CSR} on {E5_2690}, 1 thread"
    for name, printed, computed in (
        ("loads and stores", "0.126777084494", rates.memory_fraction),
        ("address arithmetic", "0.121000558", rates.address_fraction),
        ("integer operations", "0.475552952", rates.integer_fraction),
        ("integer arithmetic", "0.130994118", rates.integer_arithmetic_fraction),
        ("integer multiplications", "0.016408562", rates.integer_multiply_fraction),
        ("integer divisions", "0.014031400", rates.integer_divide_fraction),
        ("floating-point operations", "0.000040176", rates.float_fraction),
        ("floating-point multiplications", "0.000024032", rates.float_multiply_fraction),
        ("floating-point divisions", "0.000000111", rates.float_divide_fraction),
        ("control", "0.206941392", rates.control_fraction),
        ("parallelism", "9.713191390", rates.ilp),
        ("memory parallelism", "1.622563504", rates.memory_ilp),
        ("integer parallelism", "9.547176176", rates.integer_ilp),
        ("control parallelism", "5.7535", rates.control_ilp),
        ("floating-point parallelism", "1.018881129", rates.float_ilp),
        ("hits down to level 1", "0.630505818", found.hits["l1"]),
        ("hits down to level 2", "0.867409740", found.hits["l2"]),
        ("hits down to level 3", "0.981690154", found.hits["l3"]),
        ("accesses of level 2", "0.046843395", found.accesses["l2"]),
        ("accesses of level 3", "0.016809407", found.accesses["l3"]),
        ("accesses of the memory", "0.002321269", found.accesses["dram"]),
        ("hits of level 2 of what arrives", "0.641157382", found.local_hits["l2"]),
        ("hits of level 3 of what arrives", "0.861906556", found.local_hits["l3"]),
        ("bound of miss registers", "8.284202", found.bounds["miss registers"]),
        ("bound of parallelism", "4.737295", found.bounds["parallelism"]),
        ("bound of integer parallelism", "23.728828", found.bounds["integer parallelism"]),
        ("bound of memory parallelism", "1.062685824", found.bounds["memory parallelism"]),
        ("bound of control parallelism", "27.8026", found.bounds["control parallelism"]),
        ("bound of float parallelism", "6015.774", found.bounds["float parallelism"]),
        ("bound of memory units", "15.7757", found.bounds["memory units"]),
        ("bound of integer units", "5.032424", found.bounds["integer units"]),
        ("bound of float units", "49786.3", found.bounds["float units"]),
        ("bound of control units", "4.832286", found.bounds["control units"]),
        ("bound of vector units", "2044.00", found.bounds["vector units"]),
        ("bound of l1 bandwidth", "62.7913", found.bounds["l1 bandwidth"]),
        ("bound of l3 bandwidth", "29.5984", found.bounds["l3 bandwidth"]),
        ("bound of dram bandwidth", "127.605", found.bounds["dram bandwidth"]),
        ("reorder buffer", "0.092961951", found.stack["reorder buffer"]),
        ("branches", "0.246811405", found.stack["branches"]),
        ("cycles [1e9]", "4.8043820", found.cycles / 1e9),
        ("memory accesses", "8707363.1", found.dram_reads + found.dram_writes),
        ("memory traffic [GB/s]", "0.336377622", found.dram_bytes_per_second / 1e9),
        ("peak of a core [GFLOP/s]", "29.000", found.peak_flops / 1e9),
    ):
        yield _claim(f"{title}: {name}", EVALUATION, printed, computed)


def _misprints() -> Iterator[Claim]:
    deviation: Kind = "deviation"
    latencies: dict[str, Any] = {"l3_latency": 18, "dram_latency": 187}
    found = run(CSR, "Xeon E5-2697 v2", model="independent", split=False)
    as_printed = run(CSR, "Xeon E5-2697 v2", model="independent", split=False, **latencies)
    yield _claim(
        f"seq-{CSR} on Xeon E5-2697 v2, independent events: CPI with the latencies of Table 4.3",
        "Anghel 2017, Table 4.3",
        f"{as_printed.cpi:.6f}",
        found.cpi,
        kind=deviation,
        note="level 3 and memory are printed as increments (18 and 187) among cumulative latencies (30 and 217)",
    )
    found = run(CSR, V3, mode="corrected", branch_factor=1.71)
    yield _claim(
        f"seq-{CSR} on {V3}, 1 thread: CPI with the errors of the tool corrected",
        MANUAL_TABLES,
        "1.02631",
        found.cpi,
        kind=deviation,
        note="reuse from exact counts, hits below the capacity, levels that hold what those above do, measured sizes "
        "of accesses, exact parallelism",
    )
