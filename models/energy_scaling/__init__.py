"""Energy, power and time of one job over its nodes: bounds in closed form, and curves through measured runs.

After Shoukourian et al. 2014. `AmdahlEnergy`, `GustafsonEnergy` and `FittedEnergy` answer alike; `fits_budget`,
`max_nodes_under_budget` and `max_nodes_under_cap` say whether a job fits what is left of a budget, and on how many
nodes it does. `implausible_nodes` holds any energies against what a problem of fixed size leaves possible.
"""

from dse.authoring.declaration import declarations
from dse.models.energy_scaling import inputs, quantities
from dse.models.energy_scaling.budget import fits_budget, max_nodes_under_budget, max_nodes_under_cap
from dse.models.energy_scaling.document import read_job_measurements
from dse.models.energy_scaling.history import history
from dse.models.energy_scaling.inverse import from_two_points
from dse.models.energy_scaling.laws import AmdahlEnergy, EnergyScaling, FittedEnergy, GustafsonEnergy
from dse.models.energy_scaling.node_spread import power_bounds
from dse.models.energy_scaling.plausibility import implausible_nodes
from dse.models.energy_scaling.predictor import fit_curve

__all__ = [
    "AmdahlEnergy",
    "EnergyScaling",
    "FittedEnergy",
    "GustafsonEnergy",
    "fit_curve",
    "fits_budget",
    "from_two_points",
    "history",
    "implausible_nodes",
    "max_nodes_under_budget",
    "max_nodes_under_cap",
    "power_bounds",
    "read_job_measurements",
]

globals().update(declarations(inputs, quantities))
