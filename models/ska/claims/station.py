"""Published figures of the SKA1-Low station beside what the model gives. Its inputs are published: true checks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.ska.claims.designs import part, station

__all__ = ["station_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "ska.station")
PARTS: tuple[str, ...] = (
    "fir_power",
    "fft_power",
    "fir_memory_power",
    "fft_memory_power",
    "ppf_leakage_power",
    "dbf_power",
    "dbf_memory_power",
    "station_power",
)


def station_claims() -> list[Claim]:
    """Return every published figure of the station, with what the model gives."""
    return [*_station(), *_station_shape(), *_station_printed()]


def _station() -> list[Claim]:
    claims = []
    for name in (f"{platform} {node} nm" for platform in ("ASIC", "FPGA") for node in (90, 22, 14)):
        claims.append(FIGURES.claim(f"{name}: FIR, FFT, …, total power", station(name, *PARTS)))
    for name in (f"{platform} {node} nm" for node in (14, 32) for platform in ("ASIC", "FPGA")):
        single, all_stations = station(name, "station_power", "instrument_power")
        claims.append(FIGURES.claim(f"{name}: power of a station", single))
        claims.append(FIGURES.claim(f"{name}: power of 512 stations", all_stations))
    for node in (14, 32, 90):
        computed = station(f"FPGA {node} nm")[0] / station(f"ASIC {node} nm")[0]
        claims.append(FIGURES.claim(f"FPGA over ASIC at {node} nm", computed))
    for name in ("ASIC 32 nm", "FPGA 32 nm"):
        claims.append(FIGURES.claim(f"{name}: power with the 22 nm arithmetic energies", station(name)[0]))
    exact = {
        **part("station-technologies", "FPGA 14 nm"),
        "mac_energy_8bit": 7 * 9.6e-12 * 0.83 / 16,
        "mac_energy_16bit": 7 * 9.6e-12 * 0.83 / 4,
        "ppf_access_energy_8bit": 0.8 * 3.2e-12,
        "ppf_access_energy_32bit": 0.8 * 12.8e-12,
        "dbf_access_energy_16bit": 0.8 * 18.6e-12,
    }
    title = "FPGA 14 nm: power with untruncated energies"
    claims.append(FIGURES.claim(title, station(exact)[0]))
    arithmetic, total = (
        sum(station("ASIC 32 nm", *names)) for names in (("ppf_power", "dbf_power"), ("station_power",))
    )
    needed = 1.0 + (FIGURES.value("ASIC 32 nm: power of a station") - total) / arithmetic
    title = "ASIC 32 nm: factor on the 22 nm arithmetic energy that gives 37 W"
    claims.append(FIGURES.claim(title, needed))
    return claims


def _station_shape() -> list[Claim]:
    asic, fpga = (
        {name: dict(zip(PARTS, station(name, *PARTS), strict=True)) for name in names} for names in _BY_PLATFORM
    )
    new_asic, new_fpga = asic["ASIC 14 nm"], fpga["FPGA 14 nm"]
    computed = {
        "ASIC 14 nm: share of memory": station("ASIC 14 nm", "memory_share")[0],
        "ASIC 14 nm: share of FIR reads": new_asic["fir_memory_power"] / new_asic["station_power"],
        "FPGA 14 nm: share of arithmetic": 1.0 - station("FPGA 14 nm", "memory_share")[0],
        "FPGA 14 nm: share of the FFT": new_fpga["fft_power"] / new_fpga["station_power"],
        "ASIC: 90 nm over 14 nm": asic["ASIC 90 nm"]["station_power"] / new_asic["station_power"],
        "FPGA: 90 nm over 14 nm": fpga["FPGA 90 nm"]["station_power"] / new_fpga["station_power"],
    }
    return [FIGURES.claim(title, value) for title, value in computed.items()]


_BY_PLATFORM = (("ASIC 90 nm", "ASIC 14 nm"), ("FPGA 90 nm", "FPGA 14 nm"))


def _station_printed() -> list[Claim]:
    """Sizes, counts and the flags on printed forms."""
    ppf, dbf = station("ASIC 14 nm", "ppf_memory_size", "dbf_memory_size")
    printed, corrected = (
        station("ASIC 14 nm", use={"fft_input_rate": form})[0] for form in ("as-printed", "every-sample")
    )
    (macs,) = station("ASIC 14 nm", "fft_macs_per_sample")
    butterflies = 512 / 2 * np.log2(512)
    leakage = part("station-technologies", "ASIC 14 nm")
    banks = leakage["dbf_leakage"] / 32, leakage["ppf_leakage"] / 2
    return [
        FIGURES.claim("memory of a polyphase filter", ppf),
        FIGURES.claim("memory of the beam former", dbf),
        FIGURES.claim("both forms of Eq. 7.2, MACs per sample", macs, butterflies * 4 / (2 * 512)),
        FIGURES.claim("ASIC 14 nm: power added when the FFT reads every sample", corrected - printed),
        FIGURES.claim("ASIC 14 nm: leakage of a bank, beam former and filter", banks, (banks[0], banks[0])),
    ]
