"""Correlator of SKA1-Low in dedicated hardware: power of its arithmetic, ASIC or FPGA.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), Section 7.1.3. Every
pair of stations is multiplied and accumulated at each sample, for every pair of polarisations. The thesis gives no
memory model, so this is the arithmetic alone, a lower bound; `memory_cube_power` is that of a published accelerator.

Two slots have the printed form beside the correction: ``complex_mac`` (a complex multiply-accumulate is four real ones,
as in Eq. 7.7 of the same thesis, and was counted as one) and ``baselines`` (``ordered`` counts each pair of stations
twice, as printed; ``unique`` once, with each station's own).
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.ska.station import beams, polarisations, sampling_rate, stations, subbands
from dse.models.sources import ANGHEL_2017

__all__ = ["beams", "polarisations", "sampling_rate", "stations", "subbands"]

TEXT = f"{ANGHEL_2017}, Section 7.1.3"

mac_energy_32bit = parameter(unit="J", doc="Energy of a multiply-accumulate on 32-bit operands", minimum=0)
memory_cube_subband_power = assumption(
    9.62,
    unit="W",
    source=f"an accelerator with a memory cube, as {TEXT} quotes it",
    doc="Power of that accelerator for one subband",
    minimum=0,
)


@quantity(unit="1", source=TEXT, slot="baselines", provider="ordered", default=True, name="station_pairs")
def ordered_station_pairs(stations):
    """Pairs of stations, in both orders."""
    return stations * stations


@quantity(
    unit="1",
    source="ours: the product of a pair in the other order is its conjugate",
    slot="baselines",
    provider="unique",
    name="station_pairs",
)
def unique_station_pairs(stations):
    """Pairs of stations, each once, with every station and itself."""
    return stations * (stations + 1.0) / 2.0


@quantity(unit="Hz", source=f"{TEXT}: half the sampling rate, as samples of the subbands are complex")
def correlation_rate(station_pairs, polarisations, beams, sampling_rate):
    """Complex multiply-accumulates per second, R."""
    return station_pairs * polarisations**2 * beams * sampling_rate / 2.0


@quantity(
    unit="J",
    source=f"{ANGHEL_2017}, Eq. 7.7: four real multiply-accumulates ({TEXT} counts one)",
    slot="complex_mac",
    provider="four-real",
    default=True,
    name="complex_mac_energy",
)
def four_real_complex_mac_energy(mac_energy_32bit):
    """Energy of a complex multiply-accumulate."""
    return 4.0 * mac_energy_32bit


@quantity(unit="J", source=f"{TEXT} as printed", slot="complex_mac", provider="as-printed", name="complex_mac_energy")
def printed_complex_mac_energy(mac_energy_32bit):
    """Energy of a complex multiply-accumulate, taken for a real one."""
    return mac_energy_32bit * 1.0


@quantity(unit="W", source=TEXT)
def correlator_power(correlation_rate, complex_mac_energy):
    """Power of the arithmetic of the correlator; a lower bound."""
    return correlation_rate * complex_mac_energy


@quantity(unit="W", source=f"quoted in {TEXT}")
def memory_cube_power(subbands, memory_cube_subband_power):
    """Power of accelerators with memory cubes for all subbands, a published design."""
    return subbands * memory_cube_subband_power
