"""Training of large transformers: step time, memory of a device, energy, useful time.

Closed forms after Narayanan et al. 2021, Korthikanti et al. 2022 and Rajbhandari et al. 2020, over architectures
(``spaces/training/models.csv``), accelerators (``spaces/training/devices.csv``) and how the model is cut over them (the
enumeration ``training.parallelism``).

Slots: ``training_stack`` (software of 2021, 2023, 2024 on), ``training_collectives`` (domains joined by a network, or
dimensions: model `training.dimensions`), ``training_network`` (given, or a topology), ``pipeline_schedule``,
``checkpointing``, ``data_parallelism``, ``scale_up_domain`` (as sold, or a node).
"""

from dse.authoring.declare.declaration import declarations
from dse.models.training import cost, energy, goodput, pictures
from dse.models.training.cut import memory, parallelism, step
from dse.models.training.machine import devices, domains, network, stacks, two_level
from dse.models.training.model import architecture, layer_parts, passes

globals().update(
    declarations(
        architecture,
        devices,
        domains,
        parallelism,
        stacks,
        network,
        two_level,
        layer_parts,
        passes,
        step,
        memory,
        goodput,
        energy,
        cost,
    )
)
draw_step_and_memory = pictures.draw_step_and_memory
