"""Ratio and speed of compressors on a user's own checkpoints: blocks of the files, in bounded time."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["BLOCK", "METHODS", "MeasuredCompressor", "measure_compression", "sampled_blocks"]

BLOCK = 1 << 20
"""Bytes of a block, as large as what compressors look back over at their usual levels."""

METHODS = ("lz4", "zstd 1", "zstd 3", "zstd 9", "zlib 6", "zfp reversible", "zfp relative")
"""Compressors, those that are installed are tried; zfp where the files hold floating-point values."""

_LEAST_BLOCKS = 2
_RELATIVE_BITS = {"float32": 17, "float64": 17}
_VALUES = {"": 1, "float32": 4, "float64": 8}


@dataclass(frozen=True)
class MeasuredCompressor:
    """A compressor on the blocks of some files.

    Attributes
    ----------
    name, kind : str
        Of `METHODS`; lossless or lossy.
    ratio : float
        Original over compressed bytes, of all blocks together.
    least, most : float
        The same of the blocks, their 5th and 95th percentile.
    compress_bandwidth, decompress_bandwidth : float
        Original bytes a second of processor time, one thread [B/s].
    blocks, bytes : int
        What was tried.
    error : str
        "exact", or the largest relative error that was seen.
    """

    name: str
    kind: str
    ratio: float
    least: float
    most: float
    compress_bandwidth: float
    decompress_bandwidth: float
    blocks: int
    bytes: int
    error: str


def sampled_blocks(files: Sequence[Path], block: int, count: int) -> list[tuple[Path, int, int]]:
    """Return places of blocks spread evenly over the bytes of all files: file, offset and length.

    Raises
    ------
    InputError
        A file that is not there, is none, or is empty.
    """
    sizes = []
    for file in files:
        if not file.exists():
            raise InputError("no such file", file=file)
        if not file.is_file():
            raise InputError("is no plain file", file=file, allowed="checkpoint files")
        size = file.stat().st_size
        if not size:
            raise InputError("is empty", file=file, allowed="a checkpoint")
        sizes.append(size)
    whole = [
        (file, offset, min(block, size - offset))
        for file, size in zip(files, sizes, strict=True)
        for offset in range(0, size, block)
    ]
    if len(whole) <= count:
        return whole
    return [whole[int(place)] for place in np.linspace(0, len(whole) - 1, count).round()]


def measure_compression(
    files: Sequence[Path], *, block: int = BLOCK, count: int = 64, budget: float = 20.0, values: str = ""
) -> tuple[list[MeasuredCompressor], list[str]]:
    """Try each compressor on blocks of files.

    Parameters
    ----------
    files : sequence of Path
    block : int
        Bytes of a block.
    count : int
        Most blocks, spread evenly over all bytes.
    budget : float
        Most seconds of processor time of all compressors together; each has an equal share, and two blocks at least.
    values : {"", "float32", "float64"}
        What the files hold, for compressors of floating-point values.

    Returns
    -------
    list of MeasuredCompressor
    list of str
        Compressors that were not tried, and why.
    """
    if values not in _VALUES:
        raise InputError(f"'{values}'", key="values", allowed=[name for name in _VALUES if name])
    width = _VALUES[values]
    block -= block % width
    if block <= 0:
        raise InputError(f"blocks of {block} bytes", key="block", allowed=f"{width} B or more")
    places = sampled_blocks(files, block, count)
    tried, notes = [], []
    methods = {}
    for name in METHODS:
        method = _method(name, values)
        if isinstance(method, str):
            notes.append(method)
        else:
            methods[name] = method
    share = budget / len(methods)
    for name, (compress, decompress, lossy) in methods.items():
        tried.append(_measured(name, compress, decompress, lossy, places, share, values))
    return tried, list(dict.fromkeys(notes))


_Method = tuple[Callable[[Any], bytes], Callable[[bytes], Any], bool]


def _method(name: str, values: str) -> _Method | str:
    """Return how to compress and decompress, and whether values change, or why it cannot be tried."""
    tool, _, setting = name.partition(" ")
    if tool == "zlib":
        return (lambda data: zlib.compress(data, int(setting))), zlib.decompress, False
    try:
        if tool == "lz4":
            import lz4.frame

            return lz4.frame.compress, lz4.frame.decompress, False
        if tool == "zstd":
            import zstandard

            compressor, decompressor = zstandard.ZstdCompressor(level=int(setting)), zstandard.ZstdDecompressor()
            return compressor.compress, decompressor.decompress, False
        if not values:
            return "zfp was not tried: say what the files hold by --values"
        import zfpy
    except ImportError:
        return f"{tool} was not tried: it is not installed"
    precision = -1 if setting == "reversible" else _RELATIVE_BITS[values]
    if precision < 0:
        return (lambda data: zfpy.compress_numpy(_array(data, values))), _bytes_of(zfpy.decompress_numpy), False
    return (
        lambda data: zfpy.compress_numpy(_array(data, values), precision=precision),
        _bytes_of(zfpy.decompress_numpy),
        True,
    )


def _array(data: bytes, values: str) -> np.ndarray:
    return np.frombuffer(data, dtype=values).copy()


def _bytes_of(decompress: Callable[[bytes], np.ndarray]) -> Callable[[bytes], bytes]:
    return lambda data: decompress(data).tobytes()


def _measured(
    name: str,
    compress: Callable[[Any], bytes],
    decompress: Callable[[bytes], Any],
    lossy: bool,
    places: Sequence[tuple[Path, int, int]],
    budget: float,
    values: str,
) -> MeasuredCompressor:
    width = _VALUES[values]
    sizes: list[tuple[int, int]] = []
    forth = back = worst = 0.0
    # Blocks in an order that is spread over the files from the first on, as time may end it.
    order = np.argsort(np.random.default_rng(0).random(len(places)), kind="stable")
    for place in order.tolist():
        if len(sizes) >= _LEAST_BLOCKS and forth + back >= budget:
            break
        data = _read(places[place], width)
        if not data:
            continue
        start = time.thread_time()
        packed = compress(data)
        middle = time.thread_time()
        unpacked = decompress(packed)
        end = time.thread_time()
        forth, back = forth + middle - start, back + end - middle
        sizes.append((len(data), len(packed)))
        if lossy:
            worst = max(worst, _largest_error(data, unpacked, values))
        elif unpacked != data:
            raise InputError(
                f"{name} does not give the block back", file=places[place][0], allowed="a compressor that works"
            )
    if not sizes:
        raise InputError(f"no block of whole {values} values", file=places[0][0])
    whole, held = (np.array(column, dtype=float) for column in zip(*sizes, strict=True))
    least, most = np.percentile(whole / held, [5.0, 95.0])
    tick = time.get_clock_info("thread_time").resolution
    return MeasuredCompressor(
        name,
        "lossy" if lossy else "lossless",
        float(whole.sum() / held.sum()),
        float(least),
        float(most),
        float(whole.sum() / max(forth, tick)),
        float(whole.sum() / max(back, tick)),
        len(sizes),
        int(whole.sum()),
        f"relative, {worst:.2g} at most seen" if lossy else "exact",
    )


def _read(place: tuple[Path, int, int], width: int) -> bytes:
    file, offset, length = place
    try:
        with file.open("rb") as opened:
            opened.seek(offset)
            data = opened.read(length - length % width)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
    return data[: len(data) - len(data) % width]


def _largest_error(data: bytes, unpacked: bytes, values: str) -> float:
    before, after = np.frombuffer(data, dtype=values), np.frombuffer(unpacked, dtype=values)
    counted = np.isfinite(before) & (before != 0.0)
    if not counted.any():
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.max(np.abs(after[counted] - before[counted]) / np.abs(before[counted])))
