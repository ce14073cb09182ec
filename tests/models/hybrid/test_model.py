"""Golden numbers, laws and refusals of the hybrid model."""

import doctest
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dse.models.hybrid.model as facade
from dse.authoring.table import read_table
from dse.errors import InputError
from dse.models.hybrid import HybridModel, baselines, cores, messages, power
from dse.models.hybrid.claims.reference_implementation import BREAKDOWNS
from dse.models.hybrid.claims.sweeps import SPACES, sweep
from dse.models.hybrid.network import network_service_time
from dse.models.hybrid.workload import uncontended_memory_share

XEON, ARM = HybridModel.of_sample("xeon"), HybridModel.of_sample("arm")
MODELS = {"xeon": XEON, "arm": ARM}
GHZ = 1e9
PARTS = ("compute_time", "memory_service_time", "memory_wait_time", "network_service_time", "network_wait_time")

configurations = st.sampled_from(sorted(SPACES)).flatmap(
    lambda system: st.tuples(
        st.just(system),
        st.sampled_from(["BT", "LU", "SP", "CP", "LB"]),
        *(st.sampled_from(axis) for axis in SPACES[system]),
    )
)


@pytest.mark.parametrize("design", BREAKDOWNS, ids=str)
def test_golden_breakdown(design):
    """Three configurations of the reference implementation, to 1e-5."""
    system, program, nodes, cores, ghz = design
    result = MODELS[system].evaluate(nodes, cores, ghz * GHZ, program)
    for name, value in BREAKDOWNS[design].items():
        assert float(result[name]) == pytest.approx(value, rel=1e-5), name


@given(configurations, st.floats(0, 5), st.sampled_from(["port", "shared"]))
def test_laws(design, scv, channels):
    """The parts add up, UCR is in (0, 1], rho is below 1, idle energy is a lower bound of energy."""
    system, program, nodes, cores, frequency = design
    result = MODELS[system].evaluate(nodes, cores, frequency, program, service_scv=scv, channels=channels)
    found = {name: float(value) for name, value in result.items()}
    assert math.fsum(found[name] for name in PARTS) == pytest.approx(found["run_time"], rel=1e-12)
    assert found["memory_service_time"] + found["memory_wait_time"] == pytest.approx(found["memory_time"], rel=1e-12)
    assert 0 < found["useful_computation_ratio"] <= 1
    assert 0 <= found["switch_utilisation"] < 1
    idle = MODELS[system].tables["power"]["idle_power"][0]
    assert found["energy"] >= nodes * idle * found["run_time"]
    assert all(value >= 0 for value in found.values())
    if nodes == 1:
        assert found["network_service_time"] == found["network_wait_time"] == found["switch_utilisation"] == 0


@given(configurations, st.floats(0, 3), st.floats(0.01, 3))
def test_waiting_rises_with_the_variation_of_the_service_time(design, scv, more):
    system, program, _, cores, frequency = design
    waits = [
        float(MODELS[system].evaluate(4, cores, frequency, program, service_scv=value)["network_wait_time"])
        for value in (scv, scv + more)
    ]
    assert waits[0] < waits[1]


@pytest.mark.parametrize(("system", "program"), [("xeon", "SP"), ("arm", "CP"), ("arm", "LB")])
def test_frontier_is_mutually_non_dominated(system, program):
    """Slow twin: every pair of designs."""
    s = sweep(system, program)
    values = np.column_stack([s.results["run_time"], s.results["energy"]])
    dominated = np.array([np.any(np.all(values <= row, axis=1) & np.any(values < row, axis=1)) for row in values])
    assert sorted(np.flatnonzero(~dominated)) == sorted(s.frontier)


def test_work_of_the_cores_on_messages_can_decide():
    """Hand-made: U = 0.5, T_CPU = 10 s, link 2 s gives 5 s; U = 0.9 leaves the link; one node has none."""
    nodes, busy = np.array([2.0, 2.0, 1.0]), np.array([0.5, 0.9, 0.5])
    found = network_service_time(nodes, busy, np.array([10.0]), np.array([2.0]))
    np.testing.assert_allclose(found, [5.0, 2.0, 0.0], rtol=1e-15)


def test_open_model_equals_pollaczek_khinchine_and_refuses_saturation():
    """Where the link decides, T_w = eta y rho / (1 - rho) with rho = a / T0; from rho = 1 on there is no answer."""
    use = {"lambda_base": "T0"}
    closed, found = (XEON.evaluate(16, 8, 1.8 * GHZ, "SP", use=one) for one in ({}, use))
    base = float(closed["run_time"] - closed["network_wait_time"])
    link = float(found["network_service_time"])
    load = link / base
    assert float(found["switch_utilisation"]) == pytest.approx(load, rel=1e-12)
    assert float(found["network_wait_time"]) == pytest.approx(link * load / (1 - load), rel=1e-12)
    assert float(found["run_time"]) == pytest.approx(base + link * load / (1 - load), rel=1e-12)
    with pytest.raises(InputError) as refused:
        XEON.evaluate([1, 256], 8, 1.8 * GHZ, "SP", channels="shared", use=use)
    assert str(refused.value) == (
        "use.lambda_base: the switch is saturated in 1 of 2 configurations (utilisation up to 222), and the open "
        "model has no answer there; allowed: 'T' (the default, which needs no limit), or configurations with "
        "utilisation below 1"
    )


def test_printed_forms():
    """As printed equals scv 1; one message waits about as long as it takes; m/f does not shrink with nodes."""
    default = XEON.evaluate([1, 16], 8, 1.8 * GHZ, "SP")
    printed = XEON.evaluate([1, 16], 8, 1.8 * GHZ, "SP", service_scv=0.0, use={"network_wait": "as-printed"})
    for name in default:
        np.testing.assert_array_equal(printed[name], default[name])
    single = XEON.evaluate([1, 16], 8, 1.8 * GHZ, "SP", use={"wait_total": "message"})
    assert single["network_wait_time"][0] == 0
    assert 0 < single["network_wait_time"][1] < 1e-3
    literal = XEON.evaluate([1, 16], 8, 1.8 * GHZ, "SP", use={"memory_scaling": "literal"})
    assert literal["memory_time"][0] == literal["memory_time"][1] == default["memory_time"][0]


def test_bandwidth_scale_divides_memory_time():
    one, two = (XEON.evaluate(4, 8, 1.8 * GHZ, "SP", memory_bandwidth_scale=scale) for scale in (1.0, 2.0))
    assert two["memory_time"] == one["memory_time"] / 2
    assert two["compute_time"] == one["compute_time"]


def test_between_measurements():
    """The middle of four rows is their mean."""
    rows = XEON.tables["baselines"].where(program="SP")
    corners = rows.where(cores=[3, 4], frequency=["1.2 GHz", "1.5 GHz"])
    stalls = corners["memory_stall_cycles_per_core"].mean() * 400 / 100
    found = XEON.evaluate(1, 3, 1.35 * GHZ, "SP"), XEON.evaluate(1, 4, 1.35 * GHZ, "SP")
    mean = sum(float(one["memory_time"]) for one in found) / 2
    assert mean == pytest.approx(stalls / (1.35 * GHZ), rel=1e-12)


def test_memory_without_contention():
    """One core never waits for others; where more cores stall less, all is service."""
    assert float(XEON.evaluate(1, 1, 1.2 * GHZ, "SP")["memory_wait_time"]) == 0
    rows = XEON.tables["baselines"].where(program="SP")
    stalls = np.where(rows["cores"] == 1, 1e9, np.where(rows["cores"] == 2, 1e8, 0.0))
    table = replace(rows, columns={**rows.columns, "memory_stall_cycles_per_core": stalls})
    share = uncontended_memory_share(table, np.array([1.0, 2.0, 8.0]), np.array([1.2 * GHZ]))
    np.testing.assert_array_equal(share, [1.0, 1.0, 1.0])


def test_nothing_warns_or_changes():
    """One node, many nodes: no division by zero; arguments stay as they were."""
    nodes = np.array([1.0, 2.0, 256.0])
    with np.errstate(all="raise"):
        XEON.evaluate(nodes, 8, 1.8 * GHZ, "LB")
    np.testing.assert_array_equal(nodes, [1, 2, 256])


def test_shapes():
    """Results have the broadcast shape of the configurations, single ones none."""
    assert XEON.evaluate(1, 1, 1.2 * GHZ, "BT")["run_time"].shape == ()
    assert XEON.evaluate([[1], [2]], [1, 2, 3], 1.2 * GHZ, "BT")["energy"].shape == (2, 3)


@settings(deadline=None)
@given(configurations)
def test_single_designs_have_the_bits_of_the_sweep(design):
    system, program, *values = design
    s = sweep(system, program)
    index = int(
        np.flatnonzero(np.all([axis == value for axis, value in zip(s.designs, values, strict=True)], axis=0))[0]
    )
    alone = MODELS[system].evaluate(*values, program)
    for name, result in s.results.items():
        assert alone[name] == result[index], name


def test_400_configurations_take_little_time():
    """Specified: below 5 ms; the bound here leaves room for slow machines."""
    grid = [axis.ravel() for axis in np.meshgrid(*SPACES["arm"], indexing="ij")]
    ARM.evaluate(*grid, "CP")
    fastest = math.inf
    for _ in range(10):
        begin = time.process_time()
        ARM.evaluate(*grid, "CP")
        fastest = min(fastest, time.process_time() - begin)
    assert fastest < 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 1.2e9, "SP"), "nodes: 0; allowed: whole numbers from 1 up"),
        ((1.5, 1, 1.2e9, "SP"), "nodes: 1.5; allowed: whole numbers from 1 up"),
        ((1, math.nan, 1.2e9, "SP"), "cores: nan; allowed: whole numbers from 1 up"),
        ((1, 1, 0, "SP"), "frequency: 0; allowed: numbers above 0"),
        ((1, 1, 1.2e9, "SP", 0.0), "memory_bandwidth_scale: 0; allowed: numbers above 0"),
        ((1, 1, 1.2e9, "SP", 1.0, -0.5), "service_scv: -0.5; allowed: numbers from 0 up"),
        (
            (1, 1, 1.2e9, "SP", 1.0, 1.0, "ports"),
            "use.switch_channels: no component 'ports' for the slot 'switch_channels'; allowed: port, shared; "
            "did you mean 'port'?",
        ),
        (
            (1, 1, 1.2e9, "SQ"),
            "hybrid/baselines.csv: no row with program = 'SQ'; allowed: BT, LU, SP, CP, LB",
        ),
        (
            (1, 9, 1.2e9, "SP"),
            "hybrid/baselines.csv: 'cores' = 9 is outside the table; allowed: 1 to 8 (no extrapolation)",
        ),
        (
            (1, 1, 2e9, "SP"),
            "'frequency' = 2e+09 Hz is outside the table; allowed: 1.2e+09 to 1.8e+09 Hz (no extrapolation)",
        ),
    ],
)
def test_refuses_wrong_configurations(arguments, message):
    with pytest.raises(InputError) as refused:
        XEON.evaluate(*arguments)
    assert str(refused.value).removeprefix("hybrid/power.csv: ") in (message, f"hybrid/baselines.csv: {message}")


def test_refuses_several_programs():
    with pytest.raises(InputError) as refused:
        XEON.evaluate(1, 1, 1.2e9)
    assert str(refused.value) == (
        "hybrid/baselines.csv: column 'iterations' is 200 in line 7 and 250 in line 31, but must be the same in all "
        "rows of one program on one system; allowed: rows of one program on one system (choose them with 'where')"
    )


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("cpu_utilisation", 1.2, "baselines.csv: line 57, column 'cpu_utilisation': 1.2; allowed: 0 to 1"),
        ("useful_cycles", -1.0, "baselines.csv: line 57, column 'useful_cycles': -1; allowed: numbers from 0 up"),
        (
            "baseline_iterations",
            0.0,
            "baselines.csv: line 57, column 'baseline_iterations': 0; allowed: numbers above 0",
        ),
    ],
)
def test_refuses_wrong_measurements(column, value, message):
    rows = XEON.tables["baselines"].where(program="SP")
    values = rows[column].copy()
    values[2] = value
    table = replace(rows, columns={**rows.columns, column: values})
    model = HybridModel(**{**XEON.tables, "baselines": table})
    with pytest.raises(InputError) as refused:
        model.evaluate(2, 1, 1.2e9, "SP")
    assert str(refused.value) == f"hybrid/{message}"


def test_headings_of_the_paper(tmp_path):
    """A user's tables under the paper's symbols give the same as the long names, without a program column."""
    files = {
        "baselines": "c,f_GHz,S_s,S,w_s,b_s,m_s,U_s\n"
        "1,1.2,100,400,7e10,3e10,1e10,0.97\n2,1.2,100,400,7e10,3e10,7e9,0.97\n",
        "messages": "eta1_per_iter,nu1_bytes,eta_exp,nu_exp\n3,60000,1/3,-2/3\n",
        "power": "f_GHz,P_core_act_W,P_core_stall_W,P_mem_W,P_net_W,P_sys_idle_W,B_bytes_per_s,latency_s\n"
        "1.2,4,3,5,2,48,1e8,6e-5\n",
    }
    declared = {"baselines": baselines, "messages": messages, "power": power}
    tables = {}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
        tables[name] = read_table(tmp_path / f"{name}.csv", columns=declared[name].columns)
    result = HybridModel(**tables).evaluate([1, 8], 2, 1.2 * GHZ)
    assert result["compute_time"][0] == pytest.approx(4e11 / (2 * 1.2e9))
    eta, size = 3 * 400 * 8 ** (1 / 3), 60000 * 8 ** (-2 / 3)
    assert result["network_service_time"][1] == pytest.approx(
        max(eta * (6e-5 + size / 1e8), 0.03 * 4e11 / (16 * 1.2e9))
    )


def test_sample_tables_say_that_they_are_synthetic():
    folder = Path(__file__).parents[3] / "spaces" / "hybrid"
    for name in ("baselines", "messages", "power"):
        data = (folder / f"{name}.csv").read_bytes()
        assert b"\r" not in data
        assert data.startswith(b"# Synthetic sample data, NOT measurements.")
        assert read_table(folder / f"{name}.csv").synthetic
    assert cores.integer


def test_examples_of_the_documentation():
    assert doctest.testmod(facade).failed == 0
