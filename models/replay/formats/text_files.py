"""Text of a trace: one file, or a list of files, one for each rank."""

from __future__ import annotations

from pathlib import Path

from dse.errors import InputError, shown

__all__ = ["texts_of"]

_LARGEST_LIST = 1 << 20


def texts_of(data: bytes, folder: Path | None, largest: int) -> list[tuple[str, str]]:
    """Return the texts of a trace, each with the name of its file, for messages.

    Parameters
    ----------
    data : bytes
        A text, or a list of file names: one on each line.
    folder : Path, optional
        Where these files are; a list from a stranger reaches no other folder.
    largest : int
        Most bytes of all files together.
    """
    text = _decoded(data)
    names = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not names or any(len(name.split()) > 1 for name in names):
        return [("", text)]
    if len(names) > _LARGEST_LIST:
        raise InputError(f"a list of {len(names):,} files", allowed=f"at most {_LARGEST_LIST:,}")
    texts = []
    for name in names:
        inside = folder is not None and name == Path(name).name and name not in (".", "..")
        place = folder / name if folder is not None else Path(name)
        if not inside or place.is_symlink() or not place.is_file():
            raise InputError(
                f"{shown(name)} is neither an action nor a file beside this one",
                allowed="lines such as '0 send 1 0 1000', or one file name for each rank",
                wrong=name,
                candidates=[other.name for other in folder.glob("*")] if folder is not None else [],
            )
        largest -= place.stat().st_size
        if largest < 0:
            raise InputError("the files of the list are too large together", allowed="less in all")
        texts.append((f"{name} ", _decoded(place.read_bytes())))
    return texts


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", allowed="a time-independent trace") from None
