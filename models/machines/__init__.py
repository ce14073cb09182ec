"""Real machines: HPL, power at HPL and HPCG of machines that were built, from the figures of their nodes and networks.

The slots ``node_class``, ``topology`` and ``interconnect`` take ``real-machine``, whose parameters are rows of
``spaces/machines/systems.csv`` (``machine = { enumerate = "real_machines", given = {} }``). What machines sustain of
their peak rate, bandwidth and rated power are constants by class of machine (`classes`), fitted on one half of the
machines (`train_test_split`, `fitting`) and tested on the other (`comparison`; ``dse validate machines``). Nodes of the
other components, ``many-core`` and ``accelerated`` of `dse.models.node_class`, get the constants of their class.
"""

from __future__ import annotations

from dse.authoring.declaration import declarations
from dse.models.machines import classes, designed_nodes, parts, power_at_load, real_machine
from dse.models.machines.rows import real_machines

__all__ = ["real_machines"]

globals().update(declarations(classes, real_machine, parts, designed_nodes, power_at_load))
