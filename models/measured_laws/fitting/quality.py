"""How well a law fits the runs it was found in, as people report it."""

from __future__ import annotations

import numpy as np

from dse.models.measured_laws.fitting.law import Law

__all__ = ["adjusted_r2"]


def adjusted_r2(law: Law, values: np.ndarray, computed: np.ndarray) -> float | None:
    """Return ``1 - (1 - R^2)(n - 1) / (n - q - 1)`` of q terms that grow at n sizes; None for a constant law.

    Parameters
    ----------
    law : Law
    values, computed : ndarray, (sizes,)
        What was measured, and what the law says there.
    """
    terms = sum(not term.constant for term in law.terms)
    freedom, total = len(values) - terms - 1, float(((values - values.mean()) ** 2).sum())
    if not terms or freedom < 1 or not total:
        return None
    return 1.0 - float(((values - computed) ** 2).sum()) / total * (len(values) - 1) / freedom
