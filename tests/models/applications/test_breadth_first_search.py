"""Messages of a breadth-first search: the closed forms against the buffers of the code, counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.evaluation.direct import evaluate_models

TARGETS = (
    "messages",
    "message_size",
    "data_messages",
    "marker_messages",
    "sent_records",
    "process_records",
    "pair_bytes",
)


def law(scale, edge_factor, nodes, use=None, *targets, **changed):
    given_values = {"graph_scale": scale, "edge_factor": edge_factor, "nodes": nodes, **changed}
    found = evaluate_models(["applications.breadth_first_search"], targets or TARGETS, given_values, use)
    return {name: float(value.reshape(-1)[0]) for name, value in found.items()}


def sent_by_the_code(records, nodes, levels, per_buffer, rng):
    """What process 0 sends: a buffer per destination, sent when full and at the end of a level, then empty messages.

    Records fall on levels and destinations at random, evenly.
    """
    full = partial = 0
    level, destination = rng.integers(levels, size=records), rng.integers(nodes, size=records)
    for one in range(levels):
        waiting = np.bincount(destination[level == one], minlength=nodes)[1:]
        full += int((waiting // per_buffer).sum())
        partial += int((waiting % per_buffer > 0).sum())
    return full + partial, levels * (nodes - 1)


@pytest.mark.parametrize(
    ("scale", "edge_factor", "nodes", "tolerance"),
    [
        (20, 16, 4, 0.02),  # buffers are sent full: one partly filled per pair and level
        (18, 16, 8, 0.02),
        (14, 16, 4, 0.15),
        (10, 16, 64, 0.02),  # less than a buffer for a pair and level: one message each
        (10, 16, 256, 0.05),  # a third of a record for a pair and level
        (10, 16, 512, 0.05),  # hardly a record for a pair: one message per record
        (8, 16, 1024, 0.02),
    ],
)
def test_against_buffers_counted_one_by_one(scale, edge_factor, nodes, tolerance):
    records = int(2 * edge_factor * 2**scale / nodes)
    data, markers = sent_by_the_code(records, nodes, 6, 256, np.random.default_rng(3))
    found = law(scale, edge_factor, nodes)
    assert found["process_records"] == records
    assert found["marker_messages"] == markers
    assert found["data_messages"] == pytest.approx(data, rel=tolerance)
    assert found["sent_records"] == pytest.approx(records * (nodes - 1) / nodes, rel=1e-12)


def test_the_measured_run():
    """Scale 20, 64 edges per vertex, 64 processes: 524,288 bytes per pair (512 KB measured), 3.75 KB per message."""
    found = law(20, 64, 64)
    assert found["pair_bytes"] == 524_288
    assert found["messages"] / 63 == pytest.approx(524_288 / 3840, rel=0.02)
    assert found["message_size"] == pytest.approx(3840, rel=0.02)
    assert law(20, 64, 128)["pair_bytes"] == 524_288 / 4


def test_the_study_of_262144_processes():
    """8,192 records of 16 bytes, 16,384 full messages at scale 35, 1.6 million empty ones."""
    found = law(26, 16, 2**18, {"coalescing": "none", "end_markers": "none"})
    assert found["process_records"] == 8192
    assert found["messages"] == pytest.approx(8192, rel=1e-5)
    assert found["message_size"] == pytest.approx(16, rel=1e-12)
    full = law(35, 16, 2**18, {"coalescing": "full", "end_markers": "none"})
    assert full["messages"] == pytest.approx(16_384, rel=1e-5)
    assert full["message_size"] == pytest.approx(4096, rel=1e-12)
    assert full["messages"] * full["message_size"] == pytest.approx(67.1e6, rel=1e-3)
    # Buffers gather hardly any two records: 0.3 % fewer messages.
    assert law(26, 16, 2**18)["data_messages"] == pytest.approx(8192, rel=3e-3)
    assert law(26, 16, 2**18)["marker_messages"] == 6 * (2**18 - 1)


sizes = st.tuples(st.integers(4, 36), st.sampled_from([1, 8, 16, 64]), st.sampled_from([1, 2, 3, 64, 1000, 2**18]))
choices = st.sampled_from(["buffers", "full", "none"])


@settings(max_examples=examples(60))
@given(sizes, choices, st.sampled_from(["sent", "none"]))
def test_laws(size, coalescing, markers):
    """Bytes do not depend on how they are packed; no message is larger than a buffer; none is sent to oneself."""
    scale, factor, nodes = size
    found = law(scale, factor, nodes, {"coalescing": coalescing, "end_markers": markers})
    volume = 32 * factor * 2.0**scale / nodes * (1 - 1 / nodes)
    assert found["messages"] * found["message_size"] == pytest.approx(volume, rel=1e-12)
    assert found["message_size"] <= 4096 * (1 + 1e-12)
    assert found["messages"] == found["data_messages"] + found["marker_messages"]
    if nodes == 1:
        assert found["messages"] == found["message_size"] == 0
    single = law(scale, factor, nodes, {"coalescing": "none"})
    assert found["data_messages"] <= single["data_messages"] * (1 + 1e-12)
    full = law(scale, factor, nodes, {"coalescing": "full"})
    assert found["data_messages"] >= full["data_messages"] * (1 - 1e-12)


def test_all_reduces():
    assert law(20, 16, 64, None, "all_reduces", search_levels=7)["all_reduces"] == 8


def test_bad_input():
    with pytest.raises(InputError, match="no component 'some' for the slot 'coalescing'"):
        law(20, 16, 64, {"coalescing": "some"})
    with pytest.raises(InputError, match=r"no model has 'scale'.*graph_scale"):
        evaluate_models(["applications.breadth_first_search"], ["messages"], {"scale": 20})
