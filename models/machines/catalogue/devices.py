"""The accelerators of ``spaces/machines/devices.csv``, and which of them a machine has.

Laws of real machines and designs mean the same peak rate of a device by this: that of the catalogue, whatever clock or
matrix unit a list counts.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from dse.authoring.table import Table, read_table

__all__ = ["catalogued", "device_flop_rate", "device_name", "device_power", "devices"]

_VENDORS = ("amd", "fujitsu", "ibm", "intel", "nvidia", "sunway")
_OTHER = "custom"  # what a maker built for one machine is no row of the catalogue


@cache
def devices() -> Table:
    """Return the catalogue."""
    return read_table(Path(str(files("dse.spaces"))) / "machines" / "devices.csv", name="spaces/machines/devices.csv")


def catalogued(model: str) -> int | None:
    """Return the row of the accelerator that a machine calls so, None where the catalogue has none.

    The row's ``device_model`` stands in the name as words of their own ("AMD MI300A APU"; "GH200" is no H200). A name
    with the word "custom" is none of the catalogue.
    """
    if _OTHER in model.casefold():
        return None
    for row, key in enumerate(devices()["device_model"]):
        if re.search(rf"(?<!\w){re.escape(str(key))}(?!\w)", model, re.IGNORECASE):
            return row
    return None


def device_flop_rate(model: str) -> float | None:
    """Return the catalogue's peak rate of the accelerator that a machine calls so [1/s], None where it has none."""
    row = catalogued(model)
    return None if row is None else float(devices()["device_flop_rate"][row])


def device_power(model: str) -> float | None:
    """Return the catalogue's rated power of the accelerator that a machine calls so [W], None where it has none."""
    row = catalogued(model)
    return None if row is None else float(devices()["device_power"][row])


def device_name(accelerator: str, processor: str) -> str:
    """Return what the laws call the device of a machine: its accelerator, or its processor where it has none.

    An accelerator of the catalogue is called as there, any other without the names of makers and without a
    clock: "P100" of "NVIDIA P100", "A64FX" of "A64FX (2.2 GHz)".
    """
    row = catalogued(accelerator) if accelerator else None
    if row is not None:
        return str(devices()["device_model"][row])
    words = re.sub(r"\(\d[\d.]* GHz\)", "", accelerator or processor).split()
    return " ".join(word for word in words if word.casefold() not in _VENDORS)
