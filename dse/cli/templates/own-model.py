"""Disks: time to read data, power and capacity of many disks that are read at once. Figures made up, to start from."""

from dse import assumption, parameter, quantity

# What the functions read and the study gives: a unit (SI), what it means, what is allowed.
disks = parameter(unit="1", doc="Disks that are read at once", minimum=1, integer=True)
disk_bandwidth = parameter(unit="B/s", doc="Bandwidth of a disk", above=0)
data = parameter(unit="B", doc="Data to be read", above=0)

# What has a default: with unit and source, so that every report lists it. A study sets another value under [set].
disk_capacity = assumption(20e12, unit="B", source="made up", doc="Capacity of a disk", above=0)
idle_power = assumption(5.0, unit="W", source="made up", doc="Power of a disk at rest", minimum=0)
transfer_energy = assumption(1e-8, unit="J/B", source="made up", doc="Energy of a byte that is read", minimum=0)


# A function gives the quantity of its name from those of its arguments. Plain NumPy on arrays: no loops, no `if`
# (numpy.where instead), nothing changed in place. Everything is SI: seconds, bytes, watts.
@quantity(unit="s", source="bytes over bandwidth")
def read_time(data, disks, disk_bandwidth):
    """Time to read the data once, from all disks at once."""
    return data / (disks * disk_bandwidth)


# sum_of tells that a quantity is a sum of others: `dse explain` and the page show where the power goes.
@quantity(unit="W", source="rest and transfer", sum_of=("rest_power", "transfer_power"))
def power(rest_power, transfer_power):
    """Power while the data is read."""
    return rest_power + transfer_power


@quantity(unit="W", source="disks times their power at rest")
def rest_power(disks, idle_power):
    """Power of all disks at rest."""
    return disks * idle_power


@quantity(unit="W", source="energy of a byte times bytes in a second")
def transfer_power(disks, disk_bandwidth, transfer_energy):
    """Power of reading."""
    return disks * disk_bandwidth * transfer_energy


@quantity(unit="B", source="disks times their capacity")
def capacity(disks, disk_capacity):
    """Capacity of all disks."""
    return disks * disk_capacity
