"""Published powers of DRAM beside those of the models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.power.dram import dram_device, dram_type, dram_types
from dse.models.power.mesap import MesapPower, mesap_power

__all__ = ["dram_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "power")

RANKS = 8.0  # four modules of two ranks
CLOCK = 2.6e9  # of the processor
DDR4_2400, DDR4_1866 = "DDR4-2400 x8 4 GB rank", "DDR4-1866 x8 4 GB rank"
GEM5 = "DDR4-2400 x8 4 GB rank (gem5)"

# workload, device, processor cycles, bytes read and written
RUNS = (
    ("idle", DDR4_2400, 1171704041, 0, 0),
    ("adi", DDR4_2400, 18946600000, 9121820000, 2724930000),
    ("atax", DDR4_2400, 427019000, 121286000, 70890400),
    ("adi", DDR4_1866, 18946600000, 9121820000, 2724930000),
)
PARTS = ("read", "write", "activate", "precharge", "refresh", "active_standby", "precharge_standby")
# seq-csr with vectors of 256 bits: loads and stores
LOADS, STORES = 420879595, 54676743


def dram_claims() -> list[Claim]:
    """Return every published power of DRAM."""
    return [*_runs(), *_programs(), *_types()]


def _run(device: str, cycles: float, read: float, written: float) -> MesapPower:
    return mesap_power(
        dram_device(device), bytes_read=read, bytes_written=written, duration=cycles / CLOCK, ranks=RANKS
    )


def _runs() -> Iterator[Claim]:
    for name, device, cycles, read, written in RUNS:
        power = _run(device, cycles, read, written)
        values = (power.static, power.dynamic - power.io, power.io, power.total)
        for part, watts in zip(("static", "dynamic", "pins", "total"), values, strict=True):
            yield FIGURES.claim(f"MeSAP, {name} on {device}: {part}", float(watts))
    power = _run(*RUNS[1][1:])
    for part in PARTS:
        computed = float(getattr(power, part))
        yield FIGURES.claim(f"MeSAP, adi on {DDR4_2400}: {part.replace('_', ' ')}", computed)


def _programs() -> Iterator[Claim]:
    """Graph 500 on Xeon machines; times and traffic are those of the published tool, the power is computed here."""
    traffic = 8707363.1 * 64.0
    fourteen = 14 * 0.492749676e9 * 2.453202686
    for what, moved, seconds, parts in (
        ("seq-csr on Xeon E5-2690, 1 thread", traffic, 1.656683449, ("static", "dynamic", "total", "io")),
        ("seq-csr on Xeon E5-2697 v3, 14 threads", fourteen, 2.453202686, ("static", "total")),
    ):
        power = mesap_power(
            dram_device(GEM5),
            bytes_read=moved * LOADS / (LOADS + STORES),
            bytes_written=moved * STORES / (LOADS + STORES),
            duration=seconds,
            ranks=RANKS,
        )
        for part in parts:
            name = {"io": "pins"}.get(part, part)
            computed = float(getattr(power, part))
            yield FIGURES.claim(f"MeSAP, {what}: {name}", computed)


def _types() -> Iterator[Claim]:
    """Totals of the catalogue of types, which were computed from the other columns."""
    from dse.models.power.dram import _catalogue

    table = _catalogue("dram-types")
    for row, name in enumerate(dram_types()):
        dram = dram_type(name)
        per_byte = dram.read_energy + dram.read_io_energy
        energies = (per_byte + dram.activate_energy / dram.row, per_byte + dram.activate_energy / 64.0)
        printed = tuple(float(table[f"dram_{kind}_read_energy"][row]) * 1e12 / 8 for kind in ("stream", "random"))
        yield Claim(
            "power",
            f"{name}: energy of a bit read in a stream and at random",
            str(table["source"][row]).split(";")[0],
            printed,
            tuple(float(energy) * 1e12 / 8 for energy in energies),
            unit="pJ/bit",
            absolute_tolerance=0.0051,
        )
