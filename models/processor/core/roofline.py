"""Roofline: performance against operations per byte, with one roof per memory level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.models.processor.core.ratios import until_used_up

__all__ = ["Roofline", "peak_float_rate", "roofline"]

SINGLE_PRECISION_BITS = 32.0


@dataclass(frozen=True, eq=False)
class Roofline:
    """Roofs over a program.

    Attributes
    ----------
    peak : float or array
        Of the units of one core [operation/s].
    intensities : dict of str to (float or array)
        Operations per byte moved at each level; infinite where nothing moves.
    roofs : dict of str to (float or array)
        Operations per second the peak ("peak") and each level allow.
    ridges : dict of str to (float or array)
        Operations per byte from which a level no longer limits.
    """

    peak: Any
    intensities: dict[str, Any]
    roofs: dict[str, Any]
    ridges: dict[str, Any]

    @property
    def attainable(self) -> Any:
        """The lowest roof [operation/s]."""
        lowest = self.peak
        for roof in self.roofs.values():
            lowest = np.minimum(lowest, roof)
        return lowest


def peak_float_rate(
    f_core_hz: np.ndarray, fu_fp: np.ndarray, fu_vector: np.ndarray, vector_bits: np.ndarray
) -> np.ndarray:
    """Floating-point operations per second of one core, single precision, one per lane and cycle (no fused ones)."""
    result: np.ndarray = f_core_hz * (fu_fp + fu_vector * vector_bits / SINGLE_PRECISION_BITS)
    return result


def roofline(
    float_operations: np.ndarray,
    bytes_moved: Mapping[str, np.ndarray],
    bandwidths_Bps: Mapping[str, np.ndarray],
    f_core_hz: np.ndarray,
    fu_fp: np.ndarray,
    fu_vector: np.ndarray,
    vector_bits: np.ndarray,
) -> Roofline:
    """Return the roofs over a program on one core.

    Parameters
    ----------
    float_operations : float or array
        Per instruction.
    bytes_moved : dict of str to (float or array)
        Per instruction, by level ("l1", "l3", "dram").
    bandwidths_Bps : dict of str to (float or array)
        Of the same levels, for one thread.
    f_core_hz, fu_fp, fu_vector, vector_bits : float or array
    """
    peak = peak_float_rate(f_core_hz, fu_fp, fu_vector, vector_bits)
    intensities = {level: until_used_up(float_operations, moved) for level, moved in bytes_moved.items()}
    roofs = {"peak": peak}
    for level, intensity in intensities.items():
        moving = np.not_equal(bytes_moved[level], 0.0)
        roofs[level] = np.where(moving, np.where(moving, intensity, 0.0) * bandwidths_Bps[level], np.inf)
    ridges = {level: peak / bandwidth for level, bandwidth in bandwidths_Bps.items()}
    return Roofline(peak, intensities, roofs, ridges)
