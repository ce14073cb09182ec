"""Sweeps: the best at each value of a parameter, and where it changes, against closed forms and a brute force."""

import numpy as np
import pytest
from toy import STUDY, edited

from dse import Study

UNION = edited(
    STUDY,
    ('[use]\nnetwork = "torus"\n', ""),
    ("20 kW", "20 MW"),
    (
        "[search]",
        """[space.alternatives.ring]
use = { network = "torus" }
[space.alternatives.tree]
use = { network = "tree" }
[search]""",
    ),
)


def energies(base_power):
    """Energy of every design of the toy study, in its order, written out again."""
    nodes, frequency = np.repeat(2.0 ** np.arange(7), 2), np.tile([1e9, 2e9], 7)
    time = 1e11 / (nodes * frequency) + 0.1 * np.sqrt(nodes)
    power = nodes * (base_power + 1e-26 * frequency**3)
    return nodes, np.where(power <= 20e3, power * time, np.inf)


def test_where_two_networks_break_even(toy, dse):
    """0.1 sqrt(n) against 0.2 log2(n): equal at n = 256, where the first alternative stands."""
    (toy / "toy.toml").write_text(UNION)
    told = ("sweep", "toy.toml", "--vary", "nodes=2..512", "--steps", "6", "--quantity", "time")
    found = dse.good(*told, "--json").json
    assert [step["value"] for step in found["steps"]] == [2, 104, 206, 308, 410, 512]
    assert [step["winner"] for step in found["steps"]] == ["ring"] * 3 + ["tree"] * 3
    assert found["break_even"] == [{"low": 256, "high": 257, "before": "ring", "after": "tree"}]
    assert found["by"] == ["alternative"]
    for step in found["steps"]:
        n = step["value"]
        assert step["design"]["time"] == pytest.approx(
            1e11 / (n * 2e9) + min(0.1 * n**0.5, 0.2 * np.log2(n)), rel=1e-12
        )
    assert "between 256 and 257: ring → tree\n" in dse.good(*told).out
    assert not (toy / "runs").exists()


def test_the_least_of_a_quantity_along_an_assumption(toy, dse):
    """With a dearer node at rest fewer nodes are best; every step and every break-even by brute force."""
    told = ("--vary", "base_power=0.2..20000 W", "--steps", "9", "--quantity", "energy", "--by", "nodes")
    found = dse.good("sweep", "toy.toml", *told, "--json").json

    def best(watt):
        nodes, energy = energies(watt)
        return None if np.isinf(energy.min()) else f"{nodes[energy.argmin()]:.12g}"

    for step in found["steps"]:
        assert step["winner"] == best(step["value"])
        _, energy = energies(step["value"])
        if step["winner"]:
            assert step["design"]["energy"] == pytest.approx(energy.min(), rel=1e-12)
    assert found["steps"][-1] | {"value": 0} == {"value": 0, "winner": None, "design": None}
    assert found["break_even"]
    for change in found["break_even"]:
        assert change["high"] - change["low"] <= 1e-3 * change["high"]
        assert (best(change["low"]), best(change["high"])) == (change["before"], change["after"])
        assert change["before"] != change["after"]
    chain = [found["steps"][0]["winner"], *(change["after"] for change in found["break_even"])]
    assert chain[:-1] == [change["before"] for change in found["break_even"]]
    assert chain[-1] == found["steps"][-1]["winner"]


def test_the_knee_and_what_if(toy, dse):
    found = dse.good(
        "sweep",
        "toy.toml",
        "--vary",
        "work=1e10, 1e11, 1e12",
        "--without",
        "nodes=64",
        "--set",
        "frequency=2 GHz",
        "--json",
    ).json
    assert (found["rule"], found["by"], found["break_even"]) == ("knee", [], [])
    assert found["study"] == "toy@frequency=2-GHz,without-nodes=64"
    study = Study.load("toy.toml").with_(without={"nodes": 64}, set={"frequency": "2 GHz"})
    for step in found["steps"]:
        run = study.with_(set={"work": step["value"]}).run()
        row = run.frontier[run.frontier["design"] == step["design"]["design"]]
        assert row["time"].tolist() == [step["design"]["time"]]
    assert found["searches"] == 3


def test_the_most_of_what_is_maximised(toy, dse):
    (toy / "toy.toml").write_text(
        edited(STUDY, ('minimize = "time"', 'maximize = "network_time"'), ('["network_time"]', '["time"]'))
    )
    found = Study.load("toy.toml").sweep("base_power", "10, 20, 30 W", quantity="network_time")
    assert found.rule == "most network_time"
    assert [step.design["nodes"] for step in found.steps] == [64] * 3
    assert [step.design["network_time"] for step in found.steps] == pytest.approx([0.8] * 3)


def test_nothing_feasible_anywhere(toy, dse):
    result = dse("sweep", "toy.toml", "--vary", "base_power=30, 40 kW", "--quantity", "time")
    assert result.code == 1
    assert "30 kW" in result.out


WRONG = {
    "bas_power=1..2 W": "--vary bas_power: the study has no number 'bas_power' to vary; allowed: base_power, "
    "frequency, nodes, work; did you mean 'base_power'?",
    "base_power=1 W": "--vary base_power: '1 W' is neither a range nor a list of values; "
    "allowed: 100..800 Gbit/s or 100, 200, 400 Gbit/s",
    "base_power=2..1 W": "--vary base_power: '2..1 W' does not run upwards; allowed: values in rising order",
    "base_power=1..2": "--vary base_power: '1' has no unit; allowed: a number with a unit that fits 'W', "
    "such as '20 MW'",
    "work=-1..1": "--vary work: 'work' is -1; allowed: > 0",
    "base_power": "--vary: 'base_power' is not name=value; allowed: --vary link_bandwidth=\"100..800 Gbit/s\"",
    "base_power=1..2 W --steps 1": "--steps: 1 steps; allowed: 2 to 1000",
    "base_power=1..2 W --by node": "--by: 'node' tells no designs apart; allowed: nodes, frequency; "
    "did you mean 'nodes'?",
    "base_power=1..2 W --quantity tim": "--quantity: unknown quantity 'tim'; allowed: base_power, compute_time, "
    "energy, frequency, network_time, nodes, power, time, work; did you mean 'time'?",
    "frequency=1..2 GHz --set frequency=1_GHz": "--set frequency: 'frequency' is varied, so it has no one value; "
    "allowed: --vary or --set",
}


@pytest.mark.parametrize("options", WRONG)
def test_what_is_wrong_is_told(toy, dse, options):
    vary, *more = options.split(" --")
    rest = [word for option in more for word in (f"--{option.split()[0]}", option.split()[1])]
    assert dse("sweep", "toy.toml", "--vary", vary, *rest) == (2, "", f"error: {WRONG[options]}\n")
