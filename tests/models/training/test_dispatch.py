"""Bytes of tokens on their way to experts: 2, and 1 with products in fp8, unless a study says it."""

import pytest

from dse.evaluation.direct import evaluate_models
from tests.models.training.cases import inputs

SHAPE = {"model": "deepseek-v3", "device": "GB200", "t": 1, "p": 16, "d": 128, "e": 64, "B": 15360, "zero": 1}


def round_trip(precision, **more):
    values = inputs(precision=precision, **SHAPE) | more
    names = ["expert_round_trip_time", "combine_bytes"]
    found = evaluate_models(["training"], names, values, {"training_stack": "overlapped"})
    return tuple(float(found[name][0]) for name in names)


def by_hand(combined, sent_bytes):
    """All-to-all over 64 of 72 devices of a domain, both ways (rounds of latency each way)."""
    rate, latency = 900e9 * 0.77, 6 * 10e-6
    there = combined * sent_bytes / 2.0 * 63.0 / 64.0 / rate + latency
    return there + combined * 63.0 / 64.0 / rate + latency


@pytest.mark.parametrize(("precision", "sent"), [("bf16", 2.0), ("fp8", 1.0), ("fp4", 2.0)])
def test_tokens_are_sent_in_8_bits_with_products_in_fp8(precision, sent):
    time, combined = round_trip(precision)
    assert combined == 2.0 * 4096 * 7168 * 8
    assert time == pytest.approx(by_hand(combined, sent), rel=1e-12)


@pytest.mark.parametrize("precision", ["bf16", "fp8"])
def test_what_a_study_says_stands(precision):
    time, combined = round_trip(precision, dispatch_bytes=1.5)
    assert time == pytest.approx(by_hand(combined, 1.5), rel=1e-12)
