"""Published figures of the SKA1-Low correlator beside what the reduced-order model gives.

Its constants were fitted to some of the printed results: those carry the status "fitted"; the others are checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.claims import Claim
from dse.models.ska._designs import GIGA, LIMIT, correlator

__all__ = ["correlator_claims"]

THESIS = "Anghel 2017"


def correlator_claims() -> list[Claim]:
    """Return every published figure of the correlator, with what the model gives."""
    return [*_correlator_designs(), *_correlator_space(), *_near_miss()]


def _claim(claim: str, source: str, published: Any, computed: Any, **rest: Any) -> Claim:
    return Claim("ska.correlator", claim, f"{THESIS}, {source}", published, computed, **rest)


def _one(core_type: str, channels: int, cores: int, ghz: float, l3: float, dram: float) -> dict[str, float]:
    fixed = {"cores": cores, "frequency": ghz * GIGA, "l3_bandwidth": l3 * GIGA, "dram_bandwidth": dram * GIGA}
    return {name: float(value[0]) for name, value in correlator(core_type, channels, **fixed).items()}


# cores, GHz, channels, bandwidth; printed time s, node W, total MW; what of these the constants were fitted to
_PRINTED: tuple[tuple[str, int, float, int, int, tuple[float, float, float], str], ...] = (
    ("Haswell", 96, 4.0, 8, 160, (0.51, 421, 3.44), "power"),
    ("Haswell", 128, 3.2, 8, 160, (0.48, 511, 4.18), "power"),
    ("Haswell", 128, 3.6, 8, 160, (0.46, 521, 4.26), "time and power"),
    ("Haswell", 128, 4.0, 8, 160, (0.46, 521, 4.26), "time and power"),
    ("ARM", 128, 4.0, 8, 160, (0.57, 364, 2.98), "time and power"),
    ("ARM", 96, 3.2, 4, 120, (0.47, 255, 4.17), "time and power"),
    ("ARM", 96, 3.2, 4, 160, (0.47, 255, 4.17), "time and power"),
    ("ARM", 128, 2.3, 4, 120, (0.52, 318, 5.21), "power"),
)


def _correlator_designs() -> list[Claim]:
    found = []
    used = "used to fit the constants of the core type"
    for core_type, cores, ghz, channels, bandwidth, (time, power, total), fit in _PRINTED:
        design = _one(core_type, channels, cores, ghz, bandwidth, bandwidth)
        what = f"{core_type}, {channels} channels, {cores} cores at {ghz} GHz, {bandwidth} GB/s"
        source = "Table 7.9" if core_type == "Haswell" else "Section 7.1.3.2"
        fitted: dict[str, Any] = {"kind": "fitted", "note": used}
        if cores == 128 and channels == 4:
            found.append(_claim(f"{what}: within 0.52 s", source, True, design["run_time"] <= LIMIT))
        else:
            rest = fitted if "time" in fit else {}
            found.append(
                _claim(
                    f"{what}: run time",
                    source,
                    time,
                    design["run_time"],
                    unit="s",
                    absolute_tolerance=0.0051,
                    **rest,
                )
            )
        got = design["node_power"]
        title = f"{what}: node power"
        found.append(_claim(title, source, power, got, unit="W", relative_tolerance=0.01, **fitted))
        # The thesis truncates totals: 421 W x 8,192 = 3.449 MW is printed as 3.44.
        total_note = {"kind": "fitted", "note": "follows from the node power; printed truncated"}
        got = design["total_power"] / 1e6
        title = f"{what}: total power"
        found.append(_claim(title, source, total, got, unit="MW", relative_tolerance=0.01, **total_note))
    haswell, arm = _one("Haswell", 8, 14, 2.6, 40, 59.7), _one("ARM", 8, 4, 2.3, 17, 17)
    note = (
        "the constants hold for 96 and 128 cores, where the printed times need 290e9 core cycles, 2.5 times the 118e9 "
        "of the base: 2 MB of shared cache are less than all L1 caches there. A processor model should show it"
    )
    base = "Section 7.1.3.1"
    rest = {"unit": "s", "absolute_tolerance": 0.005}
    time = haswell["run_time"]
    found.append(_claim("Haswell base: run time", base, 5.42, time, kind="fitted", note=used, **rest))
    time = arm["run_time"]
    found.append(_claim("ARM base: run time", base, 12.79, time, kind="deviation", note=note, **rest))
    counts = haswell["nodes"], _one("ARM", 4, 96, 3.2, 120, 120)["nodes"]
    found.append(_claim("nodes for 8 and for 4 channels", "Section 7.1.3.2", (8192, 16384), counts))
    note = "the extrapolated software profile and the power model's inputs are not published"
    title = "run time and power from the software profile"
    found.append(_claim(title, "Section 7.1.3", "stated", None, kind="not checkable", note=note))
    return found


def _correlator_space() -> list[Claim]:
    haswell, arm8, arm4 = correlator("Haswell", 8), correlator("ARM", 8), correlator("ARM", 4)
    text = "Section 7.1.3.2"
    feasible = [space["run_time"] <= LIMIT for space in (haswell, arm8, arm4)]
    counts = tuple(int(mask.sum()) for mask in feasible)
    four = sorted(
        zip(*(haswell[name][feasible[0]].tolist() for name in ("cores", "frequency", "l3_bandwidth")), strict=True)
    )
    wide = [(96, 4.0), (128, 3.2), (128, 3.6), (128, 4.0)]
    of_arm = {name: arm4[name][feasible[2]] for name in arm4}
    by_cores = tuple(int(np.sum(of_arm["cores"] == cores)) for cores in (96, 128))
    fast = bool(np.all(of_arm["frequency"][of_arm["cores"] == 96] >= 3.2 * GIGA))
    narrow = [bool(np.any(mask & _slow_or_small(s))) for mask, s in zip(feasible, (haswell, arm8, arm4), strict=True)]
    best = {cores: _cheapest(haswell, feasible[0] & (haswell["cores"] == cores)) for cores in (96, 128)}
    best_arm = {cores: _cheapest(arm4, feasible[2] & (arm4["cores"] == cores)) for cores in (96, 128)}
    order = best[96] < best_arm[96] and best[96] < best[128] and best_arm[96] < best_arm[128]
    still = all(_clock_without_effect(space) for space in (haswell, arm4))
    ties = int(np.sum(of_arm["total_power"] == best_arm[96]))
    slopes = tuple(_saved_by_clock(*case) for case in (("Haswell", 8), ("ARM", 4)))
    dearer = _one("ARM", 4, 96, 4.0, 160, 160)["node_power"] / _one("ARM", 4, 96, 3.2, 120, 120)["node_power"] - 1.0
    reduced = "the reduced-order form is a maximum of two times; the printed curve bends earlier or later"
    rows: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("feasible of 320: Haswell 8, ARM 8, ARM 4 channels", (4, 0, 32), counts, {}),
        ("feasible of 960", 36, sum(counts), {}),
        ("feasible Haswell designs, all at 160 GB/s", [(c, g * GIGA, 160 * GIGA) for c, g in wide], four, {}),
        ("feasible ARM designs with 96 and 128 cores", (12, 20), by_cores, {}),
        ("feasible ARM designs with 96 cores have at least 3.2 GHz", True, fast, {}),
        ("feasible with at most 64 cores, or at 40 or 60 GB/s", [False] * 3, narrow, {}),
        ("Haswell/96 beats ARM/96, and 96 cores beat 128 for both", True, order, {}),
        ("ARM over Haswell, best total powers", 4.17 / 3.44, best_arm[96] / best[96], {"absolute_tolerance": 0.01}),
        ("ARM winners that tie", 4, ties, {}),
        ("at 40 and 60 GB/s to DRAM the clock has no effect", True, still, {}),
        (
            "time saved from 2.6 to 4.0 GHz at 96 cores and 120 GB/s: Haswell, ARM",
            (0.25, 0.30),
            slopes,
            {"kind": "deviation", "note": f"{reduced}: 22 % and 35 %"},
        ),
        (
            "ARM, 96 cores: power added by clocks above 3.2 GHz",
            0.05,
            dearer,
            {"kind": "deviation", "note": f"{reduced}: 6.3 % (at most 5 % printed)"},
        ),
    ]
    return [_claim(title, text, published, computed, **rest) for title, published, computed, rest in rows]


def _slow_or_small(space: dict[str, np.ndarray]) -> np.ndarray:
    return (space["cores"] <= 64) | (space["l3_bandwidth"] <= 60 * GIGA) | (space["dram_bandwidth"] <= 60 * GIGA)


def _cheapest(space: dict[str, np.ndarray], mask: np.ndarray) -> float:
    return float(space["total_power"][mask].min())


def _clock_without_effect(space: dict[str, np.ndarray]) -> bool:
    bound = (space["cores"] >= 96) & (space["dram_bandwidth"] <= 60 * GIGA)
    return bool(np.all((space["run_time"] == space["memory_time"])[bound]))


def _saved_by_clock(core_type: str, channels: int) -> float:
    slow, fast = (_one(core_type, channels, 96, ghz, 160, 120)["run_time"] for ghz in (2.6, 4.0))
    return 1.0 - fast / slow


def _near_miss() -> list[Claim]:
    """What a limit of 0.58 s instead of 0.52 s would decide."""
    relaxed = 0.58
    spaces = {key: correlator(*key) for key in (("Haswell", 8), ("ARM", 8), ("ARM", 4))}
    best = {}
    for key, space in spaces.items():
        allowed = np.flatnonzero(space["run_time"] <= relaxed)
        index = allowed[np.argmin(space["total_power"][allowed])]
        best[key] = {name: float(values[index]) for name, values in space.items()}
    winner = min(best, key=lambda key: best[key]["total_power"])
    haswell, arm8, arm4 = (best[key] for key in (("Haswell", 8), ("ARM", 8), ("ARM", 4)))
    designs = tuple((d["cores"], d["frequency"] / GIGA) for d in (haswell, arm8, arm4))
    source = "derived from the printed times of ARM at 8 channels, Section 7.1.3.2"
    equal = float(arm4["total_power"] / arm8["total_power"])
    rows: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("limit of 0.58 s: the winner is", "ARM", winner[0], {}),
        (
            "limit of 0.58 s: best total power of ARM",
            2.98,
            arm8["total_power"] / 1e6,
            {"unit": "MW", "absolute_tolerance": 0.01},
        ),
        (
            "limit of 0.58 s: best total power of Haswell",
            3.30,
            haswell["total_power"] / 1e6,
            {"unit": "MW", "absolute_tolerance": 0.005},
        ),
        (
            "limit of 0.58 s: run time of the best Haswell",
            0.571,
            haswell["run_time"],
            {"unit": "s", "absolute_tolerance": 5e-4},
        ),
        (
            "limit of 0.58 s: best designs (cores, GHz) of Haswell, ARM 8, ARM 4",
            ((96.0, 3.6), (128.0, 4.0), (64.0, 4.0)),
            designs,
            {"relative_tolerance": 1e-12},
        ),
        ("limit of 0.58 s: ARM with 4 channels over ARM with 8", 1.0, equal, {"relative_tolerance": 1e-9}),
    ]
    return [_claim(title, source, published, computed, **rest) for title, published, computed, rest in rows]
