"""Everything that a trace tells at once: modes, breakdown, traffic, pattern, windows, factors, waiting times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.replay.analysis.breakdown import RankBreakdown, run_breakdown, split
from dse.models.replay.analysis.factors import Factors, region_factors, run_factors
from dse.models.replay.analysis.intervals import Intervals, intervals_of
from dse.models.replay.analysis.waits import Waits, waits_of
from dse.models.replay.network.collective_traffic import with_collectives
from dse.models.replay.network.network import Network, network_of
from dse.models.replay.network.patterns import Pattern, classify
from dse.models.replay.network.traffic import Traffic, Volumes, traffic_of, volumes_of
from dse.models.replay.timing.modes import MODES, Replay, replays
from dse.models.replay.trace.events import Trace
from dse.models.system.dependencies import Breakdown

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a trace tells on one network.

    Attributes
    ----------
    trace : Trace
    network : Network
    modes : dict of str to Replay
        All of `MODES`; "measured" where the trace has times.
    parts : RankBreakdown
        Where the time of each rank goes, modelled.
    run : Breakdown, optional
        The same of the whole run; None where nothing takes time.
    traffic : Traffic
        Of sends, without collectives unless these are expanded.
    volumes : Volumes
    intervals : Intervals
        Windows of the modelled run, or of the measured one with `times` "measured".
    pattern : Pattern
    factors : Factors
    factors_measured : Factors, optional
    factors_by_region : dict of str to Factors
    waits : Waits
        Of the run that `times` names.
    not_modelled : ndarray, optional
        Measured less modelled finish of each rank [s].
    times : str
        "modelled" or "measured".
    expanded : dict of str to tuple of str
        Algorithms of the collective operations whose messages are in `traffic`; empty where they are not.
    """

    trace: Trace
    network: Network
    modes: dict[str, Replay]
    parts: RankBreakdown
    run: Breakdown | None
    traffic: Traffic
    volumes: Volumes
    intervals: Intervals
    pattern: Pattern
    factors: Factors
    factors_measured: Factors | None
    factors_by_region: dict[str, Factors]
    waits: Waits
    not_modelled: np.ndarray | None
    times: str
    expanded: dict[str, tuple[str, ...]]

    def entered(self) -> np.ndarray:
        """Return when each event begins [s], of the times that windows and waits go by."""
        return _entered(self.trace, self.modes, self.times)


def analyse(
    trace: Trace,
    network: Network | Mapping[str, Any],
    *,
    windows: int = 20,
    by: str = "bytes",
    times: str = "modelled",
    expand_collectives: bool = False,
) -> Analysis:
    """Analyse a trace on one network.

    Parameters
    ----------
    trace : Trace
    network : Network or mapping
        Single numbers.
    windows : int
        Equal windows of time that the run is cut into.
    by : {"bytes", "messages"}
        What the pattern is found by.
    times : {"modelled", "measured"}
        What windows and waiting times go by.
    expand_collectives : bool
        Whether the messages of collective operations, by their algorithms, are in traffic, volumes and pattern too.

    Examples
    --------
    >>> from dse.models.replay import trace_of_rows
    >>> rows = [{"rank": 0, "kind": "compute", "seconds": 1e-4}, {"rank": 0, "kind": "send", "peer": 1, "bytes": 1000}]
    >>> trace = trace_of_rows([*rows, {"rank": 1, "kind": "recv", "peer": 0}])
    >>> found = analyse(trace, {"latency": 2e-6, "overhead": 5e-7, "bandwidth": 1e10})
    >>> [round(1e6 * float(one[1]), 3) for one in (found.parts.dependency, found.parts.network)]
    [100.5, 2.1]
    """
    net = network_of(network)
    if net.shape:
        raise InputError(
            f"arrays of the shape {net.shape}", key="network", allowed="single numbers; replay takes designs"
        )
    if times not in ("modelled", "measured"):
        choices = ["modelled", "measured"]
        raise InputError(f"times = '{times}'", allowed=choices, wrong=times, candidates=choices)
    chosen = MODES if trace.is_measured or times == "measured" else MODES[:-1]
    modes = replays(trace, net, chosen)
    parts = split(trace, modes)
    traffic = traffic_of(trace)
    expanded: dict[str, tuple[str, ...]] = {}
    if expand_collectives:
        traffic, expanded = with_collectives(trace, traffic, net)
    real = modes[times]
    entered = _entered(trace, modes, times)
    assert real.completion is not None
    length = float(real.time if times == "modelled" else real.completion.max())
    measured = modes.get("measured")
    return Analysis(
        trace,
        net,
        modes,
        parts,
        run_breakdown(trace, modes, parts),
        traffic,
        volumes_of(trace, traffic),
        intervals_of(trace, entered, length, windows),
        classify(traffic, by),
        run_factors(trace, modes["ideal"], float(modes["modelled"].time)),
        None if measured is None else run_factors(trace, modes["ideal"], float(measured.time)),
        region_factors(trace, modes["ideal"], modes["modelled"]),
        waits_of(trace, entered, real.completion, float(net.overhead), net.eager_limit),
        None if measured is None else measured.finish - modes["modelled"].finish,
        times,
        expanded,
    )


def _entered(trace: Trace, modes: Mapping[str, Replay], times: str) -> np.ndarray:
    if times == "measured":
        return np.asarray(trace.enter - trace.enter.min())
    end = modes[times].completion
    assert end is not None
    begin = np.empty_like(end)
    begin[1:] = end[:-1]
    begin[trace.first[:-1]] = 0.0
    return begin
