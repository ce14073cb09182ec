"""The functions of this family as people call them: their arguments are read first, and refused by name."""

from __future__ import annotations

from dse.authoring.declare.arguments import Range, checked
from dse.models.data_machine import graph_search, out_of_core, storage

__all__: list[str] = []

_SIZE, _RATE = Range(least=0.0), Range(above=0.0, infinite=True)

effective_bandwidth = checked(
    devices=Range(above=0.0),
    device_bandwidth=_RATE,
    peak_share=Range(above=0.0, most=1.0),
    links=Range(above=0.0),
    link_bandwidth=_RATE,
    operation_rate=_RATE,
    block_size=Range(above=0.0),
)(storage.effective_bandwidth)
transfer_time = checked(size=_SIZE, bandwidth=_RATE, latency=_SIZE)(storage.transfer_time)
slowdown = checked(size=_SIZE, bandwidth=_RATE, compute_time=Range(above=0.0))(out_of_core.slowdown)
graph_bytes = checked(scale=Range(least=0.0, most=1000.0), vertex_bytes=Range(above=0.0))(graph_search.graph_bytes)
