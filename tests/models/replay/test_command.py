"""`dse trace`: what it says, its documents and pages, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.replay import Network, analyse, classify, quantities, read_trace, replay, traffic_of, write_trace
from dse.models.replay.network.machine_network import machine_network, network_pattern
from dse.models.replay.network.patterns import Pattern
from dse.models.replay.timing.run_times import run_times
from dse.models.workload.profile.reading import read_profile

from .runs import as_trace, c, recv, send
from .test_replay import GOLDEN

NETWORK = ("--latency", "2 us", "--overhead", "0.5 us", "--bandwidth", "10 GB/s")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["trace", *map(str, arguments)])
    return ended.value.code, capsys.readouterr()


def test_show(capsys):
    code, shown = run(capsys, "show", "stencil-16", *NETWORK)
    assert code == 0
    for text in ("1.985 ms", "at most 1.06 times as fast", "2-D neighbour 4x4 periodic, score 1.0000", "SYNTHETIC"):
        assert text in shown.out
    code, shown = run(capsys, "show", "stencil-16", *NETWORK, "--json")
    told = json.loads(shown.out)
    found = analyse(read_trace("stencil-16"), Network(2e-6, 0.5e-6, 10e9))
    assert told["modes"]["zero_delay"]["time"] == found.modes["zero-delay"].time
    assert told["breakdown"][3]["dependency"] == found.parts.dependency[3]
    assert told["pattern"]["parameters"] == {"grid": [4, 4], "periodic": True}
    assert np.array(told["traffic"]["bytes"]).sum() == found.traffic.bytes.sum()
    assert len(told["intervals"]) == 20
    assert told["factors"]["efficiency"] == found.factors.efficiency
    assert told["waits"]["most"] == found.waits.most


def test_a_run_without_computes_or_messages(capsys, tmp_path):
    for name, events in (("silent", [[c(1)], [c(2)]]), ("pings", [[send(1), recv(1)], [recv(0), send(0)]])):
        path = write_trace(as_trace(events), tmp_path / f"{name}.csv")
        code, shown = run(capsys, "show", path, *NETWORK)
        assert code == 0
        assert ("no messages" in shown.out) == (name == "silent")
        assert ("not defined, no rank computes" in shown.out) == (name == "pings")
        code, shown = run(capsys, "report", path, *NETWORK, "--out", tmp_path / f"{name}.html")
        assert code == 0


def test_a_page_of_a_trace_with_a_hostile_name(capsys, tmp_path):
    trace = as_trace(GOLDEN["stencil"][0], name="<script>alert(1)</script>", source="x")
    path = write_trace(trace, tmp_path / "x.csv")
    assert run(capsys, "report", path, *NETWORK, "--out", tmp_path / "x.html")[0] == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count('class="plotly-graph-div"') == 5
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_deadlock_is_an_answer(capsys, tmp_path):
    path = write_trace(as_trace([[send(1, 1e5), recv(1)], [send(0, 1e5), recv(0)]]), tmp_path / "x.csv")
    for command in (("show", path), ("report", path, "--out", tmp_path / "x.html"), ("factors", path)):
        code, shown = run(capsys, *command, *NETWORK)
        assert code == 1
        assert "deadlock: rank 0 event 0 (send 100 kB to 1) waits for rank 1 event 1 (recv from 0)" in shown.err
    code, shown = run(capsys, "show", path, *NETWORK, "--json")
    assert code == 1
    assert {"rank": 1, "event": 1} in json.loads(shown.out)["circle"]
    assert run(capsys, "show", path, *NETWORK, "--eager-limit", "1 MB")[0] == 0


def test_convert_there_and_back(capsys, tmp_path):
    for there in ("x.ti", "x.parquet", "x.csv.gz"):
        assert run(capsys, "convert", "stencil-9", tmp_path / there)[0] == 0
        assert run(capsys, "convert", tmp_path / there, tmp_path / f"{there}.csv")[0] == 0
        one, other = read_trace("stencil-9"), read_trace(tmp_path / f"{there}.csv")
        assert (one.name, one.synthetic) == (other.name, other.synthetic)
        np.testing.assert_array_equal(one.seconds, other.seconds)
        np.testing.assert_array_equal(one.partner, other.partner)
    code, shown = run(capsys, "convert", "stencil-9", tmp_path / "x.ti")
    assert (code, "exists already" in shown.err) == (2, True)


def test_text_that_computes_and_has_other_types(capsys, tmp_path):
    path = tmp_path / "x.ti"
    path.write_text("0 init\n1 init\n0 compute 1e6\n0 isend 1 0 5 9\n1 recv 0 0 5 9\n")
    assert "--flop-rate" in run(capsys, "show", path, *NETWORK)[1].err
    assert "--type-size 9=8" in run(capsys, "show", path, *NETWORK, "--flop-rate", "1e9")[1].err
    code, shown = run(capsys, "show", path, *NETWORK, "--flop-rate", "1e9", "--type-size", "9=16")
    assert code == 0
    assert "warning: a closing waitall was added to 1 ranks" in shown.err
    assert "--type-size: '9=x'" in run(capsys, "show", path, *NETWORK, "--type-size", "9=x")[1].err


def test_factors_over_scale(capsys, tmp_path):
    out, page = tmp_path / "factors.csv", tmp_path / "page.html"
    arguments = ("factors", "stencil-16", "stencil-9", *NETWORK, "--out", out, "--report", page)
    code, shown = run(capsys, *arguments, "--json")
    assert code == 0
    told = json.loads(shown.out)["factors"]
    assert [one["ranks"] for one in told] == [9, 16]
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["P", "LB", "Ser", "Trf"]
    for row, one in zip(rows[1:], told, strict=True):
        assert np.prod([float(cell) for cell in row[1:]]) == pytest.approx(one["efficiency"])
    assert page.read_text(encoding="utf-8").count('class="plotly-graph-div"') == 1


def test_a_profile_with_the_messages_of_a_trace(capsys, tmp_path):
    run_of_roots = [
        [("collective", "bcast", 8.0), ("collective", "gather", 4.0), ("collective", "reduce", 2.0), send(1, 100)],
        [("collective", "bcast", 8.0), ("collective", "gather", 4.0), ("collective", "reduce", 2.0), recv(0)],
        [("collective", "bcast", 8.0), ("collective", "gather", 4.0), ("collective", "reduce", 2.0)],
        [("collective", "bcast", 8.0), ("collective", "gather", 4.0), ("collective", "reduce", 2.0)],
    ]
    path = write_trace(as_trace(run_of_roots), tmp_path / "x.csv")
    out = tmp_path / "merged.json"
    code, shown = run(capsys, "profile", path, "--merge", "synthetic-stream", "--out", out, "--json")
    assert code == 0
    assert [one["members"] for one in json.loads(shown.out)["classes"]] == [1, 1, 2]
    root, receiver, others = read_profile(out).classes
    counted = {name: (one.count, one.bytes) for name, one in root.comm.collectives.items()}
    assert counted == {"bcast": (1, 0), "gather": (1, 16), "reduce": (1, 2)}
    assert others.comm.collectives["bcast"].bytes == 8
    assert (root.comm.p2p.sent_bytes, receiver.comm.p2p.bytes) == (100, 100)
    assert [(one.offset, one.messages) for one in receiver.comm.p2p.peers] == [(3, 1)]
    assert run(capsys, "profile", path, "--merge", out, "--out", tmp_path / "again.json")[0] == 0
    code, shown = run(capsys, "profile", "stencil-9", "--merge", out, "--out", tmp_path / "other.json")
    assert (code, "has 4 processes, and the trace 9 ranks" in shown.err) == (2, True)


def test_classify_tables_and_traces(capsys, tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("# bytes\n0,8,0\n0,0,8\n8,0,0\n")
    code, shown = run(capsys, "classify", matrix)
    assert (code, "pattern: shift 1, score 1.0000" in shown.out) == (0, True)
    code, shown = run(capsys, "classify", "stencil-64", "--json")
    assert json.loads(shown.out)["parameters"] == {"grid": [8, 8], "periodic": True}
    matrix.write_text("0,8\n0,x\n")
    assert "row 1 column 1: 'x'" in run(capsys, "classify", matrix)[1].err
    matrix.write_text("0,8\n0\n")
    assert "row 1: 1 cells; allowed: 2" in run(capsys, "classify", matrix)[1].err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "stencil-61", *NETWORK), "did you mean 'stencil-64'"),
        (("show", "stencil-16"), "--latency: the network is not given; allowed: a value such as '2 us'"),
        (("show", "stencil-16", *NETWORK[:4]), "--bandwidth: the network is not given"),
        (("show", "stencil-16", *NETWORK, "--eager-limit", "8"), "--eager-limit: '8' has no unit"),
        (("show", "stencil-16", *NETWORK[:5], "0 B/s"), "--bandwidth: '0 B/s'; allowed: above 0"),
        (("show", "stencil-16", *NETWORK, "--collectives", "bst"), "did you mean 'best'"),
        (("show", "stencil-16", *NETWORK, "--measured"), "no measured times"),
        (("show", "stencil-16", *NETWORK, "--study", "replay-stencil"), "--latency: stands beside --study"),
        (("show", "stencil-16", "--study", "replay-stencil"), "--design: no design"),
        (("show", "stencil-16", "--study", "replay-stencil", "--design", "0"), "has 64 nodes, and the trace 16 ranks"),
        (("show", "stencil-64", "--study", "replay-stencil", "--design", "999"), "--design: design 999; allowed: 0 to"),
        (("show", "stencil-64", "--study", "ska-station", "--design", "0"), "'ska-station' gives no nodes: missing"),
    ],
)
def test_refused(capsys, arguments, message):
    code, shown = run(capsys, *arguments)
    assert code == 2
    assert message in shown.err
    assert "Traceback" not in shown.err


def test_the_network_of_a_design_gives_what_the_study_has(capsys):
    """The study replays the trace itself; the command gets the same time from the network of that design."""
    problem = Study.load("replay-stencil").compiled
    for number in (0, 60, problem.space.size - 1):
        (record,) = problem.quantities([number])
        code, shown = run(capsys, "show", "stencil-64", "--study", "replay-stencil", "--design", number, "--json")
        assert code == 0
        told = json.loads(shown.out)
        expected = float(np.asarray(record["values"]["replay_time"]).reshape(-1)[0])
        assert told["modes"]["modelled"]["time"] == pytest.approx(expected, rel=1e-12)


def test_patterns_of_the_network():
    grid = {"grid": [4, 2, 2], "periodic": False}
    assert network_pattern(Pattern("3-D neighbour", grid, 1.0, (), False))[:2] == (
        "neighbour-3d",
        {"process_grid_x": 4, "process_grid_y": 2, "process_grid_z": 2},
    )
    assert "upper bound" in network_pattern(Pattern("3-D neighbour", grid, 1.0, (), False))[2]
    assert network_pattern(Pattern("shift", {"step": 3}, 1.0, (), False)) == ("shift", {"shift_step": 3}, "")
    assert "counts as uniform" in network_pattern(Pattern("irregular", {}, 0.4, (), False))[2]
    study = Study.load("replay-stencil")
    step = classify(traffic_of(as_trace([[send((rank + 3) % 64), recv((rank - 3) % 64)] for rank in range(64)])))
    network, note = machine_network(study, 0, step, 64)
    assert note == ""
    assert float(network.bandwidth) > 0


def test_the_study_counts_every_limit_and_refuses_other_machines():
    given = {
        "trace": read_trace("stencil-9"),
        "nodes": 9.0,
        "processes_per_node": 1.0,
        "link_latency": np.array([1e-8, 2e-8, 1e-8]),
        "path_switches": 1.5,
        "switch_latency": 7e-7,
        "node_latency": 9e-7,
        "effective_bandwidth": np.array([1e9, 1e10, 1e9]),
        "replay_eager_limit": np.array([8192.0, 8192.0, 1e9]),
    }
    busy, dependency, network = quantities.replayed_parts(**given)
    one = analyse(given["trace"], Network(1e-8 + 1.5 * 7e-7, 4.5e-7, 1e9))
    for place in (0, 2):  # no send of this trace blocks, so that the limit changes nothing
        whole = busy[place] + dependency[place] + network[place]
        assert whole == pytest.approx(one.modes["modelled"].time, rel=1e-12)
        assert whole / (whole - network[place]) == pytest.approx(float(one.run.speedup_bound), rel=1e-12)
    assert network[1] < network[0]
    for wrong in ({"nodes": 8.0}, {"processes_per_node": 2.0}):
        with pytest.raises(InputError, match="machines of 9 nodes, one process on each"):
            quantities.replayed_parts(**{**given, **wrong})


def test_limits_of_a_study_are_those_of_the_replay():
    trace = as_trace(GOLDEN["late receiver"][0])
    networks = np.array([[2e-6, 5e-7, 1e10], [1e-6, 5e-7, 1e10], [2e-6, 5e-7, 1e10]])
    for limit in (8192.0, 1e6, 8192.0):
        found = run_times(trace, limit, networks)
        for row, values in zip(found, networks, strict=True):
            net = Network(*values, eager_limit=limit)
            modes = [replay(trace, net, mode).time for mode in ("modelled", "zero-delay", "unordered")]
            np.testing.assert_array_equal(row, modes)


def test_traces_that_come_with_dse():
    from dse.models.replay.formats.files import bundled_traces
    from dse.models.replay.trace.synthetic import stencil_trace

    made_up = {"stencil-9", "stencil-16", "stencil-64"}
    pairs = {f"{program}-2-{network}" for program in ("heat", "fft") for network in ("shared-memory", "tcp")}
    assert set(bundled_traces()) == {*made_up, *pairs, "graph-search-16"}
    for name, path in bundled_traces().items():
        if name not in made_up:
            assert read_trace(name).is_measured
            assert not read_trace(name).synthetic
            continue
        trace, made = read_trace(name), stencil_trace((int(int(name[8:]) ** 0.5),) * 2, 8)
        assert trace.synthetic
        assert Path(path).is_file()
        np.testing.assert_array_equal(trace.seconds, made.seconds)
        np.testing.assert_array_equal(trace.peer, made.peer)
