"""Workload profiles at a scale nobody has run, from profiles of several small runs.

Interface
---------
``fit(values, parameters) -> Law``
    The law of one metric over one to three parameters: terms, coefficients with standard errors, error of
    cross-validation.
``extrapolate(profiles, target) -> Extrapolated``
    One law per metric of `dse.models.workload` profiles, and the profile they foretell.
``cluster(profile, threshold) -> WorkloadProfile``
    Processes with alike profiles as one class each.
"""

from dse.models.extrapolation.fitting import Runs, fit
from dse.models.extrapolation.law import Law
from dse.models.extrapolation.parameters import Parameter
from dse.models.extrapolation.process_classes import cluster
from dse.models.extrapolation.profiles import Extrapolated, extrapolate

__all__ = ["Extrapolated", "Law", "Parameter", "Runs", "cluster", "extrapolate", "fit"]
