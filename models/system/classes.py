"""Classes of processes: how many there are of each, and what joins them to the machine.

A study with one class writes nothing. One with several has an index set, ``[index.process_class.NAME]`` for each, with
what it has of its own: `processes` or `process_share`, messages, a profile … Then every quantity of a class exists once
per class (``class_time@leaf``), and the functions here are its maximum or sum over the classes.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantity
from dse.errors import InputError
from dse.models.sources import ANGHEL_2017
from dse.models.system.accuracy import RUN_TIME

__all__: list[str] = []

_CLASSES = "process_class"
_HAIR = 1e-9

_ONE = f"{ANGHEL_2017}, Chapter 6: one process per node"

processes = assumption(
    0, unit="1", source=f"{_ONE}", doc="Processes of a class, |C|; 0: its share of all", minimum=0, integer=True
)
process_share = assumption(
    1.0,
    unit="1",
    source=f"{_ONE}, all alike",
    doc="Share of all processes that are of a class",
    minimum=0,
    maximum=1,
)


@quantity(unit="1", source=_ONE)
def machine_processes(nodes, processes_per_node):
    """Processes that the machine runs, P."""
    return nodes * processes_per_node


@quantity(unit="1", source=_ONE)
def class_size(processes, process_share, machine_processes):
    """Processes of a class as the study gives them: a number, or a share of all."""
    return np.where(processes > 0, processes, process_share * machine_processes)


@quantity(unit="1", source=f"{ANGHEL_2017}, Eq. 6.7", over=_CLASSES, by="sum")
def total_processes(class_size):
    """Processes of all classes together."""
    return class_size * 1.0


@quantity(unit="1", source=f"{_ONE}, and no node is idle", points_only=True)
def class_processes(class_size, total_processes, nodes, processes_per_node):
    """Processes of a class, once all classes together are known to fill the nodes."""
    room = nodes * processes_per_node
    wrong = np.abs(total_processes - room) > _HAIR * room
    if np.any(wrong):
        asked = (total_processes, nodes, processes_per_node)
        have, want, each = (float(np.broadcast_to(argument, wrong.shape)[wrong][0]) for argument in asked)
        of_each = "one process" if each == 1 else f"{each:.12g} processes"
        raise InputError(
            f"the classes have {have:.12g} processes together, and the machine has {want:.12g} nodes",
            allowed=f"{of_each} per node: 'processes' that add up to {want * each:.12g}, or shares that add up to 1",
        )
    return class_size * 1.0


@quantity(unit="1", source=f"{_ONE}; with several, the nodes its processes would fill")
def class_nodes(class_processes, processes_per_node):
    """Nodes of a class: where nodes have processes of several classes, as many as its own would fill."""
    return class_processes / processes_per_node


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.5: the maximum of the sums", error=RUN_TIME, over=_CLASSES, by="max")
def system_time(class_time):
    """Time of the run on the whole machine: that of its slowest class, T."""
    return class_time * 1.0


@quantity(unit="W", source=f"{ANGHEL_2017}, Eqs. 6.7 and 6.8", over=_CLASSES, by="sum")
def nodes_static_power(class_static_power):
    """Power of all nodes at rest."""
    return class_static_power * 1.0


@quantity(unit="J", source=f"{ANGHEL_2017}, Eqs. 6.7 and 6.8", over=_CLASSES, by="sum")
def node_dynamic_energy(class_dynamic_energy):
    """Energy of the work of all nodes."""
    return class_dynamic_energy * 1.0


@quantity(unit="J", source=f"{ANGHEL_2017}, Eq. 6.9", over=_CLASSES, by="sum")
def network_dynamic_energy(class_transfer_energy):
    """Energy of all bytes that are sent."""
    return class_transfer_energy * 1.0
