"""Scaling factors: parallel efficiency as load balance, serialisation and transfer, fitted over the number of ranks.

After Rosas et al. (2014). In Python, `measured_factors` gives the factors of a run, `read_factors` those of a table,
`fit_profile` a `ScalingProfile`: efficiency at any number of ranks, what limits it, where that changes. `dse scaling
fit` does it from a table and writes the file that a study reads.

In a study, ``models = ["network", "system", "scaling_factors"]``, ``use.application_efficiency = "fitted"`` and the
file under ``[tables]`` as ``scaling_factors``: processes of the whole machine wait for each other as the fit says.
"""

from dse.authoring.declaration import declarations
from dse.models.scaling_factors import application
from dse.models.scaling_factors.definitions import (
    MeasuredFactors,
    computation_scaling,
    ideal_time,
    measured_factors,
    speedup,
    weak_time,
)
from dse.models.scaling_factors.fitted_file import read_fitted, write_fitted
from dse.models.scaling_factors.fitting import FittedFactor, fit_factor, fit_two_points
from dse.models.scaling_factors.measurements import FactorTable, read_factors
from dse.models.scaling_factors.scaling_profile import ScalingProfile, fit_profile

__all__ = [
    "FactorTable",
    "FittedFactor",
    "MeasuredFactors",
    "ScalingProfile",
    "computation_scaling",
    "fit_factor",
    "fit_profile",
    "fit_two_points",
    "ideal_time",
    "measured_factors",
    "read_factors",
    "read_fitted",
    "speedup",
    "weak_time",
    "write_fitted",
]

globals().update(declarations(application))
