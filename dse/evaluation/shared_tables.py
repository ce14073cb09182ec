"""Tables that several products ask for: parts of a space have most of their node, and of their network, in common.

A table is known by its function and the bytes of what goes in, so it is the same whichever product made it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.graph.graph import call

__all__ = ["SharedTables"]

_MOST_BYTES = 16 * 2**20
_QUICK = 1e-3  # seconds in which a function is called sooner than its table is looked up
_QUICK_PER_BYTE = 5e-9  # and for each byte of its results


class SharedTables:
    """Tables that were made last, up to a number of bytes, of functions that take long enough to be looked up.

    Parameters
    ----------
    most_bytes : int
        Of all tables that are kept.

    Attributes
    ----------
    made, taken : int
        How often a function was called, and how often its table was there.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most, self._bytes = most_bytes, 0
        self._kept: OrderedDict[Hashable, tuple[tuple[Any, ...], dict[str, Any]]] = OrderedDict()
        self._quick: dict[int, ModelFunction] = {}
        self.made = self.taken = 0

    def called(self, function: ModelFunction, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a function gives: arrays that nobody may write to."""
        if id(function) in self._quick:
            return call(function, values)
        given = tuple(values[need] for need in function.needs)
        key = (id(function), *map(_key, given))
        held = self._kept.get(key)
        if held is not None:
            self._kept.move_to_end(key)
            self.taken += 1
            return dict(held[1])
        self.made += 1
        begun = time.perf_counter()
        results = {name: _locked(value) for name, value in call(function, values).items()}
        size = sum(value.nbytes for value in results.values() if isinstance(value, np.ndarray))
        if time.perf_counter() - begun < _QUICK + size * _QUICK_PER_BYTE:
            self._quick[id(function)] = function
        elif size <= self._most // 4:
            # With the function and what is no array, so that their ids stay theirs.
            others = tuple(value for value in given if not isinstance(value, np.ndarray) or value.dtype == object)
            self._kept[key] = ((function, *others), results)
            self._bytes += size
        while self._bytes > self._most:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._bytes -= sum(value.nbytes for value in dropped.values() if isinstance(value, np.ndarray))
        return dict(results)


def _key(value: Any) -> Hashable:
    if not isinstance(value, np.ndarray) or value.dtype == object:
        return id(value)
    contiguous = np.ascontiguousarray(value)
    content = (
        contiguous.tobytes() if contiguous.nbytes <= blake2b.MAX_DIGEST_SIZE else blake2b(contiguous.data).digest()
    )
    return value.shape, value.dtype.char, content


def _locked(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value
