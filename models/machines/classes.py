"""What machines sustain of their peak rate, bandwidth and rated efficiency: by class, and by device beside it.

A machine with accelerators is of one class, whether their host is in their package or beside them. Machines without
are of two in their rate: narrow cores run HPL at the clock their peak rate is listed for, wide ones (more than 12
operations per cycle, units of 256 bits and more with fused multiply-add) mostly do not. In power they are one.

Each share is the mean of the class times a factor of the device. Laws are of the rate and of the *efficiency*, which is
rate over power: machines with one device run it at points of their own, fast or saving, and rate and power move
together while their ratio hardly does. So the share of the rated power is that of the peak rate over that of the rated
efficiency; where no machine tells of the efficiency of a device, it is the mean of the class. All were fitted on
``spaces/machines/systems.csv`` (`dse.models.machines.laws.laws`); none is a property of any one machine.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity

__all__ = ["CLASSES", "FITTED", "LARGEST_NARROW", "class_of", "power_share"]

FITTED = "fitted on spaces/machines/systems.csv (dse validate machines)"
_BY_DEVICE = (
    "a column of spaces/machines/devices.csv, fitted on spaces/machines/systems.csv; 1, the mean of the class, where "
    "no machine has the device or the catalogue no such column"
)

LARGEST_NARROW = 12.0
"""Operations per core and cycle up to which a core is narrow: 8 are, 16 are not."""

narrow_core_peak_share = assumption(
    0.8697,
    unit="1",
    source=FITTED,
    doc="Share of their peak rate that narrow cores sustain in products of matrices",
    above=0,
    maximum=1,
)
wide_core_peak_share = assumption(
    0.8042,
    unit="1",
    source=FITTED,
    doc="Share of their peak rate that wide cores sustain in products of matrices",
    above=0,
    maximum=1,
)
accelerator_peak_share = assumption(
    0.7141,
    unit="1",
    source=FITTED,
    doc="Share of the catalogue's peak rate that accelerators with their hosts sustain in products of matrices",
    above=0,
    maximum=1,
)
processor_efficiency_share = assumption(
    0.6650,
    unit="1",
    source=FITTED,
    doc="Share of their rated efficiency, peak rate over rated power, of machines without accelerators at HPL",
    above=0,
)
accelerator_efficiency_share = assumption(
    0.7004,
    unit="1",
    source=FITTED,
    doc="Share of their rated efficiency, peak rate over rated power, of machines with accelerators at HPL",
    above=0,
)
processor_power_share = assumption(
    1.3426,
    unit="1",
    source=FITTED,
    doc="Power at HPL over the rated power of processors, memory and network where no machine has the processor",
    above=0,
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


@quantity(unit="1", name="linpack_peak_share", source=FITTED, slot="node_class", provider="real-machine")
def machine_peak_share(
    accelerated,
    machine_core_operations,
    narrow_core_peak_share,
    wide_core_peak_share,
    accelerator_peak_share,
    device_peak_factor,
):
    """Share of their peak rate that nodes sustain in products of matrices: mean of the class times factor of device."""
    cores = np.where(machine_core_operations > LARGEST_NARROW, wide_core_peak_share, narrow_core_peak_share)
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
    processor_efficiency_share,
    accelerator_efficiency_share,
    device_efficiency_factor,
    device_measured_machines,
    processor_power_share,
    accelerator_power_share,
):
    """Power at HPL over rated power: share of the peak rate over that of the efficiency, else the mean of the class."""
    by_class = np.where(accelerated > 0.0, accelerator_power_share, processor_power_share)
    efficiency = np.where(accelerated > 0.0, accelerator_efficiency_share, processor_efficiency_share)
    return power_share(linpack_peak_share, efficiency * device_efficiency_factor, device_measured_machines, by_class)


def power_share(peak_share, efficiency_share, measured_machines, of_class):
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
