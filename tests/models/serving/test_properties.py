"""What the formulas must do in their limits, whatever the constants are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.arithmetic.ranges import Range
from dse.evaluation.direct import evaluate_models
from dse.models.serving.catalogues import architecture, engine, prompts, worker
from dse.models.serving.steps.experts import fullest_experts, reached_experts
from tests.example_counts import examples

EXPERTS = st.sampled_from([(8, 2), (128, 4), (256, 8)])
RANKS = st.sampled_from([1, 2, 4, 8])
GIVEN = {**architecture("gpt-oss-120b"), **engine("B200 SXM", "trt", "mxfp4")}
GIVEN |= {"input_tokens": 900.0, "output_tokens": 900.0, "requests": 64.0}
LATENT = {**architecture("deepseek-r1"), **engine("H200 SXM", "sglang", "fp8")}
LATENT |= {"input_tokens": 900.0, "output_tokens": 900.0, "requests": 64.0}
MANY = {"prompt_workers": 2.0, "decode_workers": 3.0}


def value(name, values, mode="together"):
    use = {"serving_stack": "of-engine", "serving_mode": mode}
    return evaluate_models(["serving"], [name], values, use)[name]


@given(EXPERTS, st.floats(0.01, 1e5), st.floats(0.1, 1.0))
@settings(max_examples=examples(60), deadline=None)
def test_no_more_experts_are_reached_than_tokens_choose(of, tokens, exponent):
    experts, top_k = of
    reached = reached_experts(float(experts), float(top_k), np.array([tokens]), exponent)[0]
    bound = top_k * tokens if tokens * exponent >= 1.0 or exponent == 1.0 else experts
    assert 0.0 <= reached <= min(experts, bound) * (1.0 + 1e-12)


@given(EXPERTS, RANKS, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
@settings(max_examples=examples(200), deadline=None)
def test_the_fullest_rank_lies_between_its_share_and_all_it_has_and_rises(of, ranks, first, second):
    experts = float(of[0])
    low, high = sorted((first * experts, second * experts))
    values = [float(fullest_experts(np.array([one]), experts, float(ranks))[0]) for one in (low, high)]
    assert values[0] <= values[1] * (1.0 + 1e-12)
    for one, reached in zip(values, (low, high), strict=True):
        assert reached / ranks * (1.0 - 1e-12) <= one <= experts / ranks * (1.0 + 1e-12)


@given(EXPERTS, RANKS, st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
@settings(max_examples=examples(100), deadline=None)
def test_ranges_of_the_fullest_rank_hold_its_values(of, ranks, first, second, weight):
    experts = np.array([float(of[0])])
    low, high = sorted((first * experts[0], second * experts[0]))
    inside = np.clip(low * (1.0 - weight) + high * weight, low, high)
    points = Range(np.array([float(ranks)]), np.array([float(ranks)]))
    bounds = fullest_experts(Range(np.array([low]), np.array([high])), Range(experts, experts), points)
    found = fullest_experts(np.array([inside]), experts, np.array([float(ranks)]))
    assert bounds.low[0] <= found[0] <= bounds.high[0]


@pytest.mark.parametrize("cut", [worker(4, 4, 1), worker(1, 8, 8), worker(8, 1, 1)], ids=str)
@pytest.mark.parametrize(
    ("name", "rising"),
    [
        ("requests", True),
        ("input_tokens", True),
        ("device_memory_bandwidth", False),
        ("scale_up_bandwidth", False),
        ("peak_bf16", False),
        ("peak_fp8", False),
        ("product_share", False),
        ("expert_weight_bytes", True),
        ("layer_gap", True),
    ],
)
def test_signs_of_a_step(cut, name, rising):
    start = GIVEN | cut
    known = start.get(name, {"product_share": 0.23, "layer_gap": 7e-5}.get(name))
    times = value("decoding_step_time", start | {name: known * np.geomspace(1.0, 8.0, 9)})
    steps = np.diff(np.broadcast_to(times, 9))
    assert (steps >= -1e-15).all() if rising else (steps <= 1e-15).all()


def test_without_drafts_a_step_yields_one_token():
    assert value("accepted", GIVEN | {"draft_rows": 1.0, "acceptance": np.array([0.0, 0.5, 0.9])}) == pytest.approx(1.0)


def test_long_answers_and_no_stall_share_the_rate_among_the_users():
    values = GIVEN | worker(4, 1, 1) | {"output_tokens": 1e9, "input_tokens": 1.0}
    user, rate = (value(name, values)[0] for name in ("user_token_rate", "serving_tokens_per_device"))
    assert user * values["requests"] / 4.0 == pytest.approx(rate, rel=1e-6)


def test_where_prompts_do_not_limit_decoding_does():
    values = GIVEN | worker(4, 1, 1) | prompts(worker(1, 1, 1)) | {"prompt_workers": 16.0, "decode_workers": 1.0}
    rate = value("serving_tokens_per_second", values, "apart")[0]
    assert rate == pytest.approx(values["requests"] / value("time_per_token", values, "apart")[0])


def test_prompts_that_are_taken_double_with_the_workers():
    values = GIVEN | worker(4, 1, 1) | prompts(worker(1, 1, 1)) | {"decode_workers": 1.0}
    limits = value("prompt_limit", values | {"prompt_workers": np.array([3.0, 6.0])}, "apart")
    assert limits[1] == pytest.approx(2.0 * limits[0])


def test_no_window_is_a_window_of_the_whole_context():
    values = GIVEN | worker(4, 1, 1)
    times = value("decoding_step_time", values | {"window": np.array([0.0, 1350.0, 1e9])})
    assert times[0] == times[1] == times[2]


def test_latent_attention_reads_the_whole_cache_on_every_device_that_shares_it():
    reads = LATENT | {"decode_score_share": 1e6}  # no scores, which share the work of a copy among its devices
    shared, copies = (value("decoding_cache_time", reads | cut)[0] for cut in (worker(8, 1, 1), worker(1, 1, 8)))
    assert shared == pytest.approx(8.0 * copies)


def test_no_one_waits_where_nothing_arrives():
    values = GIVEN | worker(4, 1, 1) | {"arrival_rate": 1e-9}
    first, late = (value(name, values)[0] for name in ("open_first_token", "open_first_token_99"))
    assert first == late == value("unqueued_first_token", values)[0]


def test_the_tail_grows_with_the_arrivals():
    values = GIVEN | worker(4, 1, 1)
    rates = value("request_capacity", values)[0] * np.linspace(0.1, 1.0, 10)
    late = value("open_first_token_99", values | {"arrival_rate": rates})
    assert (np.diff(late) >= 0.0).all()
    assert late[-1] > late[0]
