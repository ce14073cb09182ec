"""A graph with open inputs: what they do not reach is evaluated once, and what nobody reads is let go."""

from dataclasses import replace

import pytest

from dse.authoring.declare.declaration import quantity
from dse.authoring.library.library import Model
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.models.processor import CORRECTED, REFERENCE, predict
from dse.models.processor.claims.sample_machines import MACHINES
from dse.models.processor.predict.machine import read_machine
from dse.models.processor.predict.variants import variant_for
from dse.models.processor.sharing.open_graph import OpenGraph

from .profiles import measured

V3 = MACHINES["Xeon E5-2697 v3"]


@pytest.fixture
def calls():
    return []


@pytest.fixture
def opened(calls):
    @quantity(unit="1", source="test")
    def constant():
        calls.append("constant")
        return 2.0

    @quantity(unit="1", source="test")
    def private(size, constant):
        calls.append("private")
        return size * constant

    @quantity(unit="1", source="test")
    def shared(private, share):
        calls.append("shared")
        return private + share

    @quantity(unit="1", source="test")
    def cycles(shared, latency):
        calls.append("cycles")
        return shared * latency

    model = Model("test", "", (constant, private, shared, cycles), {}, {}, {}, ())
    supplied = {name: Input(name, "1", "set", "test") for name in ("size", "share", "latency")}
    return OpenGraph(resolve(["cycles", "private"], models=[model], supplied=supplied))


def test_what_no_open_input_reaches_is_evaluated_once(opened, calls):
    thread = opened.fill(size=3.0)
    assert calls == ["constant", "private"]
    assert [thread.read(["cycles"], share=share, latency=10.0) for share in (1.0, 2.0)] == [[70.0], [80.0]]
    assert calls == ["constant", "private"] + 2 * ["shared", "cycles"]
    served = thread.fill(share=1.0)
    assert served.read(["cycles"], latency=2.0) == [14.0]
    assert served.fill(latency=2.0)["cycles"] == 14.0
    assert calls.count("private") == 1


def test_only_what_is_asked_for_is_evaluated(opened, calls):
    assert opened.fill(size=3.0).read(["shared"], share=1.0, latency=1.0) == [7.0]
    assert "cycles" not in calls


def test_inputs_and_targets_are_kept(opened):
    values = opened.fill(size=3.0, share=1.0, latency=1.0, unread=5.0).values
    assert set(values) == {"size", "share", "latency", "unread", "private", "cycles"}
    assert set(opened.fill(size=3.0).values) == {"size", "private"}
    assert opened.values == {}


def test_a_variant_is_resolved_once():
    def graph(behaviour, **changes):
        return variant_for("interaction", behaviour, read_machine({**V3, **changes}, behaviour)).graph

    assert graph(CORRECTED) is graph(CORRECTED, rob=16)
    assert graph(REFERENCE) is graph(replace(REFERENCE, branch_factor=1.2))
    others = [graph(REFERENCE), graph(CORRECTED, in_order=1), graph(CORRECTED, l3_prefetch_coverage=0.5)]
    assert graph(CORRECTED) not in others


def test_a_static_share_is_a_part_of_each_resource():
    """Two threads on a core have half the units, entries and widths each, and all of the bandwidth."""
    halves = ("issue_width", "dispatch_width", "fu_int", "fu_fp", "fu_mem", "fu_control", "fu_vector")
    halves += ("front_pipe", "rob", "issue_queue", "mshr")
    half = {**V3, **{name: V3[name] / 2 for name in halves if name in V3}}
    shared = predict(measured("csr"), {**V3, "smt_mode": 2, "all_threads_busy": 1})
    assert float(predict(measured("csr"), half).cpi) == pytest.approx(float(shared.cpi), rel=1e-14)
