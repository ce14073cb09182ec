"""Classes of machines, and what each sustains of its peak rate, bandwidth and rated power.

A machine with accelerators is of one class, whether their host is in their package or beside them. Machines without
are of two: narrow cores run HPL at the clock their peak rate is listed for, wide ones (more than 12 operations per
cycle, units of 256 bits and more with fused multiply-add) mostly do not. The constants were fitted once, by
`dse.models.machines.fitting`, on one half of the machines (`train_test_split`); they are no property of any one
machine.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declaration import assumption, quantity

__all__ = ["FITTED", "LARGEST_NARROW"]

FITTED = "fitted on the training half of spaces/machines/systems.csv (dse validate machines)"

LARGEST_NARROW = 12.0
"""Operations per core and cycle up to which a core is narrow: 8 are, 16 are not."""

narrow_core_peak_share = assumption(
    0.9121,
    unit="1",
    source=FITTED,
    doc="Share of their peak rate that narrow cores sustain in products of matrices",
    above=0,
    maximum=1,
)
wide_core_peak_share = assumption(
    0.7419,
    unit="1",
    source=f"{FITTED}: one machine (confidence low)",
    doc="Share of their peak rate that wide cores sustain in products of matrices",
    above=0,
    maximum=1,
)
accelerator_peak_share = assumption(
    0.7506,
    unit="1",
    source=FITTED,
    doc="Share of their peak rate that accelerators with their hosts sustain in products of matrices",
    above=0,
    maximum=1,
)
processor_power_share = assumption(
    1.288,
    unit="1",
    source=FITTED,
    doc="Power at HPL over the rated power of processors, memory and network of a machine without accelerators",
    above=0,
)
accelerator_power_share = assumption(
    0.966,
    unit="1",
    source=FITTED,
    doc="Power at HPL over the rated power of devices, hosts and network of a machine with accelerators",
    above=0,
)
gradient_bandwidth_share = assumption(
    0.6404,
    unit="1",
    source=FITTED,
    doc="Share of the peak bandwidth of their memory that nodes sustain in HPCG",
    above=0,
    maximum=1.5,
)


@quantity(unit="1", name="linpack_peak_share", source=FITTED, slot="node_class", provider="real-machine")
def machine_peak_share(
    accelerated,
    machine_core_operations,
    narrow_core_peak_share,
    wide_core_peak_share,
    accelerator_peak_share,
):
    """Share of their peak rate that nodes sustain in products of matrices, by class of machine."""
    cores = np.where(machine_core_operations > LARGEST_NARROW, wide_core_peak_share, narrow_core_peak_share)
    return np.where(accelerated > 0.0, accelerator_peak_share, cores)


@quantity(
    unit="1", name="conjugate_gradient_bandwidth_share", source=FITTED, slot="node_class", provider="real-machine"
)
def machine_bandwidth_share(gradient_bandwidth_share):
    """Share of the peak bandwidth of their memory that nodes sustain in HPCG."""
    return gradient_bandwidth_share * 1.0


@quantity(unit="1", source=FITTED, slot="node_class", provider="real-machine")
def machine_power_share(accelerated, processor_power_share, accelerator_power_share):
    """Power at HPL over rated power, by class of machine."""
    return np.where(accelerated > 0.0, accelerator_power_share, processor_power_share)
