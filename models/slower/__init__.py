"""SLOWER: performance as efficiency, scalability, rate and availability; latency hidden by many tasks per core.

After Sterling, Kogler, Anderson and Brodowicz, "SLOWER: A performance model for Exascale computing" (2014), whose queue
experiments a closed model reproduces: two machine-repairman queues, the tasks of a core and the memory of a node.

In Python, `node_rate` answers for arrays of designs, `gain` compares with cores that block, `work_of_mix`,
`work_of_thread` and `work_on_processor` say what a core has to do, and `dse.models.slower.checked_factors` has the
factors of the product and the power of a clock.

In a study, ``tasks_per_process``, ``switch_overhead_cycles`` and ``slower_latency_cycles`` say how latency is hidden,
and give ``efficiency``, ``slower_node_rate``, ``slower_time``, ``energy_per_instruction``, ``delivered_performance``,
``slower_memory`` and, for ranges, ``slower_rate_bound``. Work and latency come from the study itself, from
``slower.instruction_mix``, or from the models of processors and networks by ``slower.modelled_nodes``;
``slower.simple_power`` has the power of a node at any clock.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.slower import inputs, quantities
from dse.models.slower.arguments import core_knee, near_knee, plateau_gain, rate_bound, task_knee
from dse.models.slower.drawing import attribution, draw_attribution, draw_experiment
from dse.models.slower.experiments import EXPERIMENTS, PRESETS, Experiment, experiment, experiment_gain
from dse.models.slower.node_rate import CONTENTIONS, PROTOCOLS, NodeRate, gain, node_rate
from dse.models.slower.pictures import draw_time_of_a_core
from dse.models.slower.processor_work import work_on_processor
from dse.models.slower.work import Work, work_of_mix, work_of_thread

__all__ = [
    "CONTENTIONS",
    "EXPERIMENTS",
    "PRESETS",
    "PROTOCOLS",
    "Experiment",
    "NodeRate",
    "Work",
    "attribution",
    "core_knee",
    "draw_attribution",
    "draw_experiment",
    "draw_time_of_a_core",
    "experiment",
    "experiment_gain",
    "gain",
    "near_knee",
    "node_rate",
    "plateau_gain",
    "rate_bound",
    "task_knee",
    "work_of_mix",
    "work_of_thread",
    "work_on_processor",
]

globals().update(declarations(inputs, quantities))
globals().update(quantities.fixed_points())
