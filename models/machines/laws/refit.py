"""What a table of measured machines would change if the laws were fitted anew with it; nothing of the project changes.

Machines of the table take the place of those of the same name. Those of the blind test stay out, as do rows that say so
themselves (`fit`), and those of which no law's figure is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dse.models.machines.catalogue.catalogue import Machine
from dse.models.machines.laws.core_laws import observed_cores
from dse.models.machines.laws.laws import Laws, fit, fitted, observed
from dse.models.machines.laws.measured_shares import MeasuredShares, measured_shares

__all__ = ["Changed", "Refit", "refit"]

_LEAST = 5e-3  # of a share: what changes less is not told


@dataclass(frozen=True)
class Changed:
    """A constant of a law: its value by the project's laws (None: it has none), and with the table."""

    law: str
    of: str
    now: float | None
    then: float

    @property
    def change(self) -> float | None:
        """Relative change."""
        return None if self.now is None else self.then / self.now - 1.0


@dataclass(frozen=True)
class Refit:
    """Laws fitted anew with a table.

    Attributes
    ----------
    added, replaced, left_out : tuple of str
        Machines that the fit gets, that it has by other figures, and that it must not or cannot have.
    changed : tuple of Changed
        Constants that are not as they were, the power trend always.
    """

    added: tuple[str, ...]
    replaced: tuple[str, ...]
    left_out: tuple[str, ...]
    changed: tuple[Changed, ...]


def refit(machines: Sequence[Machine]) -> Refit | None:
    """Return what the laws would be with the machines of a table; None where none of them tells of a law.

    Parameters
    ----------
    machines : sequence of Machine

    Raises
    ------
    ValueError
        With them the scatter of machines and devices cannot be told apart, or a device is of two classes.
    """
    allowed = [machine for machine in machines if not machine.blind and not machine.fit]
    having = [shares for shares in measured_shares(allowed) if shares.rate is not None or shares.gradient is not None]
    names = {shares.machine.name for shares in having}
    if not names:
        return None
    accelerated = _with(observed(), [shares for shares in having if shares.machine.accelerated], names)
    # Cores stand in both tables: those of the first tell how much devices scatter, and what HPCG sustains.
    before = {shares.machine.name for shares in observed()}
    accelerated += [shares for shares in having if not shares.machine.accelerated and shares.machine.name in before]
    cores = _with(observed_cores(), [shares for shares in having if not shares.machine.accelerated], names)
    known = before | {shares.machine.name for shares in observed_cores()}
    return Refit(
        added=tuple(sorted(names - known)),
        replaced=tuple(sorted(names & known)),
        left_out=tuple(machine.name for machine in machines if machine.name not in names),
        changed=tuple(_changed(fitted(), fit(accelerated, cores))),
    )


def _with(before: Sequence[MeasuredShares], new: Sequence[MeasuredShares], names: set[str]) -> list[MeasuredShares]:
    return [*(shares for shares in before if shares.machine.name not in names), *new]


def _changed(now: Laws, then: Laws) -> Iterator[Changed]:
    for constant, trend in (("in 2020", "in_first_year"), ("a year", "slope")):
        shares = [math.exp(getattr(laws.cores.power, trend)) for laws in (now, then)]
        yield Changed("power over rated", f"no accelerator, {constant}", *shares)
    pairs = [("share of the peak", now.cores.rate[name], then.cores.rate[name]) for name in now.cores.rate]
    pairs += [
        ("share of the peak", now.rate, then.rate),
        ("share of the rated efficiency", now.efficiency, then.efficiency),
        ("share of the bandwidth in HPCG", now.gradient, then.gradient),
    ]
    for law, first, second in pairs:
        means = {name: own.mean for name, own in first.classes.items()}
        entries = [(name, means.get(name), own.mean) for name, own in second.classes.items()]
        for device, offset in second.devices.items():
            known = offset.device_class in first.classes
            before = first.value(offset.device_class, device) if known else None
            entries.append((device, before, second.value(offset.device_class, device)))
        changed = [Changed(law, of, _exp(before), math.exp(after)) for of, before, after in entries]
        yield from (entry for entry in changed if entry.change is None or abs(entry.change) > _LEAST)


def _exp(value: float | None) -> float | None:
    return None if value is None else math.exp(value)
