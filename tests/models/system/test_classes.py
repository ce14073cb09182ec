"""Classes of processes: the maximum of the times, the sums of the energies, and counts that must fit the machine."""

from __future__ import annotations

from typing import Any

import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.errors import InputError

from .machines import NETWORK, PROCESS, TARGETS, Class, Machine, floats, processes

UNITS = {"bandwidth": "B/s", "power": "W", "time": "s", "size": "B"}
ONE = ("network_latency", "effective_bandwidth", "transfer_energy", "network_power")


def united(values: dict[str, float]) -> dict[str, Any]:
    """The values as a study has them."""
    return {
        name: f"{value!r} {UNITS[end]}" if (end := name.split("_")[-1]) in UNITS else value
        for name, value in values.items()
    }


def study(classes: dict[str, dict[str, float]], also=TARGETS, **changed: float) -> Study:
    """A full mesh of 32 nodes; what not every class has of its own is common."""
    own = set.intersection(*(set(one) for one in classes.values()))
    common = {name: value for name, value in {**NETWORK, **PROCESS, **changed}.items() if name not in own}
    switches = common.pop("mesh_switches")
    return Study(
        {
            "name": "classes",
            "models": ["network", "system"],
            "objectives": [{"minimize": "system_time"}, {"minimize": "system_power"}],
            "also": [name for name in also if name not in ("system_time", "system_power")],
            "use": {"topology": "full-mesh"},
            "set": united(common),
            "index": {"process_class": {name: {"set": united(values)} for name, values in classes.items()}},
            "space": {"axes": {"mesh_switches": {"values": [switches]}}},
        }
    )


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(st.lists(processes, min_size=2, max_size=4), floats(0.0, 1.0), floats(0.0, 1.0))
def test_several_classes_by_hand(given_classes, overlap, polling):
    counts = {2: (3.0, 29.0), 3: (1.0, 15.0, 16.0), 4: (1.0, 2.0, 4.0, 25.0)}[len(given_classes)]
    members = {f"c{place}": {**one, "processes": counts[place]} for place, one in enumerate(given_classes)}
    options = {"overlap_fraction": overlap, "polling_power_share": polling}
    found = study(members, (*TARGETS[:3], *TARGETS[6:10], *ONE), **options).evaluate({})
    machine = Machine(
        tuple(
            Class(count, *(one[name] for name in list(PROCESS)))
            for count, one in zip(counts, given_classes, strict=True)
        ),
        *(found[name] for name in ONE),
        overlap=overlap,
        polling=polling,
    )
    for name, wanted in machine.solve().answers.items():
        assert found[name] == pytest.approx(wanted, rel=1e-12), name


def test_the_maximum_is_over_the_sums():
    """One class computes longest, another communicates longest: the time is neither sum of the two."""
    members = {
        "computing": {"processes": 16, "compute_time": 1.0, "messages": 10.0},
        "talking": {"processes": 16, "compute_time": 0.1, "messages": 2e5},
    }
    wanted = ("class_time@computing", "class_time@talking", "communication_time@talking")
    found = study(members, wanted).evaluate({})
    assert found["system_time"] == max(found["class_time@computing"], found["class_time@talking"])
    assert found["system_time"] < 1.0 + found["communication_time@talking"]


@given(processes, floats(0.01, 0.99))
@settings(max_examples=examples(20))
def test_one_class_in_two_parts_is_one_class(process, share):
    """Eq. 6.6 is Eq. 6.7 with one class."""
    parts = {"one": {**process, "process_share": share}, "other": {**process, "process_share": 1.0 - share}}
    split, whole = study(parts, TARGETS[:3]).evaluate({}), study({"all": process}, TARGETS[:3]).evaluate({})
    for name in TARGETS[:3]:
        assert split[name] == pytest.approx(whole[name], rel=1e-12), name


@pytest.mark.parametrize(
    ("members", "have"),
    [
        ({"a": {"processes": 10}, "b": {"processes": 10}}, "20"),
        ({"a": {"processes": 10}, "b": {"processes": 23}}, "33"),
        ({"a": {"process_share": 0.5}, "b": {"process_share": 0.6}}, "35.2"),
        ({"a": {"messages": 1.0}, "b": {"messages": 2.0}}, "64"),  # every class has all nodes, if none says otherwise
        ({"a": {"processes": 31}}, "31"),
    ],
)
def test_classes_that_do_not_fill_the_machine_are_refused(members, have):
    with pytest.raises(InputError) as caught:
        study(members, ("node_dynamic_energy",)).evaluate({})
    told = str(caught.value)
    assert f"the classes have {have} processes together, and the machine has 32 nodes" in told
    assert "one process per node" in told


def test_a_number_and_a_share_can_stand_beside_each_other():
    members = {"few": {"processes": 8, "compute_time": 0.3}, "rest": {"process_share": 0.75}}
    found = study(members, ("class_processes@few", "class_processes@rest", "total_processes")).evaluate({})
    assert (found["class_processes@few"], found["class_processes@rest"], found["total_processes"]) == (8, 24, 32)
