"""Cost of a training: a part of the machine by weights, or hours of devices by a price. No prices come with it."""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, parameter, quantity

__all__: list[str] = []

machine_cost = parameter(unit="1", doc="Cost of the machine, in the unit of its weights", minimum=0)
machine_life = assumption(
    5.0 * 365.25 * 86400.0, unit="s", source="ours: five years", doc="Time over which a machine is paid", above=0
)
device_hour_price = parameter(unit="EUR", doc="Price of a device for an hour", minimum=0)


@quantity(unit="1", source="ours: the machine over its life")
def training_cost_weight(machine_cost, training_time, machine_life):
    """Part of the cost of the machine that the training takes, in the weights of the machine."""
    return machine_cost * (training_time / machine_life)


@quantity(unit="EUR", source="ours: hours of devices")
def training_price(training_devices, training_time, device_hour_price):
    """Price of the training where devices are rented by the hour."""
    return training_devices * (training_time / 3600.0) * device_hour_price
