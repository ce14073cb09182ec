"""Published figures of branch prediction beside what the functions give."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.branches.entropy import binary_entropy, branch_entropy, miss_rate, tool_miss_rate
from dse.models.branches.linear_entropy import counts_linear_entropy
from dse.models.branches.max_outcome import counts_miss_rate, max_outcome_miss_rate
from dse.models.branches.trace_length import entropy_bias, max_history, published_max_history, tool_history

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "branches")
MEASURED = read_figures(Path(__file__).with_name("measured.csv"), "branches")

# Table 4.5: taken and not taken of four histories
TAKEN, NOT_TAKEN = (70, 10, 15, 3), (30, 40, 5, 7)

# Graph 500, scale 15, edge factor 16: branch entropies at the tool's label of the history, and branches
SEQ_CSR, SEQ_LIST = {29: 0.0874, 32: 0.0867}, {29: 0.1252, 32: 0.1243}
EVENTS = {"seq-csr": 776282816, "seq-list": 906186727}


def claims() -> list[Claim]:
    """Return every published figure of branch prediction, with what the functions give."""
    computed = [*_entropies(), *_tables(), *_limits(), *_sources()]
    return [*computed, *MEASURED.not_checkable(), *FIGURES.not_checkable()]


def _entropies() -> list[Claim]:
    rates = []
    for name, entropies in (("seq-csr", SEQ_CSR), ("seq-list", SEQ_LIST)):
        rate, best = 100.0 * float(miss_rate(entropies[32])), 100.0 * float(tool_miss_rate(entropies[29]))
        rates.append(FIGURES.claim(f"{name}: misprediction rate of the entropy {entropies[32]} at 32", rate))
        rates.append(FIGURES.claim(f"{name}: the rate the tool calls best, of the entropy {entropies[29]} at 29", best))
    rates.append(
        FIGURES.claim("entropy of outcomes that flip with probability 0.1, H(0.1)", float(binary_entropy(0.1)))
    )
    rates.append(
        FIGURES.claim(
            "half the histories deterministic, half coin flips: rate of the mean entropy 0.5", float(miss_rate(0.5))
        )
    )
    return rates


def _tables() -> list[Claim]:
    hits = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN)
    limited = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3)
    beside = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3, shared_entry_in_table=False)
    tool = 1.0 - counts_miss_rate(NOT_TAKEN, TAKEN, table=3, first_sight="half-miss")
    linear = counts_linear_entropy(NOT_TAKEN, TAKEN)
    free = counts_miss_rate(NOT_TAKEN, TAKEN, first_sight="free")
    return [
        FIGURES.claim("share predicted of four histories", hits),
        FIGURES.claim("share predicted with three entries, the shared one among them", limited),
        FIGURES.claim("share predicted with three entries and the shared one beside them", beside),
        FIGURES.claim("share predicted with three entries, first sight free", tool),
        FIGURES.claim("linear entropy is twice the rate of the best table", linear, 2.0 * free),
    ]


def _limits() -> list[Claim]:
    traces = (1e6, 1e7)
    down = tuple(float(published_max_history(t)) for t in traces)
    up = tuple(float(published_max_history(t, rounding="up")) for t in traces)
    printed_bias = tuple(1.0 - float(entropy_bias(t, n)) for t, n in zip(traces, (16, 20), strict=True))
    histories = [
        FIGURES.claim("longest history of traces of 1e6 and 1e7 branches", down),
        FIGURES.claim("the same with the brackets as printed", up),
        FIGURES.claim("the entropy of a random source at the longest history is 1 bit", printed_bias),
        FIGURES.claim(
            "longest history for a bias of 1 % is the whole part of log2(t) - 6.17",
            tuple(float(max_history(t, 0.01)) for t in traces),
            tuple(float(np.floor(np.log2(t) + np.log2(2.0 * np.log(2.0) * 0.01))) for t in traces),
        ),
    ]
    for name, events in EVENTS.items():
        histories.append(FIGURES.claim(f"{name}: history the tool calls best", float(tool_history(events))))
    return histories


def _sources() -> list[Claim]:
    rng = np.random.default_rng(20)
    flips = (rng.random(200_000) < 0.1).cumsum() % 2
    coin = rng.integers(0, 2, 100_000)
    return [
        FIGURES.claim(
            "outcomes that flip with probability 0.1: entropy with one known outcome", branch_entropy(flips, 1)
        ),
        FIGURES.claim(
            "outcomes that flip with probability 0.1: rate of the best table", max_outcome_miss_rate(flips, 1)
        ),
        *(
            FIGURES.claim(
                f"coin flips, 100 000 of them: rate of the best table at {history} known outcomes",
                max_outcome_miss_rate(coin, history),
            )
            for history in (1, 8, 12, 16, 20)
        ),
    ]
