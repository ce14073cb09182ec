"""SLOWER: performance as efficiency, scalability, rate and availability; latency hidden by many tasks per core.

After Sterling, Kogler, Anderson and Brodowicz, "SLOWER: A performance model for Exascale computing" (2014), whose queue
experiments a closed model reproduces: two machine-repairman queues, the tasks of a core and the memory of a node.
"""

from dse.models.slower.experiments import EXPERIMENTS, PRESETS, Experiment, experiment, experiment_gain
from dse.models.slower.knees import core_knee, near_knee, plateau_gain, rate_bound, task_knee
from dse.models.slower.node_rate import CONTENTIONS, PROTOCOLS, NodeRate, gain, node_rate
from dse.models.slower.work import Work, work_of_mix, work_of_thread

__all__ = [
    "CONTENTIONS",
    "EXPERIMENTS",
    "PRESETS",
    "PROTOCOLS",
    "Experiment",
    "NodeRate",
    "Work",
    "core_knee",
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
]
