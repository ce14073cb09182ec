"""What machines sustain of their peak rate, bandwidth and rated efficiency: by class, and by device beside it.

A machine with accelerators is of one class, whether their host is in their package or beside them. Each share is the
mean of the class times a factor of the device. Laws are of the rate and of the *efficiency*, which is rate over power:
machines with one device run it at points of their own, fast or saving, and rate and power move together while their
ratio hardly does. So the share of the rated power is that of the peak rate over that of the rated efficiency; where no
machine tells of the efficiency of a device, it is the mean of the class.

Machines without accelerators are of two classes in their rate: processors that keep the clock of their peak rate under
load (fixed clocks, narrow units) and those whose clock falls. In power they are one, whose share of the rated power
falls by the year: p = p(2020) exp(-0.0215 (year - 2020)), as it is in 2026 thereafter, and never below 1.

All were fitted on ``spaces/machines`` (`dse.models.machines.laws`); none is a property of any one machine.
"""

from __future__ import annotations

import re

import numpy as np

from dse.authoring.declare.declaration import LawError, assumption, quantity

__all__ = ["CLASSES", "CLOCKS", "FIRST_YEAR", "FITTED", "LARGEST_NARROW", "LAST_YEAR"]
__all__ += ["class_of", "cores_share", "keeps_clock", "power_share"]

FITTED = "fitted on spaces/machines/systems.csv (dse validate machines)"
_BY_DEVICE = (
    "a column of spaces/machines/devices.csv, fitted on spaces/machines/systems.csv; 1, the mean of the class, where "
    "no machine has the device or the catalogue no such column"
)

LARGEST_NARROW = 12.0
"""Operations per core and cycle up to which a core is narrow: 8 are, 16 are not."""

CLOCKS = ("clock kept", "clock falls")
"""Classes of machines without accelerators in the law of their rate."""

FIRST_YEAR, LAST_YEAR = 2020.0, 2026.0
"""The year that the power of machines without accelerators counts from, and the one after which it stays."""

_FIXED_CLOCKS = ("A64FX", "LX2", "SW26010", "SW26010-Pro", "PowerPC A2", "SPARC64", "Vector Engine")
_FITTED_CORES = "fitted on spaces/machines/systems.csv and machines-2026.csv (dse validate machines)"

kept_clock_peak_share = assumption(
    0.8570,
    unit="1",
    source=_FITTED_CORES,
    doc="Share of their peak rate that processors sustain in products of matrices whose clock is kept under load",
    above=0,
    maximum=1.5,
    law_error=LawError(
        0.06,
        "rate of machines without accelerators",
        ("linpack_peak_share",),
        "9 machines of 7 processors that keep their clock",
    ),
)
falling_clock_peak_share = assumption(
    0.7542,
    unit="1",
    source=_FITTED_CORES,
    doc="Share of their peak rate that processors sustain in products of matrices whose clock falls under load",
    above=0,
    maximum=1.5,
)
accelerator_peak_share = assumption(
    0.7141,
    unit="1",
    source=FITTED,
    doc="Share of the catalogue's peak rate that accelerators with their hosts sustain in products of matrices",
    above=0,
    maximum=1,
)
accelerator_efficiency_share = assumption(
    0.7004,
    unit="1",
    source=FITTED,
    doc="Share of their rated efficiency, peak rate over rated power, of machines with accelerators at HPL",
    above=0,
)
processor_power_share = assumption(
    1.2286,
    unit="1",
    source=_FITTED_CORES,
    doc="Power at HPL over the rated power of processors, memory and network of machines without accelerators in 2020",
    above=0,
)
processor_power_trend = assumption(
    -0.0215,
    unit="1",
    source=f"{_FITTED_CORES}: 2.15 ± 0.62 % a year",
    doc="Change of its logarithm by the year, from 2020 to 2026",
    signed=True,
)
least_power_share = assumption(
    1.0,
    unit="1",
    source="ours: what is rated is drawn",
    doc="Least power at HPL over rated power of machines without accelerators by the law",
    minimum=0,
)
processor_power_factor = assumption(
    1.0,
    unit="1",
    source="the law as it is fitted",
    doc="Power at HPL of machines without accelerators over what the law gives",
    above=0,
    law_error=LawError(
        0.14, "power of machines without accelerators", ("machine_power_share",), "40 machines, scatter about the law"
    ),
)
construction_year = assumption(
    2026.0,
    unit="1",
    source="ours: a machine that is ordered now",
    doc="Year a machine of these nodes is built",
    minimum=1940,
)
accelerator_power_share = assumption(
    1.0043,
    unit="1",
    source=FITTED,
    doc="Power at HPL over the rated power of devices, hosts and network where no machine has the device",
    above=0,
)
gradient_bandwidth_share = assumption(
    0.5848,
    unit="1",
    source=FITTED,
    doc="Share of the peak bandwidth of their memory that nodes sustain in HPCG",
    above=0,
    maximum=1.5,
)

device_peak_factor = assumption(
    1.0, unit="1", source=_BY_DEVICE, doc="Share of the peak rate over the mean of the class of a device", above=0
)
device_efficiency_factor = assumption(
    1.0,
    unit="1",
    source=_BY_DEVICE,
    doc="Share of the rated efficiency over the mean of the class of a device",
    above=0,
)
device_gradient_factor = assumption(
    1.0, unit="1", source=_BY_DEVICE, doc="Share of the bandwidth in HPCG over the mean of all machines", above=0
)
device_measured_machines = assumption(
    0.0,
    unit="1",
    source=_BY_DEVICE.replace("1, the mean of the class,", "0, power by class,"),
    doc="Machines whose measured rate and power the efficiency of a device rests on; 0: its power is by class",
    minimum=0,
)


CLASSES = ("accelerator", "wide cores", "narrow cores")
"""Classes of the law of the rate; efficiency and power know the first and the others together."""


def class_of(accelerated: bool, core_operations: float) -> str:
    """Return the class of a machine in the law of the rate, one of `CLASSES`."""
    if accelerated:
        return "accelerator"
    return "wide cores" if core_operations > LARGEST_NARROW else "narrow cores"


def keeps_clock(processor: str, core_operations: float | None) -> bool:
    """Return whether a processor keeps the clock of its peak rate under load: a fixed clock, or narrow units."""
    fixed = any(re.search(rf"(?<!\w){re.escape(name)}", processor) for name in _FIXED_CLOCKS)
    return fixed or (core_operations is not None and core_operations <= LARGEST_NARROW)


@quantity(unit="1", name="linpack_peak_share", source=FITTED, slot="node_class", provider="real-machine")
def machine_peak_share(
    accelerated,
    machine_clock_kept,
    kept_clock_peak_share,
    falling_clock_peak_share,
    accelerator_peak_share,
    device_peak_factor,
):
    """Share of their peak rate that nodes sustain in products of matrices: mean of the class times factor of device."""
    cores = np.where(machine_clock_kept > 0.0, kept_clock_peak_share, falling_clock_peak_share)
    return np.where(accelerated > 0.0, accelerator_peak_share, cores) * device_peak_factor


@quantity(
    unit="1", name="conjugate_gradient_bandwidth_share", source=FITTED, slot="node_class", provider="real-machine"
)
def machine_bandwidth_share(gradient_bandwidth_share, device_gradient_factor):
    """Share of the peak bandwidth of their memory that nodes sustain in HPCG."""
    return gradient_bandwidth_share * device_gradient_factor


@quantity(unit="1", source=FITTED, slot="node_class", provider="real-machine")
def machine_power_share(
    linpack_peak_share,
    accelerated,
    accelerator_efficiency_share,
    device_efficiency_factor,
    device_measured_machines,
    accelerator_power_share,
    machine_year,
    processor_power_share,
    processor_power_trend,
    least_power_share,
    processor_power_factor,
):
    """Power at HPL over rated power: with accelerators by the efficiency of the device, without by the year."""
    efficiency = accelerator_efficiency_share * device_efficiency_factor
    devices = power_share(linpack_peak_share, efficiency, device_measured_machines, accelerator_power_share)
    cores = cores_share(machine_year, processor_power_share, processor_power_trend, least_power_share)
    return np.where(accelerated > 0.0, devices, cores * processor_power_factor)


def cores_share(year: np.ndarray, in_first_year: np.ndarray, trend: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return power at HPL over rated power of machines without accelerators.

    Parameters
    ----------
    year : array_like
        When they are built; after `LAST_YEAR` it stays as it was then.
    in_first_year, trend, least : array_like
        The share in `FIRST_YEAR`, the change of its logarithm by the year, what it never falls below.
    """
    share = in_first_year * np.exp(trend * (np.minimum(year, LAST_YEAR) - FIRST_YEAR))
    result: np.ndarray = np.maximum(share, least)
    return result


def power_share(
    peak_share: np.ndarray, efficiency_share: np.ndarray, measured_machines: np.ndarray, of_class: np.ndarray
) -> np.ndarray:
    """Return power at HPL over rated power, P/P_r = (R/R_r) / ((R/P)/(R_r/P_r)); of the class where none was measured.

    Parameters
    ----------
    peak_share, efficiency_share : array_like
        Shares of the rated rate R_r and of the rated efficiency R_r/P_r.
    measured_machines : array_like
        Machines whose measured rate and power the share of the efficiency rests on.
    of_class : array_like
        What machines of the class draw on average.
    """
    return np.where(measured_machines > 0.0, peak_share / efficiency_share, of_class)
