"""Networks that cannot be built are never on a frontier, whatever the study forgets to ask for: every topology."""

import itertools

import numpy as np
import pytest

from dse.api import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.network.topologies import COMPONENTS, TOPOLOGIES

SIZES = range(1, 8)
GIVEN = {
    "slim-fly": "nodes = { values = [250, 300, 350] }",
    "skywalk": "nodes = { values = [128, 256] }, switch_links = [10, 12]",
}


def text_of(component, switch_ports, ports=40):
    """A study of one component that sets no limit to the ports itself."""
    topology = component.topology.name
    given = GIVEN.get(topology, "nodes = [250, 260]")
    return f"""
name = "impossible"
models = ["network"]
also = ["radix", "diameter"]
[[objectives]]
minimize = "network_power"
[use]
topology = "{component.provider}"
[set]
switch_ports = {switch_ports}
[space.axes]
shape = {{ enumerate = "network.{topology}", given = {{ {given}, radix = {ports} }} }}
"""


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: one.provider)
def test_switches_with_fewer_ports_than_links_are_never_met(component, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "impossible.toml"
    file.write_text(text_of(component, 10**6))
    problem = Study.load(str(file)).compiled
    numbers = list(range(problem.space.size))
    needed = np.concatenate([np.ravel(one["values"]["radix"]) for one in problem.quantities(numbers)])
    assert len(np.unique(needed)) > 1

    file.write_text(text_of(component, int(needed.min()) - 1))
    with pytest.raises(SystemExit) as end:
        main(["run", str(file)])
    told = capsys.readouterr().out
    assert end.value.code == 1
    assert "nothing is feasible" in told
    assert f"{len(numbers)} break radix <= switch_ports (required by network.ports)" in told

    file.write_text(text_of(component, int(needed.min())))
    run = Study.load(str(file)).run(trust=False)
    assert set(run.frontier["radix"]) == {needed.min()}
    assert run.manifest.certificate.infeasible == {"radix <= switch_ports": int((needed > needed.min()).sum())}


def impossible_shapes(topology):
    """Small sizes of each way in which a shape cannot be built, the first that has it before all others."""
    names = [name for name in topology.sizes if name not in (*topology.flags, *topology.lengths, "row")]
    rows = np.array(list(itertools.product(SIZES, repeat=len(names))), dtype=float).T
    shape = {**topology.defaults, **dict(zip(names, rows, strict=True))}
    left = np.ones(rows.shape[1], dtype=bool)
    for reason, mask in topology.faults(shape):
        found = np.flatnonzero(left & mask)
        left &= ~np.asarray(mask)
        if found.size:
            yield reason, dict(zip(names, rows[:, found[-1]].astype(int).tolist(), strict=True))


WITH_FAULTS = [
    (component, reason, sizes)
    for component in COMPONENTS
    if "d" not in component.topology.sizes
    for reason, sizes in impossible_shapes(component.topology)
]


def test_every_topology_with_faults_has_examples_of_them():
    assert {one.topology.name for one, *_ in WITH_FAULTS} == {"dragonfly", "slim-fly", "skywalk"}
    assert all(list(TOPOLOGIES[name].faults({"d": (2.0,), "p": 1.0})) == [] for name in ("torus", "hyperx"))


@pytest.mark.parametrize(
    ("component", "reason", "sizes"), WITH_FAULTS, ids=[f"{c.provider}-{r[:22]}" for c, r, _ in WITH_FAULTS]
)
def test_shapes_that_cannot_be_wired_end_a_study_with_the_reason(component, reason, sizes):
    study = {
        "name": "impossible",
        "models": ["network"],
        "objectives": [{"minimize": "switches"}],
        "use": {"topology": component.provider},
        "set": {component.sizes[symbol]: value for symbol, value in sizes.items()},
        "space": {"axes": {"switch_ports": {"values": [10_000]}}},
    }
    with pytest.raises(InputError) as error:
        Study(study).run(trust=False)
    told = str(error.value)
    enumerated = f'an axis {{ enumerate = "network.{component.topology.name}", … }} has no others'
    if not told.startswith("set."):  # beyond the limits of a size alone
        assert told.endswith(f": {reason}; allowed: shapes that can be built; {enumerated}")


SPEEDS = dict.fromkeys(("node_link_bandwidth", "switch_link_bandwidth"), "100 Gbit/s")


def test_links_are_no_faster_than_ports():
    """All links that a topology has count; links that are the ports by definition need no constraint."""
    network = {
        "name": "impossible",
        "models": ["network"],
        "objectives": [{"minimize": "switches"}, {"maximize": "bisection_bandwidth"}],
        "use": {"topology": "fat-tree-2-level"},
        "set": {**SPEEDS, "tree_children_1": 4, "tree_children_2": 4, "tree_uplinks_1": 4},
        "space": {"axes": {"port_bandwidth": {"values": ["50 Gbit/s", "100 Gbit/s", "200 Gbit/s"], "unit": "B/s"}}},
    }
    run = Study(network).run(trust=False)
    assert run.manifest.certificate.infeasible == {"fastest_link_bandwidth <= port_bandwidth": 1}
    assert run.frontier["port_bandwidth"].tolist() == [12.5e9, 25e9]
    three = {**network["set"], "tree_children_3": 2, "tree_uplinks_2": 4, "upper_link_bandwidth": "400 Gbit/s"}
    assert len(Study({**network, "use": {"topology": "fat-tree-3-level"}, "set": three}).run(trust=False).frontier) == 0
    alike = {name: value for name, value in network["set"].items() if "bandwidth" not in name}
    defined = dict.fromkeys(SPEEDS, "port_bandwidth")
    run = Study({**network, "set": alike, "quantities": defined}).run(trust=False)
    assert run.frontier["port_bandwidth"].tolist() == [25e9]
    assert run.manifest.constraints == []
    (told,) = [item.text for item in run.manifest.requirements if item.name == "network.port_speed"]
    assert told.endswith("(no link is faster than the ports of the switches): held by definition")
