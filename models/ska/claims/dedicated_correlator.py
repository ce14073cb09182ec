"""Published figures of the SKA1-Low correlator in dedicated hardware, and what they say about the one on processors."""

from __future__ import annotations

from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.ska.claims.designs import LIMIT, correlator, dedicated_correlator, part

__all__ = ["dedicated_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "ska.dedicated_correlator")
_CHANNELS = 65_536
_OPERATIONS = 8.0  # floating-point operations of a complex multiply-accumulate


def dedicated_claims() -> list[Claim]:
    """Return every published figure of the arithmetic of the correlator, with what the model gives."""
    return [*_printed(), *_corrected(), *_quoted(), *_per_product()]


def _printed() -> list[Claim]:
    rate, asic, fpga = (
        dedicated_correlator(f"{platform} 14 nm", target, use={"complex_mac": "as-printed"})
        for platform, target in (
            ("ASIC", "correlation_rate"),
            ("ASIC", "correlator_power"),
            ("FPGA", "correlator_power"),
        )
    )
    return [
        FIGURES.claim("complex multiply-accumulates per second", rate),
        FIGURES.claim("ASIC 14 nm, as printed: power", asic / 1e3),
        FIGURES.claim("FPGA 14 nm, as printed: power", fpga / 1e3),
        FIGURES.claim("ASIC 14 nm, as printed: power by its own energy", asic / 1e3),
        FIGURES.claim("FPGA 14 nm, as printed: power by its own energy", fpga / 1e3),
    ]


def _corrected() -> list[Claim]:
    claims = []
    for name in ("ASIC 14 nm", "FPGA 14 nm"):
        corrected = dedicated_correlator(name)
        printed = dedicated_correlator(name, use={"complex_mac": "as-printed"})
        title = f"{name}, four real multiply-accumulates"
        claims.append(FIGURES.claim(f"{title}: power", corrected / 1e3))
        claims.append(FIGURES.claim(f"{title}: power over that printed", corrected / printed))
    once = dedicated_correlator("ASIC 14 nm", use={"baselines": "unique"}) / dedicated_correlator("ASIC 14 nm")
    title = "power with each pair of stations once, over that with both orders"
    return [*claims, FIGURES.claim(title, once)]


def _quoted() -> list[Claim]:
    cube = dedicated_correlator("ASIC 14 nm", "memory_cube_power")
    return [
        FIGURES.claim("accelerators with memory cubes, 9.62 W per subband", cube / 1e3),
        FIGURES.claim("an FPGA design of others: dynamic power, kW", None),
    ]


def _per_product() -> list[Claim]:
    """Work per complex multiply-accumulate of the processors that were fitted to the thesis, beside that of an ASIC."""
    rate = dedicated_correlator("ASIC 14 nm", "correlation_rate")
    products = rate / _CHANNELS * LIMIT * 8.0  # of a node with 8 channels in one integration
    haswell, arm = (part("correlator-cores", name) for name in ("Haswell", "ARM"))
    best = correlator("Haswell", 8, cores=96, frequency=4e9, l3_bandwidth=160e9, dram_bandwidth=160e9)
    per_product = float(best["total_power"][0]) / rate
    mac = part("correlator-arithmetic", "ASIC 14 nm")["mac_energy_32bit"]
    base = 12.79 * 4 * 2.3e9  # core cycles of the ARM base
    return [
        FIGURES.claim("products of a node of 8 channels in 0.52 s", products),
        FIGURES.claim("rate of such a node, Gflop/s", products * _OPERATIONS / LIMIT / 1e9),
        FIGURES.claim("Haswell: core cycles per product", haswell["core_cycles"] / products),
        FIGURES.claim("Haswell: bytes per product", haswell["memory_traffic"] / products),
        FIGURES.claim("ARM: core cycles per product on 4 cores", base / products),
        FIGURES.claim("ARM: core cycles per product on 96 cores", arm["core_cycles"] / products),
        FIGURES.claim("processors: energy per product", per_product),
        FIGURES.claim(
            "processors: energy over that of an ASIC, corrected and as printed",
            (per_product / (4.0 * mac), per_product / mac),
        ),
    ]
