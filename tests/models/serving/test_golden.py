"""Every formula at the numbers that a prototype and a second implementation of it give."""

from __future__ import annotations

import numpy as np
import pytest

from dse.evaluation.direct import evaluate_models
from dse.models.serving.catalogues import architecture, device
from dse.models.serving.frontier import area_under, on_frontier
from dse.models.serving.modes.closed_loop import closed_loop
from dse.models.serving.steps.experts import fullest_experts, fullest_rows, reached_experts
from dse.models.serving.steps.parts import exchange_time
from tests.models.serving.cases import CASES, GOLDEN, apart, inputs

CLOSE = 1e-12
STACK = {"serving_stack": "of-engine"}
DECODES = [f"D{number}" for number in range(1, 12)]
BATCHES = {"G1": 512.0, "G2": 128.0, "G3": 256.0}


def values(targets, given, **use):
    found = evaluate_models(["serving"], list(targets), given, STACK | use)
    return {name: float(found[name][0]) for name in targets}


def compare(golden, quantities, given, **use):
    found = values({name for names in quantities.values() for name in names}, given, **use)
    for key, names in quantities.items():
        assert sum(found[name] for name in names) == pytest.approx(golden[key], rel=CLOSE, abs=1e-300), key
    assert set(golden) == set(quantities)


@pytest.mark.parametrize("name", ["P-gpt-oss-120b", "P-deepseek-r1"])
def test_parameters(name):
    of = {"total": ["model_parameters"], "active": ["model_active_parameters"]}
    compare(GOLDEN[name], of, architecture(name.removeprefix("P-")))


@pytest.mark.parametrize(
    ("name", "experts", "top_k", "tokens"),
    [("T-128-1", 128, 4, 1), ("T-128-64", 128, 4, 64), ("T-256-4", 256, 8, 4), ("T-256-512", 256, 8, 512)],
)
def test_reached_experts(name, experts, top_k, tokens):
    found = reached_experts(*(np.array([one], dtype=float) for one in (experts, top_k, tokens, 1.0)))
    assert found[0] == pytest.approx(GOLDEN[name]["touched"], rel=CLOSE)


@pytest.mark.parametrize(("name", "ranks", "touched"), [("T-256-e8", 8, 30.48), ("T-256-e4", 4, 200.0)])
def test_fullest_rank(name, ranks, touched):
    found = fullest_experts(*(np.array([one], dtype=float) for one in (touched, 256, ranks)))
    assert found[0] == pytest.approx(GOLDEN[name]["fullest"], rel=CLOSE)


def test_rows_of_the_fullest_rank():
    assert fullest_rows(512.0 / 8.0, 8.0) == pytest.approx(GOLDEN["T-rows"]["rows"], rel=CLOSE)


def test_all_reduce():
    h100 = device("H100 SXM")
    rates = values(["exchange_rate", "reduce_latency", "swap_latency"], h100)
    one_of_two = exchange_time(0.5, 1e6 / 2.0, 1.0, 4.0, 8.0, 8.0, 1.0, 1.0, 8.0, *rates.values())
    assert one_of_two == pytest.approx(GOLDEN["C-1"]["s"], rel=CLOSE)


OF_STEP = {
    "step": ["decoding_step_time"],
    "projections": ["decoding_projection_time"],
    "cache": ["decoding_cache_time"],
    "scores": ["decoding_score_time"],
    "experts": ["decoding_expert_time"],
    "rest": ["decoding_other_time", "decoding_head_time"],
    "exchange": ["decoding_exchange_time"],
    "gaps": ["decoding_gap_time"],
}
OF_PROMPT = {"stall": ["prompt_stall"], "own": ["own_step_time"]}
OF_SERVE = {
    "time_per_token": ["time_per_token"],
    "first_token": ["time_to_first_token"],
    "rate_per_device": ["serving_tokens_per_device"],
    "first_token_99": ["burst_first_token"],
}
OF_MEMORY = {
    "bytes": ["serving_memory"],
    "weights": ["weight_memory"],
    "per_request": ["request_memory"],
    "most_requests": ["most_requests"],
}


@pytest.mark.parametrize("name", DECODES)
def test_together(name):
    given = inputs(CASES[name]["inputs"])
    compare(GOLDEN[name], OF_STEP, given)
    compare(GOLDEN[f"{name}-prompt"], OF_PROMPT, given)
    compare(GOLDEN[f"{name}-serve"], OF_SERVE, given)
    compare(GOLDEN[f"{name}-memory"], OF_MEMORY, given)


OF_APART = {
    "time_per_token": ["time_per_token"],
    "first_token": ["time_to_first_token"],
    "rate_per_device": ["serving_tokens_per_device"],
    "serve": ["prompt_serve_time"],
    "own": ["prompt_own_step_time"],
    "decode_limit": ["decode_limit"],
    "prefill_limit": ["prompt_limit"],
}


@pytest.mark.parametrize("name", BATCHES)
def test_apart(name):
    compare(GOLDEN[name], OF_APART, apart(name, BATCHES[name]), serving_mode="apart")


def test_power_and_energy():
    given = inputs(CASES["D1"]["inputs"]) | {"requests": 64.0, "power_usage_effectiveness": 1.2}
    of = {"busy": ["serving_busy_share"], "watt": ["serving_device_power"]}
    of |= {"joule_per_token": ["serving_energy_per_token"]}
    golden = {key: value for key, value in GOLDEN["W-1"].items() if key != "eur_per_million"}
    compare(golden, of, given)


def test_cost_of_tokens():
    given = inputs(CASES["D1"]["inputs"]) | {"requests": 64.0, "device_hour_price": 2.0 / 3600.0}
    found = evaluate_models(["serving", "serving.in_euros"], ["cost_per_million_tokens"], given, STACK)
    assert found["cost_per_million_tokens"][0] == pytest.approx(GOLDEN["W-1"]["eur_per_million"], rel=CLOSE)


@pytest.mark.parametrize(("name", "concurrency"), [("G1", 512.0), ("G2", 128.0), ("G3", 512.0)])
def test_closed_loops(name, concurrency):
    given = apart(name, BATCHES[name])
    parts = values(["front_time", "hand_over_time", "prompt_own_step_time", "prompt_serve_time"], given)

    def token(batch):
        return np.array([values(["decoding_step_time"], given | {"requests": float(batch[0])})["decoding_step_time"]])

    first = parts["front_time"] + parts["hand_over_time"] + parts["prompt_own_step_time"]
    numbers = [concurrency, given["output_tokens"], given["decode_workers"], parts["prompt_serve_time"], first]
    found = closed_loop(*(np.array([one]) for one in numbers), token)
    golden = GOLDEN[f"{name}-loop"]
    for key in ("time_per_token", "first_token", "rate", "decoding"):
        assert getattr(found, key)[0] == pytest.approx(golden[key], rel=1e-9), key


def test_area_under_a_frontier():
    user, device = np.array([100.0, 50.0, 20.0, 60.0]), np.array([200.0, 900.0, 1500.0, 700.0])
    assert area_under(user, device) == pytest.approx(GOLDEN["F-1"]["area"], rel=CLOSE)
    assert len(on_frontier(user, device)) == GOLDEN["F-1"]["frontier"]


def test_every_case_is_looked_at():
    looked = {*DECODES, *BATCHES, *(f"{name}-loop" for name in BATCHES), "C-1", "F-1", "W-1"}
    looked |= {f"{name}-{what}" for name in DECODES for what in ("prompt", "serve", "memory")}
    looked |= {name for name in GOLDEN if name.startswith(("P-", "T-"))}
    assert looked == set(GOLDEN)
    assert len(GOLDEN) == 62
