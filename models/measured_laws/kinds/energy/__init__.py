"""Energy, power and time of one job over its nodes: bounds in closed form, and curves through measured runs.

After Shoukourian et al. 2014. `AmdahlEnergy`, `GustafsonEnergy` and `FittedEnergy` answer alike; `fits_budget`,
`max_nodes_under_budget` and `max_nodes_under_cap` say whether a job fits what is left of a budget, and on how many
nodes it does. `implausible_nodes` holds any energies against what a problem of fixed size leaves possible.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.measured_laws.kinds.energy import inputs, quantities

globals().update(declarations(inputs, quantities))
