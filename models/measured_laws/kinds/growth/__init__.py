"""Models fitted to measurements: files that `dse fit` writes and a study uses as a table.

A study names the file under ``[tables.fitted_model]`` and the model ``fitted``; ``fitted_value`` is then the law over
``fitted_size`` (processes, nodes …), in SI, as a plain number whose unit the file tells. ``fitted_time``,
``fitted_energy``, ``fitted_power`` and ``fitted_bytes`` are the same with their units, refused where the file has
another one. Farther than 64 times the largest run is marked (``fitted_time_extrapolated`` …; ``fitted_distance`` says
how far), beyond 1024 times refused.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.measured_laws.kinds.growth import quantities

globals().update(declarations(quantities))
