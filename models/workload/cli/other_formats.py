"""Files of other tools that are no profiles: known by their content, with the command that takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from dse.errors import InputError

__all__ = ["OtherFormat", "kernels_of", "other_format", "write_kernels"]

_LARGEST = 200_000_000
_BEGIN = 1 << 16


class OtherFormat(NamedTuple):
    """What a file is, and what takes it.

    Attributes
    ----------
    what, ask : str
        "a trace (OTF2)", and the command with ``{file}`` in it.
    """

    what: str
    ask: str

    def command(self, file: str) -> str:
        """Return the command for a file."""
        return self.ask.format(file=file)


_TRACE = "dse trace profile {file} --merge PROFILE.json --out NEW.json, which puts its messages into a profile"
_LAWS = "dse fit {file}, a law for each call path"


def other_format(file: Path) -> OtherFormat | None:
    """Return what a file is, if another command takes it.

    Examples
    --------
    >>> other_format(Path("nothing")) is None
    True
    """
    from dse.models.measured_laws.tables.hpctoolkit.reading import database_in, is_hpctoolkit

    if file.is_dir():
        return OtherFormat("a database of HPCToolkit", _LAWS) if database_in(file) else None
    try:
        with file.open("rb") as opened:
            data = opened.read(_BEGIN)
    except OSError:
        return None  # reading it says why
    if data[2:6] == b"OTF2":
        return OtherFormat("a trace (OTF2)", _TRACE)
    if data.startswith(b"#Paraver "):
        return OtherFormat("a trace (Paraver)", _TRACE)
    if (data[257:262] == b"ustar" and b"anchor.xml" in data) or file.suffix == ".cubex":
        return OtherFormat("a Cube container", _LAWS)
    if data.startswith(b"PK\x03\x04"):
        return OtherFormat("an experiment of Extra-P", _LAWS)
    if is_hpctoolkit(data):
        return OtherFormat("a database of HPCToolkit", _LAWS)
    if file.suffix == ".et" or (b"schema" in data[:32] and b"chakra" in data[:64]):
        return OtherFormat("an execution trace of Chakra", _TRACE)
    if b"templated_functions" in data[:64]:
        return OtherFormat("a profile of TAU", _LAWS)
    return None


def kernels_of(file: Path) -> list[dict[str, Any]] | None:
    """Return the kernels of a device, if a file is CSV of Nsight Compute or rocprof."""
    from dse.models.workload.counters.device_kernels import is_kernel_table, read_kernels

    if file.suffix != ".csv" or not file.is_file() or file.stat().st_size > _LARGEST:
        return None
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    return read_kernels(text, str(file)) if is_kernel_table(text) else None


def write_kernels(kernels: list[dict[str, Any]], out: Path) -> None:
    """Write kernels as rows for a part axis of a study."""
    from dse.models.workload.counters.device_kernels import kernel_rows

    try:
        out.write_text(kernel_rows(kernels), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from None
