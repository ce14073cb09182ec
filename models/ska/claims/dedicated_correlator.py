"""Published figures of the SKA1-Low correlator in dedicated hardware, and what they say about the one on processors."""

from __future__ import annotations

from typing import Any

from dse.authoring.claims import Claim
from dse.models.ska._designs import LIMIT, correlator, dedicated_correlator, part

__all__ = ["dedicated_claims"]

THESIS = "Anghel 2017"
_PLACE = f"{THESIS}, Section 7.1.3"
_DERIVED = f"derived from {_PLACE}"
_CORRECTED = f"{_DERIVED}, with Eq. 7.7: four real multiply-accumulates for a complex one"
_CHANNELS = 65_536
_OPERATIONS = 8.0  # floating-point operations of a complex multiply-accumulate


def dedicated_claims() -> list[Claim]:
    """Return every published figure of the arithmetic of the correlator, with what the model gives."""
    return [*_printed(), *_corrected(), *_quoted(), *_per_product()]


def _claim(claim: str, source: str, published: Any, computed: Any, **rest: Any) -> Claim:
    return Claim("ska.dedicated_correlator", claim, source, published, computed, **rest)


def _printed() -> list[Claim]:
    rate, asic, fpga = (
        dedicated_correlator(f"{platform} 14 nm", target, use={"complex_mac": "as-printed"})
        for platform, target in (
            ("ASIC", "correlation_rate"),
            ("ASIC", "correlator_power"),
            ("FPGA", "correlator_power"),
        )
    )
    kilo: dict[str, Any] = {"unit": "kW", "relative_tolerance": 0.005}
    ours: dict[str, Any] = {"unit": "kW", "absolute_tolerance": 0.005}
    return [
        _claim("complex multiply-accumulates per second", _PLACE, 3.1457e14, rate, unit="Hz", relative_tolerance=1e-4),
        _claim("ASIC 14 nm, as printed: power", _PLACE, 2.48, asic / 1e3, **kilo),
        _claim("FPGA 14 nm, as printed: power", _PLACE, 17.48, fpga / 1e3, **kilo),
        _claim("ASIC 14 nm, as printed: power by its own energy", _DERIVED, 2.485, asic / 1e3, **ours),
        _claim("FPGA 14 nm, as printed: power by its own energy", _DERIVED, 17.52, fpga / 1e3, **ours),
    ]


def _corrected() -> list[Claim]:
    rows = (("ASIC 14 nm", 9.94), ("FPGA 14 nm", 70.1))
    found = []
    for name, power in rows:
        corrected = dedicated_correlator(name)
        printed = dedicated_correlator(name, use={"complex_mac": "as-printed"})
        title = f"{name}, four real multiply-accumulates"
        found.append(_claim(f"{title}: power", _CORRECTED, power, corrected / 1e3, unit="kW", relative_tolerance=0.001))
        found.append(
            _claim(f"{title}: power over that printed", _CORRECTED, 4.0, corrected / printed, relative_tolerance=1e-12)
        )
    once = dedicated_correlator("ASIC 14 nm", use={"baselines": "unique"}) / dedicated_correlator("ASIC 14 nm")
    title = "power with each pair of stations once, over that with both orders"
    return [*found, _claim(title, _DERIVED, 0.501, once, absolute_tolerance=5e-4)]


def _quoted() -> list[Claim]:
    cube = dedicated_correlator("ASIC 14 nm", "memory_cube_power")
    note = "a design of 512 channels and a fourth of the integration time, of which the arithmetic is not told"
    return [
        _claim(
            "accelerators with memory cubes, 9.62 W per subband",
            _PLACE,
            4.93,
            cube / 1e3,
            unit="kW",
            absolute_tolerance=0.006,
        ),
        _claim("an FPGA design of others: dynamic power, kW", _PLACE, 30.0, None, kind="not checkable", note=note),
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
    near: dict[str, Any] = {"absolute_tolerance": 0.05}
    fitted: dict[str, Any] = {
        "kind": "fitted",
        "note": "rests on constants fitted to the printed results of processors",
    }
    return [
        _claim("products of a node of 8 channels in 0.52 s", _DERIVED, 1.997e10, products, relative_tolerance=5e-4),
        _claim(
            "rate of such a node, Gflop/s",
            _DERIVED,
            307.0,
            products * _OPERATIONS / LIMIT / 1e9,
            absolute_tolerance=0.5,
        ),
        _claim("Haswell: core cycles per product", _DERIVED, 9.9, haswell["core_cycles"] / products, **near, **fitted),
        _claim(
            "Haswell: bytes per product",
            _DERIVED,
            3.7,
            haswell["memory_traffic"] / products,
            unit="B",
            **near,
            **fitted,
        ),
        _claim("ARM: core cycles per product on 4 cores", _DERIVED, 5.9, base / products, **near),
        _claim(
            "ARM: core cycles per product on 96 cores", _DERIVED, 14.5, arm["core_cycles"] / products, **near, **fitted
        ),
        _claim(
            "processors: energy per product",
            _DERIVED,
            10.9e-9,
            per_product,
            unit="J",
            relative_tolerance=0.01,
            **fitted,
        ),
        _claim(
            "processors: energy over that of an ASIC, corrected and as printed",
            _DERIVED,
            (346.0, 1385.0),
            (per_product / (4.0 * mac), per_product / mac),
            relative_tolerance=0.01,
            **fitted,
        ),
    ]
