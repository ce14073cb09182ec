"""How many random examples a test takes: a share of its number, and all of them where ``DSE_EXAMPLES=all``."""

from __future__ import annotations

import os

__all__ = ["ALL_EXAMPLES", "examples"]

_LEAST = 15
"""Of a test with fewer examples nothing is left out."""

ALL_EXAMPLES = os.environ.get("DSE_EXAMPLES") == "all"


def examples(count: int) -> int:
    """Return a sixth of the examples of a test, the first ones, and at least 15 of those it has.

    ``DSE_EXAMPLES=all make test`` takes all of them.
    """
    return count if ALL_EXAMPLES else max(-(-count // 6), min(count, _LEAST))
