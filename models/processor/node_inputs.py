"""What a study gives a node: the program's profile, the core, its caches and the memory.

Latencies of level 3 and of the memory are times, not cycles, so a sweep of the clock does not make them shorter.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, document_parameter, parameter
from dse.models.sources import ANGHEL_2017
from dse.models.workload.profile.reading import read_profile

__all__ = ["PARAMETER_OF"]

_TOOL = f"the Xeons of {ANGHEL_2017}, Table 4.2 (a Cortex-A15 has other latencies)"

profile = document_parameter(read=read_profile, doc="Workload profile of one thread (docs/guide/processors.md)")

frequency = parameter(unit="Hz", doc="Clock of the cores", above=0)
cores = parameter(unit="1", doc="Cores of the node that share level 3 and the memory", minimum=1, integer=True)
threads = parameter(unit="1", doc="Threads that run the program, one per core", minimum=1, integer=True)

issue_width = parameter(unit="1", doc="Instructions issued per cycle", above=0)
dispatch_width = parameter(unit="1", doc="Instructions dispatched per cycle", above=0)
integer_units = parameter(unit="1", doc="Integer units of a core", minimum=0)
float_units = parameter(unit="1", doc="Floating-point units of a core", minimum=0)
memory_units = parameter(unit="1", doc="Load and store units of a core", minimum=0)
control_units = parameter(unit="1", doc="Branch units of a core", minimum=0)
vector_units = parameter(unit="1", doc="Vector units of a core", minimum=0)
vector_width = parameter(unit="1", doc="Width of the vector units in bits; 0: all is scalar", minimum=0)
front_end_stages = parameter(unit="1", doc="Stages of the front end, refilled after a misprediction", minimum=0)
reorder_buffer = parameter(unit="1", doc="Entries of the reorder buffer", minimum=0)
issue_queue = parameter(unit="1", doc="Entries of the issue queue", minimum=0)
miss_registers = parameter(unit="1", doc="Miss status holding registers of the first level", above=0)

integer_latency = assumption(1, unit="1", source=_TOOL, doc="Cycles of an integer operation", minimum=0)
integer_multiply_latency = assumption(3, unit="1", source=_TOOL, doc="Cycles of an integer multiplication", minimum=0)
integer_divide_latency = assumption(18, unit="1", source=_TOOL, doc="Cycles of an integer division", minimum=0)
float_latency = assumption(3, unit="1", source=_TOOL, doc="Cycles of a floating-point operation", minimum=0)
float_multiply_latency = assumption(
    5, unit="1", source=_TOOL, doc="Cycles of a floating-point multiplication", minimum=0
)
float_divide_latency = assumption(10, unit="1", source=_TOOL, doc="Cycles of a floating-point division", minimum=0)

l1_size = parameter(unit="B", doc="Level 1 data cache of a core", minimum=0)
l2_size = parameter(unit="B", label="level 2 cache", doc="Level 2 cache of a core; 0: none", minimum=0)
l3_size = parameter(unit="B", label="level 3 cache", doc="Level 3 cache shared by the cores; 0: none", minimum=0)
cache_line = assumption(
    64, unit="B", source=f"{ANGHEL_2017}, Table 4.2: all machines", doc="Line of every level", above=0
)
l1_latency_cycles = parameter(unit="1", doc="Cycles of an access to level 1", minimum=0)
l2_latency_cycles = parameter(unit="1", doc="Cycles of an access that level 2 answers, from the core", minimum=0)
l3_latency = parameter(unit="s", doc="Time of an access that level 3 answers, from the core", minimum=0)
dram_latency = parameter(unit="s", doc="Time of an access that the memory answers, from the core", minimum=0)
l1_bandwidth = parameter(unit="B/s", doc="Bandwidth between a core and its first caches", above=0)
l3_bandwidth = parameter(unit="B/s", doc="Bandwidth between the private caches of a core and level 3", above=0)
dram_bandwidth = parameter(unit="B/s", doc="Bandwidth of the memory of all cores", above=0)
l2_exclusive = assumption(
    0,
    unit="1",
    source="ours: level 2 of the machines modelled holds what level 1 holds (the published tool takes 1)",
    doc="1 where level 2 holds only what level 1 does not",
    minimum=0,
    maximum=1,
    integer=True,
)
branch_factor = assumption(
    1.0,
    unit="1",
    source="ours: uncalibrated; 1.71 was fitted to Haswell by the published tool",
    doc="Mispredictions of the machine over the estimate of the profile",
    minimum=0,
)

PARAMETER_OF: dict[str, str] = {
    "frequency": "f_core_hz",
    "cores": "cores",
    "issue_width": "issue_width",
    "dispatch_width": "dispatch_width",
    "integer_units": "fu_int",
    "float_units": "fu_fp",
    "memory_units": "fu_mem",
    "control_units": "fu_control",
    "vector_units": "fu_vector",
    "vector_width": "vector_bits",
    "integer_latency": "t_int",
    "integer_multiply_latency": "t_int_mul",
    "integer_divide_latency": "t_int_div",
    "float_latency": "t_fp",
    "float_multiply_latency": "t_fp_mul",
    "float_divide_latency": "t_fp_div",
    "front_end_stages": "front_pipe",
    "reorder_buffer": "rob",
    "issue_queue": "issue_queue",
    "miss_registers": "mshr",
    "l1_size": "l1_size_bytes",
    "l2_size": "l2_size_bytes",
    "l3_size": "l3_size_bytes",
    "l1_latency_cycles": "l1_latency",
    "l2_latency_cycles": "l2_latency",
    "l3_latency": "l3_latency_s",
    "dram_latency": "dram_latency_s",
    "l1_bandwidth": "bw_l1_Bps",
    "l3_bandwidth": "bw_l3_Bps",
    "dram_bandwidth": "dram_bandwidth_Bps",
    "l2_exclusive": "l2_inclusion",
    "branch_factor": "branch_factor",
}
"""Quantities of a study, and the parameters of `machine.PARAMETERS` they are."""
