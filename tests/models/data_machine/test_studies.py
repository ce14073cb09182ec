"""Cycles with a deadline, passes out of core and searches of graphs as studies, against sums written out."""

import math

import pytest

from dse import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.data_machine import graph_bytes
from dse.search.driver import SearchOptions, search

WEATHER = {
    "cycle_operations": 2e15,
    "cycle_input_bytes": "200 GB",
    "cycle_output_bytes": "200 GB",
    "cycle_peak_flop_rate": "2.5 Pflop/s",
}


def study(objective, *, fixed, axes, models=("data_machine",), use=None, also=(), constraints=()):
    document = {
        "name": "data",
        "models": list(models),
        "objectives": [objective],
        "also": list(also),
        "constraints": list(constraints),
        "use": use or {},
        "set": fixed,
        "space": {"axes": axes},
    }
    return Study(document)


def phases(fixed, **rest):
    axes = {"store": {"part": "data_machine/storage_phases.csv"}}
    return study({"minimize": "cycle_time"}, fixed=fixed, axes=axes, also=["cycle_slack"], **rest)


def test_a_cycle_is_data_in_computing_and_data_out():
    found = phases(WEATHER).evaluate({"store": "phase 1 least"})
    assert found["cycle_time"] == pytest.approx(2e15 / 2.5e14 + 2 * (200 / 400 + 10e-6), rel=1e-12)
    assert found["cycle_slack"] == pytest.approx(30 - found["cycle_time"], rel=1e-12)


def test_a_cycle_that_is_late_has_negative_slack_and_is_not_feasible():
    late = WEATHER | {"cycle_input_bytes": "20 TB"}
    found = phases(late).evaluate({"store": "phase 1 most"})
    assert found["cycle_slack"] == pytest.approx(30 - 8 - 40 - 0.4, abs=1e-3)
    problem = phases(late, constraints=["cycle_time <= 30 s"]).problem()
    found = search(problem, SearchOptions(method="exhaustive", count_infeasible=True))
    assert (problem.space.size, found.certificate.feasible) == (6, 4)  # phase 2 and later


def test_drives_links_and_operations_each_bind():
    drives = {
        "store_devices": 16,
        "store_device_read_bandwidth": "0.5 GB/s",
        "store_device_write_bandwidth": "0.25 GB/s",
        "store_links": 1,
        "store_link_bandwidth": "3 GB/s",
        "store_servers": 1,
        "store_operation_rate": "1000 1/s",
    }
    axes = {"store_block_size": {"values": ["1 MB", "4 MB"]}}
    also = ["effective_read_bandwidth", "effective_write_bandwidth"]
    asked = study(
        {"minimize": "cycle_time"}, fixed=WEATHER | drives, axes=axes, use={"data_store": "devices"}, also=also
    )
    small, large = (asked.evaluate({"store_block_size": size}) for size in ("1 MB", "4 MB"))
    assert (small["effective_read_bandwidth"], small["effective_write_bandwidth"]) == (1e9, 1e9)
    assert (large["effective_read_bandwidth"], large["effective_write_bandwidth"]) == (3e9, 3e9)
    wide = study(
        {"minimize": "cycle_time"},
        fixed=WEATHER | drives | {"store_links": 9},
        axes=axes | {"store_block_size": {"values": ["1 GB"]}},
        use={"data_store": "devices"},
        also=also,
    ).evaluate({})
    assert wide["effective_read_bandwidth"] == pytest.approx(0.92 * 8e9)
    assert wide["effective_write_bandwidth"] == pytest.approx(0.90 * 4e9)


def test_a_store_without_a_bandwidth_for_reading_reads_as_it_writes():
    axes = {"store_write_bandwidth": {"values": ["100 GB/s", "200 GB/s"]}}
    found = study({"minimize": "cycle_time"}, fixed=WEATHER, axes=axes, also=["cycle_input_time"]).evaluate(
        {"store_write_bandwidth": "100 GB/s"}
    )
    assert found["cycle_input_time"] == pytest.approx(2.0, abs=2e-5)


def test_a_pass_out_of_core_and_what_binds_it():
    axes = {"store": {"part": "data_machine/storage_phases.csv"}}
    fixed = {"pass_bytes": "100 TB", "pass_compute_time": "50 s"}
    asked = study({"minimize": "out_of_core_pass_time"}, fixed=fixed, axes=axes, also=["out_of_core_factor"])
    slow, fast = (asked.evaluate({"store": name}) for name in ("phase 1 most", "phase 2"))
    assert (slow["out_of_core_factor"], slow["out_of_core_pass_time"]) == (pytest.approx(4.0), pytest.approx(200.0))
    assert (fast["out_of_core_factor"], fast["out_of_core_pass_time"]) == (1.0, 50.0)


@pytest.mark.parametrize(("scale", "memory"), [(26, 17e9), (29, 136e9), (42, 17e9 * 65536), (0, 17e9 / 2**26)])
def test_memory_doubles_with_every_scale(scale, memory):
    assert float(graph_bytes(scale)) == pytest.approx(memory, rel=1e-4)
    assert float(graph_bytes(scale + 1)) == 2 * float(graph_bytes(scale))


def test_edges_per_joule_of_nodes_and_of_a_search():
    axes = {"nodes": {"values": [683, 1366]}}
    per_node = study(
        {"maximize": "traversed_edges_per_energy"},
        fixed={"search_power": "1 MW"},
        axes=axes,
        also=["traversed_edge_rate"],
    ).evaluate({"nodes": 1366})
    assert per_node["traversed_edge_rate"] == pytest.approx(462.25e9, rel=1e-12)
    assert per_node["traversed_edges_per_energy"] == pytest.approx(462.25e3, rel=1e-12)
    search = study(
        {"maximize": "traversed_edges_per_energy"},
        fixed={"search_power": "1 kW", "edge_factor": 16, "breadth_first_search_time": "2 s"},
        axes={"graph_scale": {"values": [26, 30]}},
        use={"traversal_rate": "search-time"},
        also=["graph_memory"],
    ).evaluate({"graph_scale": 30})
    assert search["traversed_edges_per_energy"] == pytest.approx(16 * 2**30 / 2 / 1e3, rel=1e-12)
    assert search["graph_memory"] == pytest.approx(17e9 * 16, rel=1e-12)


def test_a_search_of_the_applications_gives_the_rate():
    """The time of a search is a quantity of `applications`, so edges per joule take it as it is."""
    fixed = {
        "graph_scale": 30,
        "edge_factor": 16,
        "search_power": "1 MW",
        "node_memory_bandwidth": "100 GB/s",
        "all_to_all_bandwidth": "5 GB/s",
        "message_latency": "2 us",
    }
    found = study(
        {"maximize": "traversed_edges_per_energy"},
        fixed=fixed,
        axes={"nodes": {"values": [64, 256]}},
        models=("data_machine", "applications"),
        use={"traversal_rate": "search-time"},
        also=["breadth_first_search_time"],
    ).evaluate({"nodes": 256})
    edges = 16 * 2.0**30
    assert found["traversed_edges_per_energy"] == pytest.approx(edges / found["breadth_first_search_time"] / 1e6)


def test_the_fewest_servers_for_each_machine_that_keeps_the_deadline():
    """Every design of mSATA drives, supercomputer links and object stores, one by one."""
    best = {}
    for servers in range(1, 65):
        read = min(16 * servers * 0.5202e9 * 0.92, servers * 5e9, servers * 190000 * 65536)
        write = min(16 * servers * 0.2633e9 * 0.90, servers * 5e9, servers * 190000 * 65536)
        for step in range(37):
            rate = 0.7e15 + step * 0.05e15
            time = 2e15 / (0.1 * rate) + 200e9 / read + 200e9 / write + 2 * 10e-6
            if time <= 30 and servers < best.get(round(rate), (math.inf,))[0]:
                best[round(rate)] = (servers, time)
    expected, least = [], math.inf
    for rate in sorted(best):
        if best[rate][0] < least:
            least = best[rate][0]
            expected.append((rate, least))
    frontier = Study.load("weather-assimilation").run(trust=False).frontier
    found = [(round(row["cycle_peak_flop_rate"]), int(row["store_servers"])) for _, row in frontier.iterrows()]
    assert sorted(found) == expected
    assert expected[0] == (0.75e15, 28)
    assert expected[-1] == (1.75e15, 5)


@pytest.mark.parametrize(
    ("fixed", "use", "words"),
    [
        ({"cycle_peak_share": 1.5}, {}, ["cycle_peak_share", "1.5"]),
        ({"cycle_input_bytes": "200 GB/s"}, {}, ["cycle_input_bytes", "GB/s"]),
        ({}, {"data_store": "device"}, ["data_store", "devices"]),
        ({}, {"data_store": "devices"}, ["store_devices"]),
    ],
)
def test_wrong_input_is_refused_by_name(fixed, use, words):
    with pytest.raises(InputError) as refused:
        phases(WEATHER | fixed, use=use).evaluate({"store": "phase 2"})
    assert all(word in str(refused.value) for word in words), str(refused.value)


def test_a_phase_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="phase 2"):
        phases(WEATHER).evaluate({"store": "phase 22"})


def test_drives_give_the_bandwidths_that_checkpoints_read():
    server = {"store_device_read_bandwidth": "0.5 GB/s", "store_device_write_bandwidth": "0.25 GB/s", "store_links": 1}
    server |= {"store_link_bandwidth": "5 GB/s", "store_servers": 1, "store_operation_rate": "1e6 1/s"}
    found = study(
        {"maximize": "store_write_bandwidth"},
        fixed=server | {"store_block_size": "1 MB"},
        axes={"store_devices": {"values": [8, 16]}},
        use={"data_store": "devices"},
        also=["store_read_bandwidth", "effective_write_bandwidth"],
    ).evaluate({"store_devices": 8})
    assert found["store_write_bandwidth"] == found["effective_write_bandwidth"] == pytest.approx(0.9 * 2e9)
    assert found["store_read_bandwidth"] == pytest.approx(0.92 * 4e9)


TEXT = """
name = "own"
models = ["data_machine"]
objectives = [{ minimize = "cycle_time" }]
constraints = ["cycle_time <= 30 s"]
[set]
cycle_operations = 2e15
cycle_input_bytes = "200 GB"
cycle_output_bytes = "200 GB"
cycle_peak_flop_rate = "2.5 Pflop/s"
[space.axes]
store = { part = "data_machine/storage_phases.csv" }
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("30 s", "30 GB"), ["constraints", "30 GB"]),
        (("storage_phases.csv", "storage_phase.csv"), ["storage_phases.csv"]),
        (("cycle_input_bytes", "cycle_input_byte"), ["cycle_input_byte", "did you mean 'cycle_input_bytes'?"]),
        (('"200 GB"', '"-200 GB"'), ["cycle_input_bytes", "-2"]),
        (('"cycle_time" }', '"cycle_times" }'), ["did you mean 'cycle_time'?"]),
    ],
)
def test_a_wrong_study_ends_with_2_and_one_message(change, words, tmp_path, capsys):
    file = tmp_path / "own.toml"
    file.write_text(TEXT.replace(*change, 1), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(file)])
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert all(word in told.err for word in words), told.err
    assert "Traceback" not in told.err


def test_no_phase_that_keeps_the_deadline_is_an_answer_of_no(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(TEXT.replace("30 s", "8 s"), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["run", "own.toml"])
    assert ended.value.code == 1
    assert "cycle_time <= 8 s" in capsys.readouterr().out
