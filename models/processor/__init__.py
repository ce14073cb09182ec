"""Processors: time of a program on a node, from a profile that no machine has left its mark on.

After Anghel, "On Large-Scale System Performance Analysis and Software Characterization" (2017), chapter 4, and
Jongerius et al. (2018). `predict` answers for one program on any number of cores and machines, `predict_mixture` for
several programs that run together.

In a study the formulas are quantities: a profile is given under ``[tables]``, the node by parameters, and the slot
``processor_model`` chooses between the two published models (`core_time`), or a kernel on a device by its roofline
(`device_kernel`). Set-associative caches, a memory whose
latency grows with its load, and a second program on the chip are components of slots of their own
(`cache_organisation`, `dram_queueing`, `two_programs`).

`predict` and `predict_mixture` are another door to the same quantities: they fill the graph of the family with a
machine, after replacing the functions that differ from those of a study (`variants`, `python_machine`, `reference`).
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.processor import node_inputs
from dse.models.processor.core import (
    branch_prediction,
    core_time,
    device_kernel,
    full_window,
    independent,
    stalls,
    throughput,
)
from dse.models.processor.core.roofline import Roofline
from dse.models.processor.memory import cache_organisation, memory_access
from dse.models.processor.pictures import draw_independent_bottlenecks, draw_interaction_bottlenecks
from dse.models.processor.predict.machine import PARAMETERS, Machine, MachineParameter
from dse.models.processor.predict.prediction import MODELS, Mixture, Prediction, predict, predict_mixture
from dse.models.processor.program import program
from dse.models.processor.program.behaviour import CORRECTED, REFERENCE, Behaviour
from dse.models.processor.sharing import dram_queueing, thread_of_design, two_programs
from dse.models.workload.locality.locality_pictures import draw_accesses_of_program, draw_locality_of_program

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
    "draw_accesses_of_program",
    "draw_independent_bottlenecks",
    "draw_interaction_bottlenecks",
    "draw_locality_of_program",
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
        device_kernel,
        thread_of_design,
        two_programs,
    )
)
globals().update(dram_queueing.utilisation_functions())
globals().update(two_programs.fixed_points())
