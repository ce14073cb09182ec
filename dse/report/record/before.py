"""The frontier of another run, to be drawn behind that of a page: what was the answer before something was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dse.report.record.encode import encode_array

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["encode_before"]

_MOST = 5000  # designs that are drawn


def encode_before(run: Run, before: Run) -> dict[str, object] | None:
    """Return the objectives of another frontier as plain values for JSON.

    Parameters
    ----------
    run : Run
        Of the page.
    before : Run

    Returns
    -------
    dict or None
        ``name``, ``designs``, and by objective of the page its values (SI); None where the other run has none of them.
    """
    known = {objective["quantity"] for objective in before.objectives}
    names = [objective["quantity"] for objective in run.objectives]
    frontier = before.frontier
    if not known.intersection(names) or not len(frontier):
        return None
    rows = np.unique(np.linspace(0, len(frontier) - 1, min(len(frontier), _MOST)).astype(np.int64))
    return {
        "name": before.folder.name if before.folder is not None else before.name,
        "designs": len(frontier),
        "objectives": {
            name: encode_array(frontier[name].to_numpy(dtype=float)[rows], "f64") for name in names if name in known
        },
    }
