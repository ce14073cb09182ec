"""What `dse trace` says, as rows and sentences."""

from __future__ import annotations

import numpy as np

from dse.models.replay.analysis.analysis import Analysis
from dse.models.replay.analysis.factors import Factors
from dse.models.replay.analysis.intervals import Intervals
from dse.models.replay.analysis.waits_beside import WaitBeside
from dse.models.replay.network.patterns import Pattern, Scored
from dse.units import with_unit

__all__ = [
    "breakdown_rows",
    "describe_waits",
    "expanded_text",
    "factors_text",
    "pattern_text",
    "rank_rows",
    "volumes_text",
    "waits_beside_rows",
    "windows_text",
]

_MOST_RANKS = 8
_MOST_APART = 3


def breakdown_rows(analysis: Analysis) -> list[list[str]]:
    """Return the parts of the time of the whole run."""
    if analysis.run is None:
        return []
    parts = {
        "computing": analysis.run.compute,
        "calls": analysis.run.point_to_point,
        "data dependencies": analysis.run.data_dependencies,
        "network delay": analysis.run.network_delay,
    }
    total = float(analysis.run.run_time)
    return [
        [name, f"{with_unit(float(value), 's')} ({100.0 * float(value) / total:.1f} %)"]
        for name, value in parts.items()
    ]


def rank_rows(analysis: Analysis) -> list[list[str]]:
    """Return the breakdown of the ranks that are done last, then the mean and the sum of all."""
    parts = analysis.parts
    columns = np.stack([parts.compute, parts.calls, parts.dependency, parts.network, parts.idle, parts.finish], axis=1)
    order = np.argsort(-parts.finish, kind="stable")[:_MOST_RANKS]
    rows = [[f"rank {rank}", *(with_unit(value, "s") for value in columns[rank].tolist())] for rank in order.tolist()]
    for name, values in (("mean", columns.mean(axis=0)), ("sum", columns.sum(axis=0))):
        rows.append([name, *(with_unit(value, "s") for value in values.tolist())])
    return rows


def _named(pattern: Pattern | Scored) -> str:
    parameters = pattern.parameters
    words = pattern.name
    if "grid" in parameters:
        shape = "periodic" if parameters["periodic"] else "open"
        words += f" {'x'.join(map(str, parameters['grid']))} {shape}"
    elif parameters:
        words += " " + ", ".join(str(value) for value in parameters.values())
    return words


def pattern_text(pattern: Pattern) -> str:
    """Return a pattern with its score and the next."""
    if pattern.name == "none":
        return "pattern: none, no messages"
    ahead = "ambiguous, next" if pattern.ambiguous else "next"
    others = ", ".join(f"{_named(scored)} {scored.score:.4f}" for scored in pattern.runners_up)
    if pattern.name == "irregular":
        return f"pattern: irregular; best {others}"
    return f"pattern: {_named(pattern)}, score {pattern.score:.4f}; {ahead} {others}"


def expanded_text(analysis: Analysis) -> str:
    """Return by which algorithms collectives are in the traffic."""
    if not analysis.expanded:
        return "traffic: sends alone, collective operations are not in it"
    algorithms_text = ", ".join(
        f"{name} by {' and '.join(algorithms)}" for name, algorithms in analysis.expanded.items()
    )
    return f"traffic: sends, and collectives EXPANDED ({algorithms_text}; not of the trace)"


def volumes_text(analysis: Analysis) -> str:
    """Return the volumes of the pairs."""
    volumes = analysis.volumes
    if not volumes.active_pairs:
        return "volumes: no messages"
    active, over_all = volumes.active_bytes, with_unit(volumes.all_bytes.mean, "B")
    return (
        f"volumes: {volumes.active_pairs:,} of {volumes.pairs:,} pairs send, {with_unit(active.mean, 'B')} each "
        f"(deviation {100.0 * active.relative_deviation:.1f} %; over all pairs {over_all}), "
        f"messages of {with_unit(volumes.message_size.mean, 'B')}"
    )


def windows_text(windows: Intervals) -> str:
    """Return how many windows are like uniform."""
    shares = (windows.all_active_share, windows.even_sizes_share, windows.like_uniform_share)
    all_active, even, like = (f"{100.0 * share:.0f} %" for share in shares)
    return f"{len(windows.begin)} windows: all pairs active in {all_active}, even sizes in {even}, like uniform {like}"


def factors_text(factors: Factors) -> str:
    """Return the factors of efficiency."""
    if np.isnan(factors.efficiency):
        return "factors: not defined, no rank computes"
    return (
        f"factors: load balance {factors.load_balance:.4f} x serialisation {factors.serialization:.4f} x transfer "
        f"{factors.transfer:.4f} = efficiency {factors.efficiency:.4f}"
    )


def waits_beside_rows(beside: list[WaitBeside]) -> list[list[str]]:
    """Return each kind of waiting of all ranks, then the ranks on which the two differ most."""
    rows = []
    for name, here, profile in beside:
        if profile is None:
            rows.append([name, "all ranks", with_unit(float(here.sum()), "s"), "no metric"])
            continue
        rows.append([name, "all ranks", with_unit(float(here.sum()), "s"), with_unit(float(profile.sum()), "s")])
        apart = np.abs(here - profile)
        order = np.argsort(-apart, kind="stable")[:_MOST_APART]
        rows += [
            ["", f"rank {rank}", with_unit(float(here[rank]), "s"), with_unit(float(profile[rank]), "s")]
            for rank in order.tolist()
            if here[rank] or profile[rank]
        ]
    return rows


def describe_waits(analysis: Analysis) -> str:
    """Return what is waited for, and the rank that causes most."""
    waits = analysis.waits
    sums = [float(waited.sum()) for waited in (waits.late_sender, waits.late_receiver, waits.collective)]
    if not any(sums):
        return "waiting: none"
    named = ("late senders", "late receivers", "collectives")
    waits_text = ", ".join(f"{name} {with_unit(value, 's')}" for name, value in zip(named, sums, strict=True))
    most = waits.most
    assert most is not None
    return f"waiting, all ranks: {waits_text}; most for rank {most}, {with_unit(float(waits.caused[most]), 's')}"
