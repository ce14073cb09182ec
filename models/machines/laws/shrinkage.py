"""Means of classes with an offset for each device, drawn towards the class where few machines tell of the device.

A law of a figure y, such as the logarithm of a share of the peak rate: y = mean of the class + offset of the device,
with machines of one device scattered by ``within`` and devices of one class by ``between`` (standard deviations). The
offset of device d with n_d machines is the best linear predictor of one that is drawn at random:

    u_d = w_d (mean_d - μ_c),  w_d = n_d / (n_d + k),  μ_c = Σ w_d mean_d / Σ w_d,  k = within² / between²

within² and between² come from one-way analysis of variance, pooled over the classes. Searle, Casella, McCulloch,
*Variance Components*, Wiley, 1992, chapters 3 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["ClassLaw", "DeviceLaw", "Law", "shrunken"]


@dataclass(frozen=True)
class ClassLaw:
    """Mean of a class, the variance of it as an estimate, and how many machines and devices it rests on."""

    mean: float
    variance: float
    machines: int
    devices: int


@dataclass(frozen=True)
class DeviceLaw:
    """Offset of a device from the mean of its class, its standard error, and how many machines it rests on."""

    device_class: str
    offset: float
    standard_error: float
    machines: int


@dataclass(frozen=True)
class Law:
    """A law by class and device.

    Attributes
    ----------
    k : float
        within²/between²; infinite where devices differ by no more than their machines do, and all offsets are 0.
    within, between : float
        Standard deviations of machines of one device, and of devices of one class.
    classes : dict of str to ClassLaw
    devices : dict of str to DeviceLaw
    """

    k: float
    within: float
    between: float
    classes: dict[str, ClassLaw]
    devices: dict[str, DeviceLaw]

    def value(self, device_class: str, device: str) -> float:
        """Return what the law gives: of a device that machines have, the mean of its own class and its offset."""
        known = self.devices.get(device)
        return self.classes[known.device_class].mean + known.offset if known else self.classes[device_class].mean

    def standard_error(self, device_class: str, device: str) -> float:
        """Return the standard error of the device: without a machine, that of a new one of its class."""
        known = self.devices.get(device)
        if known:
            return known.standard_error
        return math.sqrt(self.between**2 + self.classes[device_class].variance)

    def scattered(self, within: float) -> Law:
        """Return the law with the same offsets and the errors of devices that another scatter of machines gives."""
        k = (within / self.between) ** 2 if self.between > 0.0 else math.inf
        devices = {
            name: replace(device_law, standard_error=self.between * math.sqrt(1.0 - _weight(device_law.machines, k)))
            for name, device_law in self.devices.items()
        }
        return replace(self, within=within, devices=devices)

    def machine_error(self, device_class: str, device: str) -> float:
        """Return the standard error of one more machine with the device."""
        return math.hypot(self.standard_error(device_class, device), self.within)


def shrunken(values: Sequence[float], classes: Sequence[str], devices: Sequence[str]) -> Law:
    """Fit a law.

    Parameters
    ----------
    values : sequence of float
        The figure of each machine.
    classes, devices : sequence of str
        Of each machine; a device is of one class.

    Returns
    -------
    Law

    Raises
    ------
    ValueError
        A device is of two classes. No device has two machines, or no class two devices: what machines and devices
        scatter by cannot be told.
    """
    groups: dict[str, dict[str, list[float]]] = {}
    of: dict[str, str] = {}
    for value, name, device in zip(values, classes, devices, strict=True):
        if of.setdefault(device, name) != name:
            raise ValueError(f"'{device}' is of two classes: {of[device]}, {name}")
        groups.setdefault(name, {}).setdefault(device, []).append(value)
    within, between = _variances(groups)
    k = within / between if between > 0.0 else math.inf
    device_laws: dict[str, DeviceLaw] = {}
    means: dict[str, ClassLaw] = {}
    for name, members in groups.items():
        means[name] = law = _class_law(members, k, within, max(between, 0.0))
        for device, own in members.items():
            weight = _weight(len(own), k)
            error = math.sqrt(max(between, 0.0) * (1.0 - weight))
            device_laws[device] = DeviceLaw(name, weight * (float(np.mean(own)) - law.mean), error, len(own))
    return Law(k, math.sqrt(within), math.sqrt(max(between, 0.0)), means, device_laws)


def _weight(machines: int, k: float) -> float:
    return 0.0 if math.isinf(k) else machines / (machines + k)


def _class_law(members: dict[str, list[float]], k: float, within: float, between: float) -> ClassLaw:
    counts = np.array([len(own) for own in members.values()], dtype=float)
    centres = np.array([np.mean(own) for own in members.values()])
    weights = counts if math.isinf(k) else counts / (counts + k)
    precision = float((1.0 / (between + within / counts)).sum()) if between + within > 0.0 else math.inf
    return ClassLaw(float((weights * centres).sum() / weights.sum()), 1.0 / precision, int(counts.sum()), len(counts))


def _variances(groups: dict[str, dict[str, list[float]]]) -> tuple[float, float]:
    """Return the variance of machines of one device and of devices of one class; the second may be negative."""
    machines = sum(len(own) for members in groups.values() for own in members.values())
    devices = sum(len(members) for members in groups.values())
    inside = sum(
        float(((np.array(x) - np.mean(x)) ** 2).sum()) for members in groups.values() for x in members.values()
    )
    among, effective = 0.0, 0.0
    for members in groups.values():
        values = np.concatenate([np.array(own) for own in members.values()])
        among += sum(len(own) * (float(np.mean(own)) - float(values.mean())) ** 2 for own in members.values())
        effective += len(values) - sum(len(own) ** 2 for own in members.values()) / len(values)
    if machines == devices or effective <= 0.0:
        raise ValueError("no device has two machines, or no class two devices")
    within = inside / (machines - devices)
    return within, (among - (devices - len(groups)) * within) / effective
