"""The model against a second implementation that shares no code with it, on random designs."""

from __future__ import annotations

import numpy as np
import pytest

from dse.evaluation.direct import evaluate_models
from dse.models.serving import catalogues
from dse.models.serving.catalogues import architecture, engine, prompts, worker
from tests.models.serving import oracle
from tests.models.serving.cases import PRECISIONS

ENGINES = [
    ("gpt-oss-120b", "H100 SXM", "vllm", "fp4"),
    ("gpt-oss-120b", "B200 SXM", "trt", "fp4"),
    ("gpt-oss-120b", "MI355X", "atom", "fp4"),
    ("deepseek-r1", "H200 SXM", "sglang", "fp8"),
    ("deepseek-r1", "GB200", "trt", "fp4"),
    ("deepseek-v3", "MI325X", "sglang", "fp8"),
    ("llama3.1-70b", "B200 SXM", "vllm", "fp8"),
    ("mixtral-8x7b", "H100 SXM", "trt", "fp8"),
]
ROUNDS = 25
OF = {"time_per_token": "time_per_token", "first_token": "time_to_first_token"}
OF |= {"rate_per_device": "serving_tokens_per_device"}
TOGETHER = OF | {"first_token_99": "burst_first_token", "bytes": "serving_memory", "weights": "weight_memory"}
TOGETHER |= {"most_requests": "most_requests", "step": "decoding_step_time"}
APART = OF | {"serve": "prompt_serve_time", "own": "prompt_own_step_time"}
APART |= {"decode_limit": "decode_limit", "prefill_limit": "prompt_limit"}


def columns(of):
    model, device, stack, precision = of
    return {**architecture(model), **engine(device, stack, PRECISIONS.get((model, precision), precision))}


def cut(rng, experts):
    """A random cut: the axes of one worker, as t, e, d."""
    devices = int(rng.choice([1, 2, 4, 8]))
    ranks = int(rng.choice([one for one in (1, 2, 4, 8) if devices % one == 0])) if experts else 1
    return (devices, ranks, 1) if rng.random() < 0.5 else (1, ranks, devices)


def together(names, draws):
    """Evaluate all draws of one engine at once, as arrays."""
    return {key: np.array([draw[key] for draw in draws]) for key in names}


def check(found, expected, names):
    for key, name in names.items():
        wanted = np.array([one[key] for one in expected])
        np.testing.assert_allclose(np.broadcast_to(found[name], wanted.shape), wanted, rtol=1e-11, err_msg=key)


@pytest.mark.parametrize("of", ENGINES, ids=" ".join)
def test_together(of):
    rng = np.random.default_rng(3)
    card, draws, expected = columns(of), [], []
    for _ in range(ROUNDS):
        t, e, d = cut(rng, card["experts"])
        n, s_i, s_o = float(d * rng.integers(1, 200)), float(rng.uniform(10, 9000)), float(rng.uniform(2, 9000))
        v, alpha = float(rng.integers(1, 5)), float(rng.uniform(0.0, 0.95))
        draws.append({**worker(t, e, d), "requests": n, "input_tokens": s_i, "output_tokens": s_o})
        draws[-1] |= {"draft_rows": v, "acceptance": alpha}
        slow = oracle.engine(*of, t, e, d, v, sum(alpha**k for k in range(int(v))))
        step = oracle.step(slow, n, 0, s_i, s_o, slow.tau)[0]
        expected.append({**oracle.together(slow, n, s_i, s_o), **oracle.memory(slow, n, s_i, s_o), "step": step})
    given = card | together(draws[0], draws)
    check(
        evaluate_models(["serving"], list(TOGETHER.values()), given, {"serving_stack": "of-engine"}), expected, TOGETHER
    )


@pytest.mark.parametrize("of", ENGINES[:5], ids=" ".join)
def test_apart(of):
    rng = np.random.default_rng(5)
    card, draws, expected = columns(of), [], []
    for _ in range(ROUNDS):
        decoding, own = cut(rng, card["experts"]), cut(rng, card["experts"])
        b, s_i, s_o = float(rng.integers(8, 500)), float(rng.uniform(10, 9000)), float(rng.uniform(2, 9000))
        many = {"prompt_workers": float(rng.integers(1, 17)), "decode_workers": float(rng.integers(1, 17))}
        draws.append({**worker(*decoding), **prompts(worker(*own)), **many, "requests": b})
        draws[-1] |= {"input_tokens": s_i, "output_tokens": s_o}
        halves = (oracle.engine(*of, *own), many["prompt_workers"], oracle.engine(*of, *decoding))
        expected.append(oracle.apart(*halves, many["decode_workers"], b, s_i, s_o))
    given = card | together(draws[0], draws)
    use = {"serving_stack": "of-engine", "serving_mode": "apart"}
    check(evaluate_models(["serving"], list(APART.values()), given, use), expected, APART)


def test_prompts_on_a_device_of_their_own():
    of, other = ENGINES[4], ("deepseek-r1", "B200 SXM", "trt", "fp8")
    own = {f"prompt_engine_{name}": value for name, value in engine(*other[1:]).items()}
    many = {"prompt_workers": 3.0, "decode_workers": 2.0}
    given = columns(of) | worker(1, 8, 8) | prompts(worker(8, 1, 1)) | many
    given |= {"requests": 256.0, "input_tokens": 900.0, "output_tokens": 900.0}
    known = {key: value for key, value in (given | own).items() if catalogues.is_input(key)}
    use = {"serving_stack": "of-engine", "serving_mode": "apart", "prompt_device": "own"}
    found = evaluate_models(["serving"], list(APART.values()), known, use)
    expected = oracle.apart(oracle.engine(*other, 8, 1, 1), 3.0, oracle.engine(*of, 1, 8, 8), 2.0, 256.0, 900.0, 900.0)
    check(found, [expected], APART)
