"""Messages of many sizes: sums over the bins of a profile, handshakes of large messages, pipelined bins."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.declare.declaration import Assumption
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve
from dse.models.workload.profile.reading import parse_profile, read_profile
from dse.search.driver import SearchOptions, search

from ..workload.small_profiles import document
from .machines import NETWORK, PROCESS, floats, one

WANTED = ("communication_time", "network_latency", "effective_bandwidth", "handshake_latency")
WORK = {name: value for name, value in PROCESS.items() if name not in ("messages", "message_size")}
PIPELINED = {"message_pipelining": "pipelined"}


@lru_cache
def resolved(names: tuple[str, ...], use: tuple[tuple[str, str], ...]) -> tuple[Graph, dict[str, float]]:
    """The quantities of the full mesh with a profile, and what is assumed."""
    models = [load_model(name) for name in ("network", "system", "system.profiled_messages")]
    declared = {name: item for model in models for name, item in {**model.parameters, **model.assumptions}.items()}
    supplied = {name: Input(name, declared[name].unit, "set", "the test") for name in names}
    supplied["profile"] = Input("profile", "table", "table", "the test")
    graph = resolve(WANTED, models=models, supplied=supplied, use={"topology": "full-mesh", **dict(use)})
    return graph, {name: item.value for name, item in declared.items() if isinstance(item, Assumption)}


def told_document(sizes: Any, totals: tuple[int, int] | None = None) -> dict[str, Any]:
    """A profile of 32 processes whose messages have these bins, or these totals only."""
    messages, held = totals or (sum(row[1] for row in sizes or ()), sum(row[2] for row in sizes or ()))
    p2p = {"messages": messages, "bytes": held, **({"sizes": [list(row) for row in sizes]} if sizes else {})}
    return document(run={"processes": 32}, classes__0__comm={"p2p": p2p})


def found(sizes: Any, *, totals: Any = None, use: Any = None, **changed: float) -> dict[str, float]:
    """Quantities of the full mesh of 32 nodes with such a profile."""
    values = {**NETWORK, **WORK, **changed}
    graph, assumed = resolved(tuple(values), tuple((use or {}).items()))
    arrays = {name: np.atleast_1d({**assumed, **values}[name]) for name in graph.inputs if name != "profile"}
    answers = graph.evaluate({**arrays, "profile": parse_profile(told_document(sizes, totals))})
    return {name: float(np.asarray(answers[name]).reshape(-1)[0]) for name in WANTED}


@st.composite
def histograms(draw: Any) -> list[tuple[int, int, int]]:
    """Bins of 0, 1, 2, 3 to 4, … bytes, some of them left out, with any bytes that fit into them."""
    powers = st.sampled_from([0, *(2**power for power in range(24))])
    uppers = draw(st.lists(powers, min_size=1, unique=True, max_size=9))
    rows, below = [], -1
    for upper in sorted(uppers):
        messages = draw(st.integers(0, 10_000))
        least = 0 if upper == 0 else upper // 2 + 1
        assert least > below
        rows.append((upper, messages, draw(st.integers(messages * least, messages * upper))))
        below = upper
    return rows


def message_by_message(rows: Any, told: dict[str, float], limit: float, begun: float | None = None) -> float:
    """Seconds of the messages one after the other; with `begun`, after the first each starts when it may."""
    count = sum(messages for _, messages, _ in rows)
    serial = steady = asked = 0.0
    for _, messages, held in rows:
        if messages:
            out = held / messages / told["effective_bandwidth"]
            serial += messages * (told["network_latency"] + out)
            steady += messages * max(begun or 0.0, out)
            asked += messages * (told["handshake_latency"] if held > limit * messages else 0.0)
    if begun is None or not count:
        return serial + asked
    first = sum(held for _, _, held in rows) / count / told["effective_bandwidth"]
    return told["network_latency"] + first + (count - 1) / count * steady + asked


@given(histograms(), floats(0.0, 1e7))
def test_serial_messages_are_the_sum_over_the_bins(rows, limit):
    """Eq. 6.4 for every bin, and 2 (l_link + sw l_switch) more for each message of the bins above the limit."""
    told = found(rows, eager_limit=limit)
    assert told["communication_time"] == pytest.approx(message_by_message(rows, told, limit), rel=1e-9, abs=1e-15)


@given(histograms(), floats(0.0, 1e-3), floats(0.0, 1e-3), floats(0.0, 1e7))
def test_pipelined_messages_start_by_the_size_of_their_bin(rows, overhead, gap, limit):
    """After the first, one of a bin every max(o, g, m_b/B); the first one has the mean size."""
    options = {"message_overhead": overhead, "message_gap": gap, "eager_limit": limit}
    told = found(rows, use=PIPELINED, **options)
    wanted = message_by_message(rows, told, limit, max(overhead, gap))
    assert told["communication_time"] == pytest.approx(wanted, rel=1e-9, abs=1e-15)


@given(histograms())
def test_the_same_totals_take_the_same_time_without_a_limit(rows):
    """Serial messages: with and without the histogram, to the bit, and as given by the study."""
    with_bins = found(rows)
    totals = sum(row[1] for row in rows), sum(row[2] for row in rows)
    without = found(None, totals=totals)
    assert with_bins["communication_time"] == without["communication_time"]
    size = totals[1] / totals[0] if totals[0] else 0.0
    given_by_study = one("communication_time", messages=float(totals[0]), message_size=size)
    assert given_by_study["communication_time"] == without["communication_time"]


@given(histograms(), floats(1e-7, 1e-3))
def test_bins_start_later_than_their_mean(rows, begun):
    """A maximum of the mean is no more than the mean of the maxima: small messages wait, large ones need not."""
    options = {"use": PIPELINED, "message_overhead": begun, "message_gap": 0.0}
    totals = sum(row[1] for row in rows), sum(row[2] for row in rows)
    bins, mean = found(rows, **options), found(None, totals=totals, **options)
    assert bins["communication_time"] >= mean["communication_time"] * (1 - 1e-12)


def test_a_handshake_by_hand():
    """Links and switches there and back (2 or 3 links in a mesh of 8 by 4), no software; at the limit none."""
    links = (3 * 2 + 28 * 3) / 31
    wire = 2 * 2.5e-9 + (links - 2) * 12e-9 + (links - 1) * 0.7e-6
    above, at = (one("latency_time", message_size=s, eager_limit=4096.0)["latency_time"] for s in (4097.0, 4096.0))
    assert at == pytest.approx(1000 * (0.9e-6 + wire), rel=1e-12)
    assert above - at == pytest.approx(1000 * 2 * wire, rel=1e-12)


def test_a_limit_decides_by_bins_and_not_by_the_mean():
    """90 messages of 10 bytes and 10 of 1 MB: the mean of 100 kB is above a limit that only ten are above."""
    rows = [(16, 90, 900), (2**20, 10, 10_000_000)]
    told = found(rows, eager_limit=65536.0)
    mean = found(None, totals=(100, 10_000_900), eager_limit=65536.0)
    assert mean["communication_time"] - told["communication_time"] == pytest.approx(
        90 * told["handshake_latency"], rel=1e-9
    )


def test_bounds_hold_for_functions_of_a_histogram(check_ranges):
    """So that bundles of designs are bounded, and need no table of every design."""
    rows = [(0, 5, 0), (16, 5000, 60_000), (2**20, 40, 30_000_000)]
    tables = {"profile": parse_profile(told_document(rows))}
    limits = {
        "leaving_fraction": (0.0, 1.0),
        "eager_limit": (0.0, 1e6),
        "message_overhead": (0.0, 1e-5),
        "message_gap": (0.0, 1e-5),
    }
    limits["effective_bandwidth"] = (1e8, 1e11)
    functions = [f for f in load_model("system.profiled_messages").functions if f.slot == "message_sizes"]
    assert len(functions) == 2
    for function in functions:
        check_ranges(function, limits=limits, tables=tables)


def test_a_study_searches_over_the_limit(tmp_path):
    """Whatever the method, the largest limit is the fastest: no message asks."""
    told = told_document([(16, 5000, 60_000), (2**20, 40, 30_000_000)])
    (tmp_path / "p.json").write_text(json.dumps(told), encoding="utf-8")
    study = Study(
        {
            "name": "sizes",
            "models": ["network", "system", "system.profiled_messages"],
            "objectives": [{"minimize": "system_time"}, {"minimize": "system_energy"}],
            "use": {"topology": "full-mesh"},
            "set": {
                **{"compute_time": "1 us", "node_static_power": "40 W", "node_dynamic_power": "60 W"},
                **{"nodes_per_switch": 4, "node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s"},
            },
            "tables": {"profile": {"file": "p.json"}},
            "space": {
                "axes": {"mesh_switches": {"values": [8]}, "eager_limit": {"values": ["8 B", "64 KiB", "4 MiB"]}}
            },
        },
        folder=tmp_path,
    )
    problem = study.problem()
    for method in ("exhaustive", "bundles", "groups"):
        found = search(problem, SearchOptions(method=method))
        assert [problem.space.parameters(int(n))["eager_limit"] for n in found.numbers] == ["4 MiB"], method


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([[0, 1, 0], [32, 2, 64]], ["comm.p2p.sizes", "the messages of all bins are 3", "4", "comm.p2p.messages"]),
        ([[0, 1, 0], [32, 3, 63]], ["comm.p2p.sizes", "the bytes of all bins are 63", "64", "comm.p2p.bytes"]),
        ([[32, 3, 64], [0, 1, 0]], ["comm.p2p.sizes[1]", "0 after 32", "upper bytes that rise"]),
        ([[0, 1, 1], [32, 3, 63]], ["comm.p2p.sizes[0]", "1 bytes in 1 messages of 0 to 0 bytes", "0 to 0 bytes"]),
        ([[16, 1, 16], [32, 3, 48]], ["comm.p2p.sizes[1]", "3 messages of 17 to 32 bytes", "51 to 96 bytes"]),
        ([[32, 4]], ["comm.p2p.sizes[0]", "[32, 4]", "[upper bytes, messages, bytes]"]),
        ([[32, 4, -1]], ["comm.p2p.sizes[0]", "whole numbers >= 0"]),
    ],
)
def test_bins_that_do_not_fit_the_profile_are_refused(tmp_path, sizes, words):
    (tmp_path / "p.json").write_text(json.dumps(document(classes__0__comm__p2p__sizes=sizes)), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_profile(tmp_path / "p.json")
    for word in ["p.json", *words]:
        assert word in str(caught.value)


def test_bins_are_of_what_is_sent_where_that_is_counted(tmp_path):
    """Sums are those of the messages sent, not of those received."""
    sent = {"sent_messages": 3, "sent_bytes": 60}
    p2p = {"messages": 4, "bytes": 64, **sent}
    (tmp_path / "p.json").write_text(json.dumps(document(classes__0__comm={"p2p": {**p2p, "sizes": [[32, 3, 60]]}})))
    assert read_profile(tmp_path / "p.json").only.comm.p2p.outgoing == (3, 60)
    (tmp_path / "p.json").write_text(json.dumps(document(classes__0__comm={"p2p": {**p2p, "sizes": [[32, 4, 64]]}})))
    with pytest.raises(InputError, match=r"3, which is comm\.p2p\.sent_messages"):
        read_profile(tmp_path / "p.json")
