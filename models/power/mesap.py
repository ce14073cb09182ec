"""Power of DRAM from the currents of a data sheet: the MeSAP equations.

After Poddar et al. 2017 as the reference tool (IBM ExaBounds) has them, and Anghel 2017, Section 4.3.3. Pages are
closed after each burst, so every burst costs an activation and a precharge; ranks share the traffic equally. With
clock f_m, tau = 1/f_m, C = t f_m cycles, D devices of w bits and n bursts per rank:

    cycles active    = n (RAS + RP) * RAS/(RAS + RP) + refreshes (RFC - RP)
    cycles precharged = the rest
    energies         = n V (I4R - I3N) BL/r tau, n V (I0 - I3N) RAS tau, n V (I0 - I2N) RP tau, ...

Currents are per device; a rank has D of them. Published accuracy: STREAM on DDR4 26 % (Anghel 2017, Section 4.3.3).
Buffer chips, which larger machines have, are a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Range
from dse.errors import InputError
from dse.models.power.composition import Power

__all__ = ["IO_POWER", "DramDevice", "MesapPower", "busy_share", "mesap_power", "of_type"]

IO_POWER: dict[str, tuple[float, float]] = {
    "DDR2": (1.5e-3, 8.2e-3),
    "DDR3": (4.6e-3, 21.2e-3),
    "DDR4": (3.7e-3, 17.0e-3),
}
"""Power of a pin that is read and of one that is written (termination), W, by type; other types: none is known."""


@dataclass(frozen=True)
class DramDevice:
    """A DRAM device as its data sheet describes it; every field a number, or an array over designs.

    Attributes
    ----------
    clock : array_like
        Hz.
    devices_per_rank, width, transfers_per_clock, burst_length : array_like
        D, w (bits), r (2), BL.
    refresh_interval, refresh_cycles, active_cycles, precharge_cycles : array_like
        REFI, RFC, RAS, RP in clocks.
    idd0, idd2n, idd3n, idd4r, idd4w, idd5b : array_like
        Currents of one device, A.
    supply : array_like
        VDD, V.
    read_pin_power, write_pin_power : array_like
        Of `IO_POWER`, W.
    """

    clock: Any
    devices_per_rank: Any
    width: Any
    refresh_interval: Any
    refresh_cycles: Any
    active_cycles: Any
    precharge_cycles: Any
    idd0: Any
    idd2n: Any
    idd3n: Any
    idd4r: Any
    idd4w: Any
    idd5b: Any
    supply: Any
    read_pin_power: Any = 0.0
    write_pin_power: Any = 0.0
    transfers_per_clock: Any = 2.0
    burst_length: Any = 8.0

    @property
    def burst(self) -> Any:
        """Bytes of a burst of a rank."""
        return self.devices_per_rank * self.burst_length * self.width / 8.0


def of_type(device: DramDevice, kind: str) -> DramDevice:
    """Return a device with the power of the pins of a type; types that are not in `IO_POWER` get none."""
    read, write = IO_POWER.get(kind, (0.0, 0.0))
    return replace(device, read_pin_power=read, write_pin_power=write)


@dataclass(frozen=True)
class MesapPower:
    """Power of a whole memory in W, by cause.

    Attributes
    ----------
    read, write, activate, precharge, refresh : array_like
    active_standby, precharge_standby : array_like
        The static part.
    io, buffers : array_like
        Of the pins, and of buffer chips.
    """

    read: Any
    write: Any
    activate: Any
    precharge: Any
    refresh: Any
    active_standby: Any
    precharge_standby: Any
    io: Any
    buffers: Any

    @property
    def static(self) -> Any:
        """Standby, and the buffers."""
        return self.active_standby + self.precharge_standby + self.buffers

    @property
    def dynamic(self) -> Any:
        """Commands, refresh and pins."""
        return self.read + self.write + self.activate + self.precharge + self.refresh + self.io

    @property
    def total(self) -> Any:
        """All of it."""
        return self.static + self.dynamic

    @property
    def power(self) -> Power:
        """The two parts for a composition."""
        return Power(self.static, self.dynamic)


@dataclass(frozen=True)
class _Cycles:
    total: Any
    refreshes: Any
    left: Any
    wanted: Any


def _cycles(device: DramDevice, bursts: Any, duration: Any, refreshes: str) -> _Cycles:
    total = duration * device.clock
    count = total / device.refresh_interval
    if refreshes == "whole":
        count = np.floor(count)
    left = total - count * (device.refresh_cycles + device.precharge_cycles)
    return _Cycles(total, count, left, bursts * (device.active_cycles + device.precharge_cycles))


def busy_share(
    device: DramDevice, *, bytes_read: Any, bytes_written: Any, duration: Any, ranks: Any, refreshes: str = "whole"
) -> Any:
    """Cycles the ranks need over those refresh leaves them; above 1 the memory cannot serve the demand.

    Parameters are those of `mesap_power`. A study can constrain it: ``busy_share <= 1``.
    """
    bursts = (bytes_read + bytes_written) / device.burst / ranks
    cycles = _cycles(device, bursts, duration, refreshes)
    return cycles.wanted / cycles.left


def mesap_power(
    device: DramDevice,
    *,
    bytes_read: Any,
    bytes_written: Any,
    duration: Any,
    ranks: Any,
    buffer_power: Any = 0.0,
    refreshes: str = "whole",
    io: str = "corrected",
    over_demand: str = "error",
) -> MesapPower:
    """Mean power of a memory over a run.

    Parameters
    ----------
    device : DramDevice
    bytes_read, bytes_written : array_like
        Of the whole memory during the run, B.
    duration : array_like
        s.
    ranks : array_like
        DIMMs times ranks per DIMM.
    buffer_power : array_like
        Of all buffer chips together, W; the published model has none and is too low on machines with buffers.
    refreshes : {"whole", "mean"}
        Whole: completed ones, floor(C / REFI), as published. Mean: C / REFI, which is smooth.
    io : {"corrected", "published"}
        Published: without the factor 8/w, so right for devices of 8 bits only.
    over_demand : {"error", "saturate"}
        What happens when the ranks would need more cycles than there are. Saturate: the active time stops growing, as
        published, and the power is too low.

    Returns
    -------
    MesapPower

    Raises
    ------
    InputError
        More traffic than the memory can serve (see `busy_share`).

    Notes
    -----
    Plain arithmetic, which takes ranges; the check of the demand is made at points only.
    """
    for name, value, options in (
        ("refreshes", refreshes, ("whole", "mean")),
        ("io", io, ("corrected", "published")),
        ("over_demand", over_demand, ("error", "saturate")),
    ):
        if value not in options:
            raise InputError(f"{name} is '{value}'", key=name, allowed=options)
    d, tau = device, 1.0 / device.clock
    reads, writes = bytes_read / d.burst / ranks, bytes_written / d.burst / ranks
    bursts = reads + writes
    cycles = _cycles(d, bursts, duration, refreshes)
    if over_demand == "error":
        _refuse_demand(cycles)
    active = np.minimum(cycles.wanted, cycles.left)
    idle = cycles.left - active
    page = d.active_cycles + d.precharge_cycles
    opened = active * (d.active_cycles / page) + cycles.refreshes * (d.refresh_cycles - d.precharge_cycles)
    closed = active * (d.precharge_cycles / page) + idle + 2.0 * cycles.refreshes * d.precharge_cycles
    transfer = d.burst_length / d.transfers_per_clock * tau
    scale = d.devices_per_rank * ranks * d.supply / duration
    pins = (8.0 / d.width if io == "corrected" else 1.0) * (tau / d.transfers_per_clock) / duration
    return MesapPower(
        read=scale * (reads * (d.idd4r - d.idd3n) * transfer),
        write=scale * (writes * (d.idd4w - d.idd3n) * transfer),
        activate=scale * (bursts * (d.idd0 - d.idd3n) * d.active_cycles * tau),
        precharge=scale * (bursts * (d.idd0 - d.idd2n) * d.precharge_cycles * tau),
        refresh=scale * (cycles.refreshes * (d.idd5b - d.idd3n) * d.refresh_cycles * tau),
        active_standby=scale * (opened * d.idd3n * tau),
        precharge_standby=scale * (closed * d.idd2n * tau),
        io=pins * (bytes_read * d.read_pin_power * (9.0 * d.width / 8.0))
        + pins * (bytes_written * d.write_pin_power * (5.0 * d.width / 4.0)),
        buffers=buffer_power + 0.0 * duration,
    )


def _refuse_demand(cycles: _Cycles) -> None:
    if isinstance(cycles.wanted, Range) or isinstance(cycles.left, Range):
        return
    share = np.asarray(cycles.wanted / cycles.left)
    wrong = ~(share <= 1.0 + 1e-12)
    if wrong.any():
        raise InputError(
            f"the ranks would need {share[wrong].flat[0]:.3g} times the cycles there are: the traffic is more than "
            "this memory can carry",
            allowed="less traffic, more ranks or a longer run (busy_share <= 1)",
        )
