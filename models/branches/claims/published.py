"""Published figures of branch prediction beside what the functions give."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.claims import Claim
from dse.models.branches.entropy import binary_entropy, branch_entropy, miss_rate, tool_miss_rate
from dse.models.branches.linear_entropy import counts_linear_entropy
from dse.models.branches.max_outcome import counts_miss_rate, max_outcome_miss_rate
from dse.models.branches.trace_length import entropy_bias, max_history, published_max_history, tool_history
from dse.models.processor.accuracy import measured_claims

__all__ = ["claims"]

THESIS = "Anghel 2017"
TOOL = "IBM ExaBounds (2017)"

# Table 4.5: taken and not taken of four histories
TAKEN, NOT_TAKEN = (70, 10, 15, 3), (30, 40, 5, 7)

# Graph 500, scale 15, edge factor 16: branch entropies at the tool's label of the history, and branches
SEQ_CSR, SEQ_LIST = {29: 0.0874, 32: 0.0867}, {29: 0.1252, 32: 0.1243}
EVENTS = {"seq-csr": 776282816, "seq-list": 906186727}


def claims() -> list[Claim]:
    """Return every published figure of branch prediction, with what the functions give."""
    return [*_entropies(), *_tables(), *_limits(), *_sources(), *_not_checkable()]


def _claim(claim: str, source: str, published: Any, computed: Any, **more: Any) -> Claim:
    return Claim("branches", claim, source, published, computed, **more)


def _entropies() -> list[Claim]:
    found = []
    for name, entropies, published in (("seq-csr", SEQ_CSR, (1.09, 1.11)), ("seq-list", SEQ_LIST, (1.70, 1.72))):
        for label, percent in zip((32, 29), published, strict=True):
            inverse = miss_rate if label == 32 else tool_miss_rate
            rate = 100.0 * float(inverse(entropies[label]))
            source = f"{THESIS}, Section 3.5.3, and the published profile" if label == 32 else TOOL
            what = f"{name}: misprediction rate of the entropy {entropies[label]} at 32" if label == 32 else ""
            what = what or f"{name}: the rate the tool calls best, of the entropy {entropies[label]} at 29"
            found.append(_claim(what, source, percent, rate, unit="percent", absolute_tolerance=0.0051))
    found.append(
        _claim(
            "entropy of outcomes that flip with probability 0.1, H(0.1)",
            "closed form",
            0.4690,
            float(binary_entropy(0.1)),
            unit="bit",
            absolute_tolerance=5e-5,
        )
    )
    found.append(
        _claim(
            "half the histories deterministic, half coin flips: rate of the mean entropy 0.5",
            "closed form: the inverse is convex, so this is a lower bound; the best predictor misses 0.25",
            0.1100,
            float(miss_rate(0.5)),
            absolute_tolerance=5e-5,
        )
    )
    return found


def _tables() -> list[Claim]:
    hits = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN)
    limited = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3)
    beside = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3, shared_entry_in_table=False)
    tool = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3, first_sight="half-miss")
    linear = counts_linear_entropy(NOT_TAKEN, TAKEN)
    free = counts_miss_rate(NOT_TAKEN, TAKEN, first_sight="free")
    return [
        _claim("share predicted of four histories", f"{THESIS}, Table 4.5", 132 / 180, hits, relative_tolerance=1e-12),
        _claim(
            "share predicted with three entries, the shared one among them",
            f"{THESIS}, Table 4.6",
            128 / 180,
            limited,
            relative_tolerance=1e-12,
        ),
        _claim(
            "share predicted with three entries and the shared one beside them",
            f"{THESIS}, Table 4.6",
            128 / 180,
            beside,
            kind="deviation",
            note="the text, and the tool, keep three histories beside the shared entry; the table counts it among them",
        ),
        _claim(
            "share predicted with three entries, first sight free",
            f"{THESIS}, Table 4.6",
            128 / 180,
            tool,
            kind="deviation",
            note=f"{TOOL} takes half a hit off each entry of a limited table",
        ),
        _claim(
            "linear entropy is twice the rate of the best table",
            "De Pestel, Eyerman, Eeckhout 2017, by definition",
            2.0 * free,
            linear,
            relative_tolerance=1e-12,
        ),
    ]


def _limits() -> list[Claim]:
    source = f"{THESIS}, Section 4.4.3"
    traces = (1e6, 1e7)
    down = tuple(float(published_max_history(t)) for t in traces)
    up = tuple(float(published_max_history(t, rounding="up")) for t in traces)
    printed_bias = tuple(1.0 - float(entropy_bias(t, n)) for t, n in zip(traces, (16, 20), strict=True))
    note = "the rounding brackets are upwards as printed, its examples downwards; 3 is log2 of 8 samples per history"
    found = [
        _claim("longest history of traces of 1e6 and 1e7 branches", source, (16.0, 20.0), down),
        _claim("the same with the brackets as printed", source, (16.0, 20.0), up, kind="deviation", note=note),
        _claim(
            "the entropy of a random source at the longest history is 1 bit",
            source,
            (1.0, 1.0),
            printed_bias,
            unit="bit",
            kind="deviation",
            note="its bias is 2^n / (2 t ln 2): 5 to 8 % there; for 1 % the history must be 6.2 below log2 t",
        ),
        _claim(
            "longest history for a bias of 1 % is the whole part of log2(t) - 6.17",
            "Miller and Madow 1955, first order",
            tuple(float(np.floor(np.log2(t) + np.log2(2.0 * np.log(2.0) * 0.01))) for t in traces),
            tuple(float(max_history(t, 0.01)) for t in traces),
        ),
    ]
    for name, events in EVENTS.items():
        found.append(_claim(f"{name}: history the tool calls best", TOOL, 29.0, float(tool_history(events))))
    return found


def _sources() -> list[Claim]:
    rng = np.random.default_rng(20)
    flips = (rng.random(200_000) < 0.1).cumsum() % 2
    coin = rng.integers(0, 2, 100_000)
    return [
        _claim(
            "outcomes that flip with probability 0.1: entropy with one known outcome",
            "simulated; closed form H(0.1)",
            0.4690,
            branch_entropy(flips, 1),
            unit="bit",
            absolute_tolerance=0.005,
        ),
        _claim(
            "outcomes that flip with probability 0.1: rate of the best table",
            "simulated; closed form",
            0.10,
            max_outcome_miss_rate(flips, 1),
            absolute_tolerance=0.002,
        ),
        *(
            _claim(
                f"coin flips, 100 000 of them: rate of the best table at {history} known outcomes",
                "an independent simulation",
                rate,
                max_outcome_miss_rate(coin, history),
                absolute_tolerance=0.005,
            )
            for history, rate in ((1, 0.499), (8, 0.481), (12, 0.419), (16, 0.317), (20, 0.478))
        ),
    ]


def _not_checkable() -> list[Claim]:
    note = "the outcomes of the branches are not published"
    rows = (
        ("seq-csr, scales 12 and 15: measured rate in percent", "Section 3.5.3", (2.58, 2.37)),
        ("seq-list, scale 15: measured rate in percent", "Section 3.5.3", 3.7),
    )
    return [
        *measured_claims("branches"),
        *(
            _claim(what, f"{THESIS}, {where}", published, None, kind="not checkable", note=note)
            for what, where, published in rows
        ),
    ]
