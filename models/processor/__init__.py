"""Processors: time of a program on a node, from a profile that no machine has left its mark on.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), chapter 4, and
Jongerius et al. (2018). `predict` answers for one program on any number of cores and machines, `predict_mixture` for
several programs that run together. The formulas stand in small modules: `event_sums`, `bounds`, `stalls`, `in_order`
and `throughput` (events that interact), `independent` (events that add up), `caches`, `associativity`, `sharing`,
`roofline`.

In a study the same formulas are quantities (modules `node_inputs`, `program`, `branch_prediction`, `memory_access` and
`core_time`): a profile is given under ``[tables]``, the node by parameters, and the slot ``processor_model`` chooses
between the two published models. Set-associative caches, a memory whose latency grows with its load, and a second
program on the chip are components of slots of their own (`cache_organisation`, `dram_queueing`, `two_programs`).
"""

from __future__ import annotations

from dse.authoring.declaration import declarations
from dse.models.processor import (
    branch_prediction,
    cache_organisation,
    core_time,
    dram_queueing,
    full_window,
    independent,
    memory_access,
    node_inputs,
    program,
    stalls,
    thread_of_design,
    throughput,
    two_programs,
)
from dse.models.processor.behaviour import CORRECTED, REFERENCE, Behaviour
from dse.models.processor.machine import PARAMETERS, Machine, MachineParameter
from dse.models.processor.pictures import draw_independent_bottlenecks, draw_interaction_bottlenecks
from dse.models.processor.prediction import MODELS, Mixture, Prediction, predict, predict_mixture
from dse.models.processor.roofline import Roofline

__all__ = [
    "CORRECTED",
    "MODELS",
    "PARAMETERS",
    "REFERENCE",
    "Behaviour",
    "Machine",
    "MachineParameter",
    "Mixture",
    "Prediction",
    "Roofline",
    "draw_independent_bottlenecks",
    "draw_interaction_bottlenecks",
    "predict",
    "predict_mixture",
]

globals().update(
    declarations(
        node_inputs,
        program,
        branch_prediction,
        cache_organisation,
        memory_access,
        dram_queueing,
        full_window,
        stalls,
        throughput,
        independent,
        core_time,
        thread_of_design,
        two_programs,
    )
)
globals().update(dram_queueing.utilisation_functions())
globals().update(two_programs.fixed_points())
