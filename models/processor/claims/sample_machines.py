"""Machines of the published examples: Anghel 2017, Tables 4.2 and 4.3; configurations of IBM ExaBounds (2017)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["MACHINES"]

KIB, MIB, GIB = 1024.0, 1024.0**2, 1024.0**3

_INTEL = {
    **{"fu_fp": 2, "fu_mem": 2, "dispatch_width": 4, "front_pipe": 7, "mshr": 10},
    **{"t_int": 1, "t_int_mul": 3, "t_int_div": 18, "t_fp": 3, "t_fp_mul": 5, "t_fp_div": 10},
    **{"l1_size_bytes": 32 * KIB, "l2_size_bytes": 256 * KIB, "l1_latency": 4, "l2_latency": 12},
    **{"l1_line_bytes": 64, "l2_line_bytes": 64, "l3_line_bytes": 64, "l1_ways": 8, "l2_ways": 8, "l3_ways": 16},
}
_HASWELL = {**_INTEL, "issue_width": 8, "fu_int": 4, "fu_control": 2, "fu_vector": 2, "vector_bits": 256, "rob": 192}
_HASWELL |= {"issue_queue": 60}
_SANDY_BRIDGE = {**_INTEL, "issue_width": 6, "fu_int": 3, "fu_control": 1, "rob": 168, "issue_queue": 54}
_NO_L2 = {"l2_size_bytes": 0, "l2_latency": 0}

MACHINES: Mapping[str, Mapping[str, Any]] = {
    "Xeon E5-2697 v3": {
        **_HASWELL,
        **{"f_core_hz": 2.6e9, "cores": 14, "l3_size_bytes": 35 * MIB, "l3_latency": 36, "dram_latency": 217},
        **{"bw_l1_Bps": 160 * GIB, "bw_l3_Bps": 40 * GIB, "dram_bandwidth_Bps": 6.41024e10},
    },
    "Xeon E5-2690": {
        **_SANDY_BRIDGE,
        **{"f_core_hz": 2.9e9, "cores": 8, "l3_size_bytes": 20 * MIB, "l3_latency": 28, "dram_latency": 190},
        **{"bw_l1_Bps": 86 * GIB, "bw_l3_Bps": 86 * GIB, "dram_bandwidth_Bps": 5.49756e10},
    },
    "Xeon E5-2697 v2": {
        **_SANDY_BRIDGE,
        **{"f_core_hz": 2.7e9, "cores": 12, "l3_size_bytes": 30 * MIB, "l3_latency": 30, "dram_latency": 217},
        **{"bw_l1_Bps": 80 * GIB, "bw_l3_Bps": 80 * GIB, "dram_bandwidth_Bps": 6.41024e10},
    },
    "Cortex-A15 (Tegra K1)": {
        **{**_SANDY_BRIDGE, **_NO_L2, "issue_width": 8, "dispatch_width": 3, "front_pipe": 12, "mshr": 16},
        **{"t_int_mul": 4, "t_int_div": 25, "t_fp": 4, "t_fp_div": 25, "rob": 128, "issue_queue": 64, "l1_ways": 2},
        **{"f_core_hz": 2.3e9, "cores": 4, "l3_size_bytes": 2 * MIB, "l3_latency": 21, "dram_latency": 274},
        **{"bw_l1_Bps": 137 * GIB, "bw_l3_Bps": 137 * GIB, "dram_bandwidth_Bps": 1.8253611e10},
    },
    "T4240": {
        **{**_NO_L2, "issue_width": 7, "dispatch_width": 2, "front_pipe": 3, "rob": 16, "issue_queue": 19, "mshr": 8},
        **{"fu_int": 2, "fu_fp": 1, "fu_mem": 1, "fu_control": 1, "fu_vector": 1, "vector_bits": 128},
        **{"t_int": 1, "t_int_mul": 5, "t_int_div": 16, "t_fp": 7, "t_fp_mul": 7, "t_fp_div": 35},
        **{"l1_size_bytes": 32 * KIB, "l1_latency": 3, "l1_line_bytes": 64, "l2_line_bytes": 0, "l3_line_bytes": 64},
        **{"l1_ways": 8, "l2_ways": 0, "l3_ways": 16},
        **{"f_core_hz": 1.67e9, "cores": 12, "l3_size_bytes": 6 * MIB, "l3_latency": 40, "dram_latency": 240},
        **{"bw_l1_Bps": 1.06837e11, "bw_l3_Bps": 1.06837e11, "dram_bandwidth_Bps": 4.4775e10},
    },
    "SDP big": {
        **{**_HASWELL, "mshr": 16},
        **{"f_core_hz": 2.8e9, "cores": 4, "l3_size_bytes": 16 * MIB, "l3_latency": 42, "dram_latency": 222},
        **{"bw_l1_Bps": 180 * GIB, "bw_l3_Bps": 40 * GIB, "dram_bandwidth_Bps": 8.589934592e10},
    },
    "SDP little": {
        **{**_HASWELL, **_NO_L2, "issue_width": 6, "dispatch_width": 3, "fu_int": 3, "fu_control": 1, "rob": 128},
        **{"f_core_hz": 2.0e9, "cores": 4, "l3_size_bytes": 2 * MIB, "l3_latency": 21, "dram_latency": 201},
        **{"bw_l1_Bps": 130 * GIB, "bw_l3_Bps": 40 * GIB, "dram_bandwidth_Bps": 8.589934592e10},
    },
}
"""Parameters by machine; the vectors of those that state none are left out."""
