"""What limits instructions per cycle whatever the window: dispatch and bandwidth; and the cost of branches.

All results are cycles per instruction.
"""

from __future__ import annotations

import numpy as np

from dse.models.processor.ratios import per_unit

__all__ = ["bandwidth_bound", "branch_cycles", "dispatch_bound", "misprediction_rate", "stalled_cycles"]


def stalled_cycles(full_window_cycles, queue_stalls, buffer_stalls):
    """Cycles per instruction with the stalls of a full window."""
    return full_window_cycles + queue_stalls + buffer_stalls


def dispatch_bound(dispatch_width, core_share):
    """Cycles per instruction that the dispatch width allows."""
    return core_share / dispatch_width


def bandwidth_bound(accesses, bytes_per_access, bandwidth_Bps, f_core_hz):
    """Cycles per instruction that the bandwidth [B/s] to a level allows, f F b / B."""
    return per_unit(f_core_hz * accesses * bytes_per_access, bandwidth_Bps)


def misprediction_rate(branch_miss_estimate, branch_factor, most):
    """Mispredictions per control operation: the estimate of the profile times a factor fitted to the machine.

    Parameters
    ----------
    most : float
        Limit: 0.5, a guess, or infinite as published.
    """
    return np.minimum(branch_miss_estimate * branch_factor, most)


def branch_cycles(control_fraction, misprediction_rate, front_pipe, core_share, issue_queue_share, steady_cycles):
    """Cycles per instruction lost to mispredictions: refilling the front end and draining the issue queue.

    Parameters
    ----------
    steady_cycles : float or array
        Cycles per instruction without mispredictions, 1/i2.
    """
    lost = front_pipe / core_share + issue_queue_share * steady_cycles
    return control_fraction * misprediction_rate * lost
