"""Published figures of hybrid programs beside what the model gives.

The paper prints no inputs, so the sample tables were made to fit some of its figures. Agreement with those, and with
the figures a reference implementation gives for the same tables, carries the status "fitted": it shows that this
implementation is right, and says nothing about the model.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.hybrid.claims.reference_implementation import FIGURES as REFERENCE
from dse.models.hybrid.claims.reference_implementation import reference_claims
from dse.models.hybrid.claims.sweeps import GHZ, PROGRAMS, SPACES, Sweep, at, sample_model, sweep
from dse.models.hybrid.queue import contended_time, waiting_time

__all__ = ["TABLE_2", "claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "hybrid")


def _table_2() -> dict[str, tuple[int, ...]]:
    with Path(__file__).with_name("table-2.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    means: dict[str, tuple[int, ...]] = {}
    for row in rows:
        title = f"mean error of {row['quantity']} on {row['system']} ({', '.join(PROGRAMS)})"
        means[title] = (*means.get(title, ()), int(row["mean"]))
    return means


TABLE_2 = _table_2()
"""Mean of the published error in percent, by claim, in the order of `PROGRAMS`."""


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
        *(
            FIGURES.claim(title, None, TABLE_2.get(title))
            for title in FIGURES
            if FIGURES.kind(title) == "not checkable"
        ),
    ]


def _ratios(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    ratios = []
    for system, program in (("xeon", "SP"), ("xeon", "BT"), ("arm", "BT"), ("arm", "CP")):
        computed = sweeps[system, program].span("useful_computation_ratio")[1]
        ratios.append(FIGURES.claim(f"{program} on {system}: best UCR", computed))
    corner = sum(
        s.design(int(np.argmax(s.results["useful_computation_ratio"]))) == (1, 1, SPACES[system][2][0] / GHZ)
        for (system, _), s in sweeps.items()
    )
    title = "programs and systems whose best UCR is at (1, 1, lowest frequency), of 10"
    ratios.append(FIGURES.claim(title, int(corner)))
    steeper = all(_ratio_kept(sweeps[s, p]) < _ratio_kept(sweeps[s, "BT"]) for s in SPACES for p in ("CP", "LB"))
    title = "UCR of CP and LB drops more steeply with nodes than that of BT"
    ratios.append(FIGURES.claim(title, steeper))
    return ratios


def _ratio_kept(s: Sweep) -> float:
    """UCR on all nodes over UCR on one, all cores at the highest frequency."""
    nodes, cores, frequency = s.designs
    full = (cores == cores.max()) & (frequency == frequency.max())
    ratios = s.results["useful_computation_ratio"][full]
    return float(ratios[np.argmax(nodes[full])] / ratios[np.argmin(nodes[full])])


def _doubled_bandwidth() -> list[Claim]:
    before, after = (at("xeon", "SP", 1, 8, 1.8, memory_bandwidth_scale=scale) for scale in (1.0, 2.0))
    what = "SP on xeon (1, 8, 1.8 GHz)"
    ratio, doubled = before["useful_computation_ratio"], after["useful_computation_ratio"]
    saved, spared = before["run_time"] - after["run_time"], before["energy"] - after["energy"]
    twice = f"{what}, memory bandwidth doubled"
    return [
        FIGURES.claim(f"{what}: UCR", ratio),
        FIGURES.claim(f"{twice}: UCR", doubled),
        FIGURES.claim(f"{twice}: time saved", saved),
        FIGURES.claim(f"{twice}: energy saved", spared),
    ]


def _frontiers(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    xeon, arm = sweeps["xeon", "SP"], sweeps["arm", "CP"]
    design = (3.0, 2.0, 0.8)
    held = design in arm.frontier_designs
    elsewhere = tuple(design in sweep("arm", "CP", service_scv=scv).frontier_designs for scv in (0.0, 3.0))
    index = next(i for i in range(len(arm.designs[0])) if arm.design(i) == design)
    time, energy = arm.results["run_time"], arm.results["energy"]
    others = (time <= time[index]) & (np.arange(len(time)) != index)
    margin = float(energy[others].min() / energy[index] - 1.0)
    return [
        FIGURES.claim("configurations of SP on xeon", len(xeon.designs[0])),
        FIGURES.claim("configurations of CP on arm", len(arm.designs[0])),
        FIGURES.claim("SP on xeon: UCR on the frontier", xeon.frontier_ucr),
        FIGURES.claim("CP on arm: UCR on the frontier", arm.frontier_ucr),
        FIGURES.claim("CP on arm: (3, 2, 0.8 GHz) is on the frontier", held),
        REFERENCE.claim("CP on arm: (3, 2, 0.8 GHz) at service_scv 0 and 3", elsewhere),
        REFERENCE.claim("CP on arm: energy by which (3, 2, 0.8 GHz) is on the frontier", margin),
    ]


def _insights(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    """The three counter-intuitive insights of Section V-A."""
    insights = []
    fewer = "a relaxed deadline never needs more nodes"
    for (system, program), s in sweeps.items():
        holds = bool(np.all(np.diff(s.designs[0][s.frontier]) <= 0))
        insights.append(FIGURES.claim(f"{program} on {system}: {fewer}", holds))

    more = "a smaller energy budget is met with more cores and a higher frequency"
    xeon, arm = sweeps["xeon", "SP"].frontier_designs, sweeps["arm", "CP"].frontier_designs
    rises = xeon[-1][1:] >= xeon[1][1:] and all(design[2] == 1.8 for design in xeon) and xeon[-1][1] == 8
    insights.append(FIGURES.claim(f"SP on xeon: {more}", rises))
    falls = arm[-1][1] > arm[0][1] and arm[-1][2] >= arm[0][2]
    insights.append(FIGURES.claim(f"CP on arm: {more}", falls))
    few = any(cores < 4 for _, cores, _ in arm) and len({frequency for *_, frequency in arm}) > 1
    title = "CP on arm: the frontier is not always at all cores and the highest frequency"
    insights.append(FIGURES.claim(title, few))
    return insights


def _consistency() -> list[Claim]:
    """What the printed figures say about each other, without any data."""
    half = 0.005
    window = ((0.81 - half) / (2.0 - (0.81 - half)), 0.67 + half)
    run = (2.0 * 6.5 / (1.0 - window[0]), 2.0 * 7.5 / (1.0 - window[1]))
    sample = at("xeon", "SP", 1, 8, 1.8)
    power = sample_model("xeon").tables["power"].where(frequency="1.8 GHz")
    stalled = float((8 * power["core_stall_power"] + power["memory_power"] + power["idle_power"])[0])
    return [
        FIGURES.claim("doubled bandwidth: UCR from the printed 0.67", 2 * 0.67 / (1 + 0.67)),
        FIGURES.claim("UCR for which 0.67 and 0.81 agree", window),
        FIGURES.claim("run time implied for (1, 8, 1.8 GHz)", run),
        FIGURES.claim("SP on xeon (1, 8, 1.8 GHz): run time, implied about 43 s", sample["run_time"]),
        FIGURES.claim("SP on xeon (1, 8, 1.8 GHz): memory time, twice the 7 s saved", sample["memory_time"]),
        FIGURES.claim("power saved while stalled, 590 J / 7 s", (590 / 7.5, 590 / 7.0, 590 / 6.5)),
        FIGURES.claim("8 stalled cores, memory and idle power, from 590 J / 7 s", stalled),
        FIGURES.claim(
            "largest mean error, printed as below 15 %",
            f"{max(max(means) for means in TABLE_2.values())} %",
        ),
        FIGURES.claim("growth of traffic a shared channel would need for UCR 0.674 and 0.05", 0.05 / (0.674 - 0.05)),
        FIGURES.claim("waiting as printed over that of an M/D/1 queue", _printed_over_fixed()),
        FIGURES.claim(
            "T for T0 = 10 s, s = 2 s, 4 nodes; one channel per node, one shared",
            tuple(float(contended_time(np.array([10.0]), np.array([busy]), np.array([2.0]))[0]) for busy in (2.0, 8.0)),
        ),
    ]


def _printed_over_fixed() -> float:
    base, busy = np.array([1.0]), np.array([1e-9])
    return float((waiting_time(base, busy, busy) / waiting_time(base, busy, busy / 2.0))[0])
