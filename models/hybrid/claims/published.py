"""Published figures of hybrid programs beside what the model gives.

The paper prints no inputs, so the sample tables were made to fit some of its figures. Agreement with those, and with
the figures a reference implementation gives for the same tables, carries the status "fitted": it shows that this
implementation is right, and says nothing about the model.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dse.authoring.claims import Claim
from dse.models.hybrid._reference import REFERENCE, REGRESSION, claim, reference_claims
from dse.models.hybrid._sweeps import GHZ, PROGRAMS, SPACES, Sweep, at, sample_model, sweep
from dse.models.hybrid.queue import contended_time, waiting_time

__all__ = ["TABLE_2", "claims"]

TABLE_2: dict[str, dict[str, tuple[tuple[int, int], ...]]] = {
    "run_time": {
        "xeon": ((4, 5), (6, 9), (8, 7), (1, 10), (6, 8)),
        "arm": ((3, 2), (4, 3), (4, 6), (5, 12), (4, 8)),
    },
    "energy": {
        "xeon": ((5, 8), (2, 10), (8, 7), (1, 14), (15, 12)),
        "arm": ((6, 6), (4, 5), (5, 6), (7, 12), (7, 9)),
    },
}
"""Mean and standard deviation of the published error in percent, by quantity and system, in the order of `PROGRAMS`."""

ANCHORED = "the sample tables were made to give this"
OUTCOME = "an outcome on synthetic tables, not one of the figures they were made to give"


def claims() -> list[Claim]:
    """Return every published figure and statement on hybrid programs, with what the model gives."""
    sweeps = {(system, program): sweep(system, program) for system in SPACES for program in PROGRAMS}
    return [
        *_ratios(sweeps),
        *_doubled_bandwidth(),
        *_frontiers(sweeps),
        *_insights(sweeps),
        *_consistency(),
        *reference_claims(sweeps),
        *_not_checkable(),
    ]


def _ratios(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    best = [("xeon", "SP", 0.91), ("xeon", "BT", 0.96), ("arm", "BT", 0.54), ("arm", "CP", 0.48)]
    found = []
    for system, program, published in best:
        computed = sweeps[system, program].span("useful_computation_ratio")[1]
        title = f"{program} on {system}: best UCR"
        tolerance = {"absolute_tolerance": 0.005, "kind": "fitted", "note": ANCHORED}
        found.append(claim(title, "Section V-B", published, computed, **tolerance))
    corner = sum(
        s.design(int(np.argmax(s.results["useful_computation_ratio"]))) == (1, 1, SPACES[system][2][0] / GHZ)
        for (system, _), s in sweeps.items()
    )
    note = "follows from the form of the generator of the tables"
    title = "programs and systems whose best UCR is at (1, 1, lowest frequency), of 10"
    found.append(claim(title, "Section V-B", 10, int(corner), kind="fitted", note=note))
    steeper = all(_ratio_kept(sweeps[s, p]) < _ratio_kept(sweeps[s, "BT"]) for s in SPACES for p in ("CP", "LB"))
    note = "built into the traffic of the sample tables"
    title = "UCR of CP and LB drops more steeply with nodes than that of BT"
    found.append(claim(title, "Figs. 10 and 11", True, steeper, kind="fitted", note=note))
    return found


def _ratio_kept(s: Sweep) -> float:
    """UCR on all nodes over UCR on one, all cores at the highest frequency."""
    nodes, cores, frequency = s.designs
    full = (cores == cores.max()) & (frequency == frequency.max())
    ratios = s.results["useful_computation_ratio"][full]
    return float(ratios[np.argmax(nodes[full])] / ratios[np.argmin(nodes[full])])


def _doubled_bandwidth() -> list[Claim]:
    before, after = (at("xeon", "SP", 1, 8, 1.8, memory_bandwidth_scale=scale) for scale in (1.0, 2.0))
    what = "SP on xeon (1, 8, 1.8 GHz)"
    fitted = {"kind": "fitted", "note": ANCHORED}
    follows = {"kind": "fitted", "note": "follows from the other three figures, to which the tables were made"}
    ratio, doubled = before["useful_computation_ratio"], after["useful_computation_ratio"]
    saved, spared = before["run_time"] - after["run_time"], before["energy"] - after["energy"]
    twice = f"{what}, memory bandwidth doubled"
    return [
        claim(f"{what}: UCR", "Section V-B", 0.67, ratio, absolute_tolerance=0.005, **fitted),
        claim(f"{twice}: UCR", "Section V-B", 0.81, doubled, absolute_tolerance=0.005, **follows),
        claim(f"{twice}: time saved", "Section V-B", 7.0, saved, unit="s", absolute_tolerance=0.05, **fitted),
        claim(f"{twice}: energy saved", "Section V-B", 590.0, spared, unit="J", absolute_tolerance=0.5, **fitted),
    ]


def _frontiers(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    xeon, arm = sweeps["xeon", "SP"], sweeps["arm", "CP"]
    fitted = {"kind": "fitted", "note": ANCHORED}
    ratios = {"absolute_tolerance": 0.005, **fitted}
    fragile = "the tables were made to give this; fragile: by 0.09 % of its energy, and not at service_scv 0 or 3"
    design = (3.0, 2.0, 0.8)
    held = design in arm.frontier_designs
    elsewhere = tuple(design in sweep("arm", "CP", service_scv=scv).frontier_designs for scv in (0.0, 3.0))
    index = next(i for i in range(len(arm.designs[0])) if arm.design(i) == design)
    time, energy = arm.results["run_time"], arm.results["energy"]
    others = (time <= time[index]) & (np.arange(len(time)) != index)
    margin = float(energy[others].min() / energy[index] - 1.0)
    regression = {"kind": "fitted", "note": REGRESSION}
    return [
        claim("configurations of SP on xeon", "Section V-A, footnote 3", 216, len(xeon.designs[0])),
        claim("configurations of CP on arm", "Section V-A, footnote 4", 400, len(arm.designs[0])),
        claim("SP on xeon: UCR on the frontier", "Section V-B", (0.05, 0.67), xeon.frontier_ucr, **ratios),
        claim("CP on arm: UCR on the frontier", "Section V-B", (0.10, 0.42), arm.frontier_ucr, **ratios),
        claim("CP on arm: (3, 2, 0.8 GHz) is on the frontier", "Section V-A", True, held, kind="fitted", note=fragile),
        claim("CP on arm: (3, 2, 0.8 GHz) at service_scv 0 and 3", REFERENCE, (False, False), elsewhere, **regression),
        claim(
            "CP on arm: energy by which (3, 2, 0.8 GHz) is on the frontier",
            REFERENCE,
            0.0009,
            margin,
            absolute_tolerance=5e-5,
            **regression,
        ),
    ]


def _insights(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    """The three counter-intuitive insights of Section V-A."""
    found = []
    fewer = "a relaxed deadline never needs more nodes"
    for (system, program), s in sweeps.items():
        holds = bool(np.all(np.diff(s.designs[0][s.frontier]) <= 0))
        if system == "xeon" or program == "CP":
            rest = {"note": OUTCOME}
        else:
            rest = {
                "kind": "deviation",
                "note": "does not hold on the sample tables of this program, which are invented",
            }
        found.append(claim(f"{program} on {system}: {fewer}", "Section V-A, first insight", True, holds, **rest))

    more = "a smaller energy budget is met with more cores and a higher frequency"
    xeon, arm = sweeps["xeon", "SP"].frontier_designs, sweeps["arm", "CP"].frontier_designs
    rises = xeon[-1][1:] >= xeon[1][1:] and all(design[2] == 1.8 for design in xeon) and xeon[-1][1] == 8
    found.append(
        claim(
            f"SP on xeon: {more}",
            "Section V-A, second insight",
            True,
            rises,
            note=f"{OUTCOME}; 7 to 8 cores at 1.8 GHz",
        )
    )
    falls = arm[-1][1] > arm[0][1] and arm[-1][2] >= arm[0][2]
    note = "on the sample tables the frontier goes from (20, 2, 1.4 GHz) to (1, 1, 1.4 GHz)"
    place = "Section V-A, second insight"
    found.append(claim(f"CP on arm: {more}", place, True, falls, kind="deviation", note=note))
    few = any(cores < 4 for _, cores, _ in arm) and len({frequency for *_, frequency in arm}) > 1
    title = "CP on arm: the frontier is not always at all cores and the highest frequency"
    note = "follows from (3, 2, 0.8 GHz), to which the tables were made"
    found.append(claim(title, "Section V-A, third insight", True, few, kind="fitted", note=note))
    return found


def _consistency() -> list[Claim]:
    """What the printed figures say about each other, without any data."""
    half = 0.005
    window = ((0.81 - half) / (2.0 - (0.81 - half)), 0.67 + half)
    run = (2.0 * 6.5 / (1.0 - window[0]), 2.0 * 7.5 / (1.0 - window[1]))
    sample = at("xeon", "SP", 1, 8, 1.8)
    power = sample_model("xeon").tables["power"].where(frequency="1.8 GHz")
    stalled = float((8 * power["core_stall_power"] + power["memory_power"] + power["idle_power"])[0])
    fitted = {"kind": "fitted", "note": ANCHORED}
    note = "2u/(1+u) at u = 0.67 is 0.802; with the rounding of both figures they agree for u in [0.6737, 0.675)"
    return [
        claim(
            "doubled bandwidth: UCR from the printed 0.67",
            "Section V-B",
            0.81,
            2 * 0.67 / (1 + 0.67),
            absolute_tolerance=half,
            kind="deviation",
            note=note,
        ),
        claim("UCR for which 0.67 and 0.81 agree", "Section V-B", (0.6737, 0.675), window, absolute_tolerance=1e-4),
        claim(
            "run time implied for (1, 8, 1.8 GHz)", "Section V-B", (39.8, 46.2), run, unit="s", absolute_tolerance=0.05
        ),
        claim(
            "SP on xeon (1, 8, 1.8 GHz): run time, implied about 43 s",
            "Section V-B",
            43.0,
            sample["run_time"],
            unit="s",
            absolute_tolerance=0.5,
            **fitted,
        ),
        claim(
            "SP on xeon (1, 8, 1.8 GHz): memory time, twice the 7 s saved",
            "Section V-B",
            14.0,
            sample["memory_time"],
            unit="s",
            absolute_tolerance=0.05,
            **fitted,
        ),
        claim(
            "power saved while stalled, 590 J / 7 s",
            "Section V-B",
            (78.7, 84.3, 90.8),
            (590 / 7.5, 590 / 7.0, 590 / 6.5),
            unit="W",
            absolute_tolerance=0.05,
        ),
        claim(
            "8 stalled cores, memory and idle power, from 590 J / 7 s",
            "Section V-B",
            84.3,
            stalled,
            unit="W",
            absolute_tolerance=0.05,
            **fitted,
        ),
        claim(
            "largest mean error, printed as below 15 %",
            "Section I and Table 2",
            "below 15 %",
            f"{max(mean for by in TABLE_2.values() for rows in by.values() for mean, _ in rows)} %",
            kind="deviation",
            note="the table holds 15 % (energy of LB on Xeon), so it is at most 15 %",
        ),
        claim(
            "growth of traffic a shared channel would need for UCR 0.674 and 0.05",
            "Section V-B",
            0.08,
            0.05 / (0.674 - 0.05),
            absolute_tolerance=0.005,
            note="UCR = UCR of a node * g/(1+g); decomposed domains have g of 1/3 to 1/2, hence one channel per node",
        ),
        claim(
            "waiting as printed over that of an M/D/1 queue",
            "Eq. 5",
            2.0,
            _printed_over_fixed(),
            relative_tolerance=1e-6,
            note="at small load; as printed it is an M/M/1 queue",
        ),
        claim(
            "T for T0 = 10 s, s = 2 s, 4 nodes; one channel per node, one shared",
            "Eq. 5, closed form",
            (10.472136, 13.123106),
            tuple(float(contended_time(np.array([10.0]), np.array([busy]), np.array([2.0]))[0]) for busy in (2.0, 8.0)),
            unit="s",
            absolute_tolerance=5e-7,
        ),
    ]


def _printed_over_fixed() -> float:
    base, busy = np.array([1.0]), np.array([1e-9])
    return float((waiting_time(base, busy, busy) / waiting_time(base, busy, busy / 2.0))[0])


def _not_checkable() -> list[Claim]:
    missing = "the measured times and energies are not published as numbers"
    found = [
        claim(
            f"mean error of {quantity} on {system} ({', '.join(PROGRAMS)})",
            "Table 2",
            tuple(mean for mean, _ in rows),
            None,
            unit="percent",
            kind="not checkable",
            note=missing,
        )
        for quantity, by_system in TABLE_2.items()
        for system, rows in by_system.items()
    ]
    for title, place, note in (
        ("times and energies of the figures", "Figs. 5 to 11", "the data of the figures are not published as numbers"),
        (
            "the UCR of Xeon and ARM differ because of CISC and RISC",
            "Section V-B",
            "no inputs to test a cause; the tables need about one stall per cycle on ARM (DRAM alone: UCR 0.14)",
        ),
    ):
        found.append(claim(title, place, "stated", None, kind="not checkable", note=note))
    return found
