"""Scaling factors: parallel efficiency as load balance, serialisation and transfer, fitted over the number of ranks.

After Rosas et al. (2014). In Python, `measured_factors` gives the factors of a run, `read_factors` those of a table,
`fit_profile` a `ScalingProfile`: efficiency at any number of ranks, what limits it, where that changes. `dse scaling
fit` does it from a table and writes the file that a study reads.

In a study, ``models = ["network", "system", "scaling_factors"]``, ``use.application_efficiency = "fitted"`` and the
file under ``[tables]`` as ``scaling_factors``: processes of the whole machine wait for each other as the fit says.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.measured_laws.kinds.scaling_factors import application

globals().update(declarations(application))
