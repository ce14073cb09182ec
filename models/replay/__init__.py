"""Replay of traces: what a program waits for, and what a network can change.

Events of a run (computes, messages, collective operations) are replayed under a LogGP-like network as the longest path
of a graph, level by level for all events and designs at once. In Python, `read_trace` reads CSV, Parquet, OTF2 and
the time-independent traces of SimGrid, `replay` gives the time of each rank, `analyse` everything else: breakdown,
traffic, pattern, waiting times.

In a study, ``trace`` is a file under ``[tables]``; ``replay_time`` and its parts follow from latency and effective
bandwidth of the network, for machines of one process per node and as many nodes as the trace has ranks. They check the
mean messages of the model `system`; they are no part of its time.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.replay import quantities
from dse.models.replay.analysis.analysis import Analysis, analyse
from dse.models.replay.analysis.breakdown import RankBreakdown, rank_breakdown
from dse.models.replay.analysis.writing import write_trace
from dse.models.replay.formats.files import read_trace
from dse.models.replay.network.network import Network
from dse.models.replay.network.patterns import Pattern, classify, traffic_of_matrix
from dse.models.replay.network.traffic import Traffic, traffic_of
from dse.models.replay.timing.deadlock import Deadlock
from dse.models.replay.timing.modes import MODES, Replay, replay
from dse.models.replay.trace.assembling import trace_of_rows
from dse.models.replay.trace.events import Trace

__all__ = [
    "MODES",
    "Analysis",
    "Deadlock",
    "Network",
    "Pattern",
    "RankBreakdown",
    "Replay",
    "Trace",
    "Traffic",
    "analyse",
    "classify",
    "rank_breakdown",
    "read_trace",
    "replay",
    "trace_of_rows",
    "traffic_of",
    "traffic_of_matrix",
    "write_trace",
]

globals().update(declarations(quantities))
