"""Whole machines: time, energy and power of a program on nodes with a network between them.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), chapter 6. A study
takes ``models = ["network", "system"]`` and gives for a process (of each class, module `classes`) the time it computes,
the messages it sends and the power of its node (module `inputs`). The time is that of Eqs. 6.1 to 6.5, energy and power
those of Eqs. 6.6 to 6.12. What these leave out is off by default, and every report lists it as an assumption:

======================================= ===============================================================================
Off by default                          To turn it on
======================================= ===============================================================================
computation beside communication        ``overlap_fraction`` above 0
messages in flight together             ``use.message_pipelining = "pipelined"``, `message_overhead`, `message_gap`
large messages that ask first             `eager_limit`, below the size of a message
power of polling                        ``polling_power_share`` above 0
switches by their ports                 ``use.switch_power = "per-port"`` or ``"base-and-ports"``, `port_power`
links that are always on                ``use.link_power = "always-on"`` (then a byte on a link costs nothing more)
network cards                           ``use.nic_power = "cards"``, `nic_power`, `nics_per_node`
cooling and conversion                  ``power_usage_effectiveness`` above 1, for `facility_power`
several processes per node              ``use.node_processes = "several"``, `processes_per_node`, `inside_fraction`
several classes of processes            ``[index.process_class.NAME]``, each with `processes` or `process_share`
uneven work of the processes            ``use.application_efficiency = "fitted"``, of the model `scaling_factors`
progress of one-sided messages          ``use.progress``, of the model `progress`
collective operations                   the model `system.collectives`, with calls and bytes of each operation
======================================= ===============================================================================

`system.modelled_nodes` takes time and power of a node from the models `processor` and `node`, and
`system.profiled_messages` takes the messages from a profile; `system.collectives` adds collective operations to the
messages, and `system.profiled_collectives` takes these from a profile. All are models of their own, named beside this
one.
`dependencies` has what measured runs say about the network of a machine, as Python functions.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.system import classes, communication, computing, cost, energy, inputs, node_processes, power
from dse.models.system.dependencies import Breakdown, breakdown

__all__ = ["Breakdown", "breakdown"]

globals().update(declarations(inputs, computing, communication, node_processes, classes, energy, power, cost))
