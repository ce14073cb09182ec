"""What prompts cost, where they and decoding share a worker.

Software that mixes (vllm, trt) puts prompts into a step of decoding: the others wait for what that step is longer.
Software that does not (sglang, atom) stops decoding for a step of prompts alone.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import quantity

__all__: list[str] = []


@quantity(unit="s", source="ours; Agrawal et al. 2024 for prompts between steps")
def prompt_stall(
    mixes_prompts,
    mixed_step_time,
    decoding_step_time,
    prompts_step_time,
    step_prompts,
    attention_copies,
    copied_prompt_share,
):
    """What a prompt costs all others: max(0, T'(n, p) - T(n, 0))/p where it is mixed in, else T'(0, p)/p.

    Where the attention has copies, a fitted share of that.
    """
    mixed = np.maximum(0.0, mixed_step_time - decoding_step_time)
    cost = np.where(mixes_prompts > 0.5, mixed, prompts_step_time) / step_prompts
    return cost * np.where(attention_copies > 1.0, copied_prompt_share, 1.0)
