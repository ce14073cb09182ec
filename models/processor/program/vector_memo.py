"""A program fitted to a width of vectors, made once: a sweep asks for the same few again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dse.models.workload.profile.profile import ProcessClass
from dse.models.workload.profile.vectors import fit_vectors

__all__ = ["fitted", "once"]

_MOST = 64
_kept: dict[tuple[int, str, Any], tuple[ProcessClass, Any]] = {}


def once(process_class: ProcessClass, what: str, key: Any, make: Callable[[], Any]) -> Any:
    """Return what `make` gives for a class of threads, made again only when it was dropped.

    The class itself is kept with the result, so its identity stays its own.
    """
    place = (id(process_class), what, key)
    held = _kept.get(place)
    if held is None or held[0] is not process_class:
        if len(_kept) >= _MOST:
            _kept.clear()
        held = _kept[place] = (process_class, make())
    return held[1]


def fitted(process_class: ProcessClass, vector_bits: float) -> ProcessClass:
    """Return a class of threads with its vectors split to a width."""
    split_class: ProcessClass = once(
        process_class, "vectors", vector_bits, lambda: fit_vectors(process_class, int(vector_bits))
    )
    return split_class
