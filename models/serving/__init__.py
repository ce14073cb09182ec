"""Serving of large language models: time per token and to the first one, tokens per second, memory, energy, cost.

A step of the engine is counted by its bytes and operations; shares of the hardware, latencies and gaps are fitted on
measured configurations of a public benchmark (``spaces/serving/constants.csv``). Prompts and decoding share a worker,
or have workers of their own.

Slots: ``serving_law`` (``calibrated``, ``roofline``: nothing fitted), ``serving_mode`` (``together``, ``apart``),
``serving_stack`` (``vllm``, ``trt``, ``sglang``, ``atom``, ``of-engine``), ``prompt_device`` (``same``, ``own``).
"""

from dse.authoring.declare.declaration import declarations
from dse.models.serving import laws, roofline, seen
from dse.models.serving.accounts import memory, power
from dse.models.serving.inputs import cards, constants, engines, requests, stacks
from dse.models.serving.modes import apart, arrivals, prompt_workers, prompts, together
from dse.models.serving.steps import kinds
from dse.models.training.machine import devices, domains, network
from dse.models.training.model import architecture

globals().update(
    declarations(
        architecture,
        devices,
        domains,
        network,
        cards,
        constants,
        requests,
        stacks,
        engines,
        kinds,
        prompts,
        together,
        prompt_workers,
        apart,
        arrivals,
        memory,
        power,
        seen,
        laws,
        roofline,
    )
)
