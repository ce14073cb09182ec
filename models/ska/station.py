"""Power of the digital pipeline of an SKA1-Low station: polyphase filter (PPF) and beam former (DBF), ASIC or FPGA.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), Eqs. 7.1 to 7.9. The
energies come as parameters, one technology per row of ``spaces/ska/station-technologies.csv``. It is a lower bound:
converters, chip-to-chip links, static logic power, refresh, cooling and calibration are left out. The FFT reads 8-bit
inputs and computes all butterflies on 16-bit operands, as the text says.

Two slots keep the printed form as default and offer the correction: ``fft_input_rate`` (Eq. 7.5) and
``memory_leakage`` (leakage per bank times banks).
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.sources import ANGHEL_2017

TABLE_7_1 = f"{ANGHEL_2017}, Table 7.1 (SKA1 re-baseline design)"
TEXT = f"{ANGHEL_2017}, Section 7.1.2"

# Operand widths, Section 7.1.2.1.
SAMPLE_BYTES = 1.0
COEFFICIENT_BYTES = 1.0
TWIDDLE_BYTES = 4.0
DELAY_BYTES = 2.0

antennas = assumption(256, unit="1", source=TABLE_7_1, doc="Antennas of a station", minimum=1, integer=True)
polarisations = assumption(2, unit="1", source=TABLE_7_1, doc="Polarisations of an antenna", minimum=1, integer=True)
sampling_rate = assumption(600e6, unit="Hz", source=TABLE_7_1, doc="Samples per second of an antenna", above=0)
taps = assumption(8, unit="1", source=TABLE_7_1, doc="Taps of a FIR filter", minimum=1, integer=True)
subbands = assumption(
    512, unit="1", source=TABLE_7_1, doc="Subbands of a FIR filter; half the inputs of the FFT", minimum=2, integer=True
)
beams = assumption(1, unit="1", source=TABLE_7_1, doc="Beams of a station", minimum=1, integer=True)
stations = assumption(
    512, unit="1", source=f"{ANGHEL_2017}, Section 7.1.2.3", doc="Stations of the instrument", minimum=1, integer=True
)
bank_leakage = assumption(
    1.5e-3,
    unit="W",
    source=f"{ANGHEL_2017}, Table 7.4: 48 mW over the 32 banks of the beam former (ASIC)",
    doc="Leakage of one 16 KiB bank; used by the component 'per-bank' only, give the FPGA its own (233 mW / 32)",
    minimum=0,
)
ppf_banks = assumption(
    2, unit="1", source=f"{TEXT}.2", doc="16 KiB banks of a polyphase filter", minimum=1, integer=True
)
dbf_banks = assumption(32, unit="1", source=f"{TEXT}.2", doc="16 KiB banks of the beam former", minimum=1, integer=True)

mac_energy_8bit = parameter(unit="J", doc="Energy of a multiply-accumulate on 8-bit operands", minimum=0)
mac_energy_16bit = parameter(unit="J", doc="Energy of a multiply-accumulate on 16-bit operands", minimum=0)
ppf_access_energy_8bit = parameter(unit="J", doc="Energy of an 8-bit access to the memory of a filter", minimum=0)
ppf_access_energy_32bit = parameter(unit="J", doc="Energy of a 32-bit access to the memory of a filter", minimum=0)
ppf_leakage = parameter(unit="W", doc="Leakage of the 32 KiB memory of a filter", minimum=0)
dbf_access_energy_16bit = parameter(
    unit="J", doc="Energy of a 16-bit access to the memory of the beam former", minimum=0
)
dbf_leakage = parameter(unit="W", doc="Leakage of the 512 KiB memory of the beam former", minimum=0)


@quantity(unit="1", source=f"{TEXT}: one filter per antenna and polarisation")
def filters(antennas, polarisations):
    """Polyphase filters of a station."""
    return antennas * polarisations


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 7.1")
def fir_power(filters, taps, mac_energy_8bit, sampling_rate):
    """Arithmetic power of the FIR filters, P_FIR."""
    return filters * taps * mac_energy_8bit * sampling_rate


@quantity(
    unit="1", source=f"{ANGHEL_2017}, Eq. 7.2: subbands/2 log2(subbands) butterflies of 4 MACs per 2 subbands samples"
)
def fft_macs_per_sample(subbands):
    """Real multiply-accumulates of a radix-2 FFT per sample, log2(subbands)."""
    return np.log2(subbands)


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 7.2")
def fft_power(filters, fft_macs_per_sample, mac_energy_16bit, sampling_rate):
    """Arithmetic power of the FFTs, P_FFT."""
    return filters * fft_macs_per_sample * mac_energy_16bit * sampling_rate


@quantity(
    unit="W",
    label="power of the polyphase filters",
    source=f"{ANGHEL_2017}, Eq. 7.3",
    sum_of=("fir_power", "fft_power"),
)
def ppf_power(fir_power, fft_power):
    """Arithmetic power of the polyphase filters, P_PPF."""
    return fir_power + fft_power


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 7.4")
def fir_memory_power(filters, taps, ppf_access_energy_8bit, sampling_rate):
    """Access power of the FIR memories, P_FIRMEM: a sample and a coefficient per tap."""
    return filters * taps * (2.0 * ppf_access_energy_8bit) * sampling_rate


@quantity(
    unit="W",
    name="fft_memory_power",
    source=f"{ANGHEL_2017}, Eq. 7.5 as printed",
    slot="fft_input_rate",
    provider="as-printed",
    default=True,
)
def printed_fft_memory_power(filters, ppf_access_energy_8bit, ppf_access_energy_32bit, sampling_rate):
    """Access power of the FFT memories, P_FFTMEM: inputs and twiddle factors both at half the sampling rate."""
    return filters * (ppf_access_energy_8bit + ppf_access_energy_32bit) * sampling_rate / 2.0


@quantity(
    unit="W",
    name="fft_memory_power",
    source=f"{ANGHEL_2017}, Eq. 7.5, corrected: 1,024 inputs per 1,024 samples are read, so inputs at the sampling "
    "rate",
    slot="fft_input_rate",
    provider="every-sample",
)
def full_rate_fft_memory_power(filters, ppf_access_energy_8bit, ppf_access_energy_32bit, sampling_rate):
    """Access power of the FFT memories, P_FFTMEM: inputs at the sampling rate, twiddle factors at half of it."""
    return filters * (ppf_access_energy_8bit + ppf_access_energy_32bit / 2.0) * sampling_rate


@quantity(
    unit="W",
    name="ppf_leakage_power",
    source=f"{ANGHEL_2017}, Eq. 7.6 (last term), leakages of Tables 7.4 and 7.5",
    slot="memory_leakage",
    provider="as-printed",
    default=True,
)
def printed_ppf_leakage_power(filters, ppf_leakage):
    """Leakage of the memories of all filters, with the tabulated leakage."""
    return filters * ppf_leakage


@quantity(
    unit="W",
    name="dbf_leakage_power",
    source=f"{ANGHEL_2017}, Eq. 7.8 (last term), leakages of Tables 7.4 and 7.5",
    slot="memory_leakage",
    provider="as-printed",
    default=True,
)
def printed_dbf_leakage_power(dbf_leakage):
    """Leakage of the memory of the beam former, with the tabulated leakage."""
    return dbf_leakage * 1.0


@quantity(
    unit="W",
    name="ppf_leakage_power",
    source=f"{ANGHEL_2017}, Section 7.1.2.2: leakage of a bank times banks; the tables differ from it by 2 for ASIC",
    slot="memory_leakage",
    provider="per-bank",
)
def banked_ppf_leakage_power(filters, ppf_banks, bank_leakage):
    """Leakage of the memories of all filters, bank by bank."""
    return filters * ppf_banks * bank_leakage


@quantity(
    unit="W",
    name="dbf_leakage_power",
    source=f"{ANGHEL_2017}, Section 7.1.2.2: leakage of a bank times banks",
    slot="memory_leakage",
    provider="per-bank",
)
def banked_dbf_leakage_power(dbf_banks, bank_leakage):
    """Leakage of the memory of the beam former, bank by bank."""
    return dbf_banks * bank_leakage


@quantity(
    unit="W", source=f"{ANGHEL_2017}, Eq. 7.6", sum_of=("fir_memory_power", "fft_memory_power", "ppf_leakage_power")
)
def ppf_memory_power(fir_memory_power, fft_memory_power, ppf_leakage_power):
    """Power of the memories of the polyphase filters, P_PPFMEM."""
    return fir_memory_power + fft_memory_power + ppf_leakage_power


@quantity(
    unit="B", source=f"{ANGHEL_2017}, Eq. 7.6: 8-bit samples and coefficients, 8-bit inputs, 2x16-bit twiddle factors"
)
def ppf_memory_size(taps, subbands):
    """Memory of one polyphase filter; its access energies and leakage are those of two 16 KiB banks."""
    fir = taps * 2.0 * subbands * (SAMPLE_BYTES + COEFFICIENT_BYTES)
    return fir + 2.0 * subbands * SAMPLE_BYTES + (subbands - 1.0) * TWIDDLE_BYTES


@quantity(unit="B", source=f"{ANGHEL_2017}, Eq. 7.8: a 2x8-bit delay per beam, subband, antenna and polarisation")
def dbf_memory_size(beams, subbands, filters):
    """Memory of the beam former; its access energy and leakage are those of 32 banks of 16 KiB."""
    return beams * subbands * filters * DELAY_BYTES


@quantity(unit="W", label="power of the beamformers", source=f"{ANGHEL_2017}, Eq. 7.7")
def dbf_power(beams, filters, mac_energy_8bit, sampling_rate):
    """Arithmetic power of the beam former, P_DBF: a complex multiply-accumulate is four real ones."""
    return beams * filters * 4.0 * mac_energy_8bit * sampling_rate / 2.0


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 7.8 (first term)")
def dbf_access_power(beams, filters, dbf_access_energy_16bit, sampling_rate):
    """Access power of the beam former: one delay read per complex multiply-accumulate."""
    return beams * filters * dbf_access_energy_16bit * sampling_rate / 2.0


@quantity(unit="W", source=f"{ANGHEL_2017}, Eq. 7.8", sum_of=("dbf_access_power", "dbf_leakage_power"))
def dbf_memory_power(dbf_access_power, dbf_leakage_power):
    """Power of the memory of the beam former, P_DBFMEM."""
    return dbf_access_power + dbf_leakage_power


@quantity(
    unit="W",
    source=f"{ANGHEL_2017}, Eq. 7.9",
    sum_of=("ppf_power", "ppf_memory_power", "dbf_power", "dbf_memory_power"),
)
def station_power(ppf_power, ppf_memory_power, dbf_power, dbf_memory_power):
    """Power of the digital pipeline of a station, P_station; a lower bound."""
    return ppf_power + ppf_memory_power + dbf_power + dbf_memory_power


@quantity(unit="1", source=f"share of the terms of {ANGHEL_2017}, Eq. 7.9")
def memory_share(ppf_memory_power, dbf_memory_power, station_power):
    """Share of the memories in the power of a station; the rest is arithmetic."""
    return (ppf_memory_power + dbf_memory_power) / station_power


@quantity(unit="W", source=f"{ANGHEL_2017}, Section 7.1.2.3")
def instrument_power(station_power, stations):
    """Power of the station pipelines of the whole instrument."""
    return station_power * stations
