"""Shares of real machines and the laws of them, written anew: sums over machines, roots by Brent's method."""

import csv
import math
from collections import defaultdict
from functools import cache
from statistics import fmean

import numpy as np
from scipy.optimize import brentq

from dse.models.machines.catalogue.catalogue import catalogue, later_machines

from .tables import TABLE

# Names as people call them, kept apart from the rule of the project that reads them out of the table.
DEVICES = {
    "El Capitan": "MI300A",
    "Tuolumne": "MI300A",
    "Frontier": "MI250X",
    "HPC6": "MI250X",
    "Aurora": "GPU Max 1550",
    "JUPITER Booster": "GH200",
    "Alps": "GH200",
    "Eagle (Azure)": "H100",
    "MareNostrum 5 ACC": "H100",
    "Summit": "V100",
    "Sierra": "V100",
    "Perlmutter": "A100",
    "Selene": "A100",
    "Tianhe-2A": "Matrix-2000",
    "Piz Daint": "P100",
    "Titan": "K20X",
    "Fugaku": "A64FX",
    "Magnus": "Xeon E5-2690 v3",
    "Sunway TaihuLight": "SW26010",
    "Sequoia": "PowerPC A2",
    "Mira": "PowerPC A2",
    "K computer": "SPARC64 VIIIfx",
    "MareNostrum III": "Xeon E5-2670",
}
WIDE = {"A64FX", "Xeon E5-2690 v3"}
LAWS = ("rate", "efficiency", "power", "hpcg")
KEPT = {"A64FX", "SW26010", "PowerPC A2", "SPARC64 VIIIfx", "Xeon E5-2670", "ThunderX2 CN9975"}
VENDORS = ("Fujitsu ", "IBM ", "Intel ", "AMD ", "Sunway ")
BLIND = "LineShine"


def catalogue_rates():
    """Peak rates of devices.csv [1/s], by the name that machines use."""
    lines = TABLE.with_name("devices.csv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["device_model"]: 1e12 * float(row["device_flop_rate [Tflop/s]"]) for row in rows}


def node_rate(machine, device):
    """The base of shares: the catalogue's rate of the devices, else the peak of the list over its nodes."""
    rate = catalogue_rates().get(device)
    return machine.peak_flop_rate / machine.listed_nodes if rate is None else machine.devices * rate


def linpack_rate(machine, share, device=None):
    """HPL by the published form, written anew."""
    network = machine.network
    peak = node_rate(machine, device or DEVICES[machine.name])
    n = math.sqrt(0.8 * machine.nodes * machine.memory_capacity / 8)
    side = math.sqrt(machine.nodes)
    compute = 2 * n**3 / (3 * machine.nodes * peak * share)
    exchange = 16 * n**2 / side * network.taper / machine.injection_bandwidth
    exchange += 3e-6 * n * (257 * math.log2(side) + side) / 256
    return 2 / 3 * n**3 / (compute + exchange - 0.9 * min(compute, exchange))


def rated_power(machine):
    """Rated powers, with a network of 772, 253 and 180 pJ per byte, and 140 of memory outside the packages."""
    watts = machine.processors * machine.processor_power + machine.devices * machine.device_power
    network = machine.network
    watts += (
        machine.injection_bandwidth
        * 1e-12
        * (772 * network.adapters + 253 * network.switch_ports + 180 * network.optical_ends)
    )
    if not machine.accelerated and machine.memory_bandwidth < 10 * machine.memory_capacity:
        watts += 140e-12 * machine.memory_bandwidth
    return machine.nodes * watts


def power(machine, share):
    return share * rated_power(machine)


def gradient_rate(machine, share):
    """HPCG by rows of 27 entries, written anew."""
    unknowns = 0.25 * machine.memory_capacity / 364
    sweep = 324 * unknowns / (machine.memory_bandwidth * share)
    faces = 48 * unknowns ** (2 / 3) / machine.injection_bandwidth + 18e-6
    sums = 9e-6 * math.ceil(math.log2(machine.gradient_nodes))
    return 54 * unknowns * machine.gradient_nodes / (sweep + faces + sums)


def shares(machines=None, devices=None):
    """Logarithms of what each machine was measured at, by law and machine."""
    devices = devices or DEVICES
    found = {law: {} for law in LAWS}
    for m in machines or catalogue():
        if m.name not in devices:
            continue
        whole = None not in (m.nodes, m.memory_capacity, m.injection_bandwidth)
        if whole and m.linpack_flop_rate:
            found["rate"][m.name] = math.log(
                brentq(
                    lambda s, m=m: linpack_rate(m, s, devices[m.name]) / m.linpack_flop_rate - 1, 1e-3, 50, xtol=1e-13
                )
            )
        if m.power and None not in (m.nodes, m.processor_power, m.device_power, m.injection_bandwidth):
            found["power"][m.name] = math.log(m.power / rated_power(m))
        if m.name in found["rate"] and m.name in found["power"]:
            found["efficiency"][m.name] = found["rate"][m.name] - found["power"][m.name]
        if whole and m.gradient_flop_rate:
            found["hpcg"][m.name] = math.log(
                brentq(lambda s, m=m: gradient_rate(m, s) / m.gradient_flop_rate - 1, 1e-3, 50, xtol=1e-13)
            )
    return found


def class_of(law, name):
    """The class of a machine in a law."""
    machine = {m.name: m for m in catalogue()}[name]
    if law == "hpcg":
        return "all machines"
    if machine.accelerated:
        return "accelerator"
    if law == "rate":
        return "wide cores" if DEVICES[name] in WIDE else "narrow cores"
    return "no accelerator"


class Law:
    """Class means and offsets of devices by one-way analysis of variance, sums written out."""

    def __init__(self, values, device_of, class_of):
        by_device, by_class = defaultdict(list), defaultdict(list)
        kind = {}
        for name, value in values.items():
            by_device[device_of[name]].append(value)
            by_class[class_of(name)].append(value)
            kind[device_of[name]] = class_of(name)
        within = sum((y - fmean(ys)) ** 2 for ys in by_device.values() for y in ys)
        self.within = within / (len(values) - len(by_device))
        between = (
            sum(len(ys) * (fmean(ys) - fmean(by_class[kind[device]])) ** 2 for device, ys in by_device.items())
            - (len(by_device) - len(by_class)) * self.within
        )
        sizes = 0.0
        for c, ys in by_class.items():
            counted = [len(v) for device, v in by_device.items() if kind[device] == c]
            sizes += len(ys) - sum(n * n for n in counted) / len(ys)
        self.between = between / sizes
        self.k = self.within / self.between if self.between > 0 else math.inf
        none = self.between <= 0
        self.between = max(self.between, 0.0)
        weight = {device: len(ys) / (1 if none else len(ys) + self.k) for device, ys in by_device.items()}
        self.mean, self.variance = {}, {}
        for c in by_class:
            ours = [device for device in by_device if kind[device] == c]
            self.mean[c] = sum(weight[d] * fmean(by_device[d]) for d in ours) / sum(weight[d] for d in ours)
            self.variance[c] = 1 / sum(1 / (self.between + self.within / len(by_device[d])) for d in ours)
        self.offset = {d: 0.0 if none else weight[d] * (fmean(ys) - self.mean[kind[d]]) for d, ys in by_device.items()}
        self.device_mean = {d: fmean(ys) for d, ys in by_device.items()}
        self.class_mean = {c: fmean(ys) for c, ys in by_class.items()}
        self.kind, self.machines = kind, {d: len(ys) for d, ys in by_device.items()}


def laws(found, without=(), device_of=None):
    """The four laws of shares, without some machines."""
    device_of = device_of or DEVICES
    return {
        law: Law(
            {name: y for name, y in found[law].items() if name not in without},
            device_of,
            lambda name, law=law: class_of(law, name),
        )
        for law in LAWS
    }


def predicted(fitted, device, classes, kind="law"):
    """Shares of a machine by fitted laws; `kind`: "law", "class" means or "device" means.

    Parameters
    ----------
    fitted : dict of str to Law
    device : str
    classes : dict of str to str
        The class of the machine in each law.
    """

    def one(law):
        if kind == "class":
            return fitted[law].class_mean[classes[law]]
        if device not in fitted[law].offset:
            return fitted[law].mean[classes[law]] if kind == "law" else fitted[law].class_mean[classes[law]]
        if kind == "device":
            return fitted[law].device_mean[device]
        return fitted[law].mean[classes[law]] + fitted[law].offset[device]

    rate, efficiency = one("rate"), one("efficiency")
    if kind == "class" or device not in fitted["efficiency"].offset:
        power = one("power")
        efficiency = rate - power if kind == "law" else efficiency
    else:
        power = rate - efficiency
    return {"rate": rate, "power": power, "efficiency": efficiency, "hpcg": one("hpcg")}


@cache
def core_machines():
    """Machines without accelerators of both tables, by name."""
    return {m.name: m for m in (*catalogue(), *later_machines()) if not m.devices and m.name != BLIND}


@cache
def core_devices():
    """What their processors are called."""
    called = {name: m.processor_model for name, m in core_machines().items()}
    for vendor in VENDORS:
        called = {name: model.removeprefix(vendor) for name, model in called.items()}
    return {name: model.removesuffix(" (2.2 GHz)") for name, model in called.items()}


@cache
def core_shares():
    """Measured shares of machines without accelerators."""
    return shares(core_machines().values(), core_devices())


def clock_class(name):
    """Whether the processors of a machine keep their clock."""
    return "clock kept" if core_devices()[name] in KEPT else "clock falls"


def core_laws(found, without=()):
    """Laws of machines without accelerators: each class of clocks by itself, power by a line and what is left."""
    devices, machines = core_devices(), core_machines()
    rates = {}
    for of in ("clock kept", "clock falls"):
        values = {n: y for n, y in found["rate"].items() if n not in without and clock_class(n) == of}
        rates[of] = Law(values, devices, clock_class)
    powers = {n: y for n, y in found["power"].items() if n not in without}
    design = np.array([[1.0, machines[n].year - 2020] for n in powers])
    slope = np.linalg.lstsq(design, np.array(list(powers.values())))[0][1]
    left = Law({n: y - slope * (machines[n].year - 2020) for n, y in powers.items()}, devices, lambda name: "all")
    return {"rate": rates, "slope": slope, "power": left}


def core_predicted(found, name, kind="law", without=()):
    """Shares of a machine without accelerators by laws of machines without it."""
    device, year, fitted = core_devices()[name], core_machines()[name].year, core_laws(found, without)
    rate, power = fitted["rate"][clock_class(name)], fitted["power"]
    others = {law: {n: y for n, y in found[law].items() if n not in without} for law in ("rate", "power", "efficiency")}
    both = {n: others["power"][n] for n in others["efficiency"]}
    if kind == "law":
        h = rate.mean[clock_class(name)] + rate.offset.get(device, 0.0)
        p = max(power.mean["all"] + power.offset.get(device, 0.0) + fitted["slope"] * (min(year, 2026) - 2020), 0.0)
        return {"rate": h, "power": p, "efficiency": h - p}
    result = {}
    alike = {n: y for n, y in others["rate"].items() if clock_class(n) == clock_class(name)}
    for law, values in (("rate", alike), ("power", both), ("efficiency", others["efficiency"])):
        same = [y for n, y in values.items() if core_devices()[n] == device]
        result[law] = fmean(same if kind == "device" and same else values.values())
    return result


def left_out(found, kind="law"):
    """Relative errors of the share of each machine by laws fitted without it, by law and machine."""
    errors = {law: {} for law in LAWS}
    cores = core_shares()
    for name in found["rate"]:
        classes = {law: class_of(law, name) for law in LAWS}
        given = predicted(laws(found, without={name}), DEVICES[name], classes, kind)
        if name in core_machines():
            given |= core_predicted(cores, name, kind, without={name})
        for law in LAWS:
            if name in found[law]:
                errors[law][name] = math.expm1(given[law] - found[law][name])
    return errors


def known(found, law, name):
    """Whether another machine with this one's device has what the law needs."""
    if law != "hpcg" and name in core_machines():
        needed = core_shares()["rate" if law == "rate" else "power"]
        return any(other != name and core_devices()[other] == core_devices()[name] for other in needed)
    needed = found["efficiency"] if law in ("power", "efficiency") else found[law]
    return any(other != name and DEVICES[other] == DEVICES[name] for other in needed)


def year_slope(powers):
    """Slope of ln(power over rated power) by the year within classes, and its standard error: normal equations."""
    machines = {m.name: m for m in catalogue()}
    names = list(powers)
    classes = sorted({class_of("power", name) for name in names})
    design = np.array([[*(class_of("power", n) == c for c in classes), machines[n].year - 2000] for n in names], float)
    y = np.array([powers[name] for name in names])
    solution = np.linalg.solve(design.T @ design, design.T @ y)
    residual = y - design @ solution
    variance = residual @ residual / (len(names) - len(classes) - 1)
    return solution[-1], math.sqrt(variance * np.linalg.inv(design.T @ design)[-1, -1])


def power_check(powers, device):
    """Deviation of a device from a law of its class and the year that does not know it, and two standard errors."""
    machines = {m.name: m for m in catalogue()}
    others = {name: y for name, y in powers.items() if DEVICES[name] != device}
    slope, _ = year_slope(others)
    law = Law(
        {name: y - slope * machines[name].year for name, y in others.items()},
        DEVICES,
        lambda name: class_of("power", name),
    )
    own = [name for name in powers if DEVICES[name] == device]
    mean = fmean(powers[name] - slope * machines[name].year for name in own)
    bound = 2 * math.sqrt(law.between + law.within / len(own))
    return mean - law.mean[class_of("power", own[0])], bound


def size_slope(rates, size, without=()):
    """Slope of ln(share) by a function of the number of nodes within devices, with dummies, and its standard error."""
    machines = {m.name: m for m in catalogue()}
    names = [name for name in rates if DEVICES[name] not in without]
    devices = sorted({DEVICES[name] for name in names})
    design = np.array([[*(DEVICES[n] == d for d in devices), size(machines[n].nodes)] for n in names], float)
    y = np.array([rates[name] for name in names])
    solution = np.linalg.lstsq(design, y)[0]
    residual = y - design @ solution
    variance = residual @ residual / (len(names) - len(devices) - 1)
    return solution[-1], math.sqrt(variance * np.linalg.inv(design.T @ design)[-1, -1])
