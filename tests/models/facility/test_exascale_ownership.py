"""The study exascale-ownership: the space of exascale, its costs by hand, and prices that are called an example."""

import csv
import json
import re
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Run, Study
from dse.analysis.verify.attack import verify_run
from dse.analysis.verify.proofs import verify_proofs
from dse.cli.main import main
from dse.study.file.headings import bundled_studies

STUDIES = bundled_studies()
FOLDER = STUDIES["exascale-ownership"].parent
LIST = Path(str(files("dse.spaces"))) / "facility" / "example-prices.csv"
GUIDE = (Path(__file__).parents[3] / "docs/guide/facility.md").read_text(encoding="utf-8")
WARNING = "SYNTHETIC data, not measurements: facility/example-prices.csv"
YEAR = 365.25 * 24  # hours


def document():
    """The study with accelerated nodes alone."""
    found = tomllib.loads(STUDIES["exascale-ownership"].read_text(encoding="utf-8"))
    found["space"]["exclude"] = ["node != 'accelerated'"]
    return found


@pytest.fixture(scope="module")
def run():
    return Study(document(), folder=FOLDER).run(trust=False)


@pytest.fixture(scope="module")
def prices():
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {row["item"]: float(row["price [EUR]"]) for row in csv.DictReader(lines)}


def test_space_and_limits_are_those_of_exascale():
    ours, theirs = (
        tomllib.loads(STUDIES[name].read_text(encoding="utf-8")) for name in ("exascale-ownership", "exascale")
    )
    assert ours["space"]["axes"].pop("grid") == {"part": "facility/grids.csv", "where": {"name": "Germany 2024"}}
    for key in ("space", "constraints", "use", "quantities"):
        assert ours[key] == theirs[key]
    weights = {name for name in theirs["set"] if name.endswith("_weight")}
    given = {"use_time", "utilisation", "idle_power_share", "power_usage_effectiveness", "staff_positions"}
    assert set(ours["set"]) == set(theirs["set"]) - weights | given
    assert {name: ours["set"][name] for name in set(ours["set"]) & set(theirs["set"])} == {
        name: value for name, value in theirs["set"].items() if name not in weights
    }
    assert [one["minimize"] for one in ours["objectives"]] == ["wall_time", "cost_of_ownership", "carbon"]


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-ownership")
def test_cost_and_carbon_of_the_frontier_by_hand(run, prices):
    """From the counts of parts, the list as a dictionary, and figures written here."""
    frame = run.frontier.sort_values("cost_of_ownership", kind="stable")
    for _, design in frame.iloc[:: len(frame) // 40].iterrows():
        (record,) = run.study.compiled.quantities([int(design["design"])])
        one = {name: np.ravel(value)[0] for name, value in record["values"].items() if name != "price_list"}
        rate = f"{one['port_bandwidth'] * 8e-9:g} Gbit/s"
        host = prices["host"] if one["host_power"] > 0 else 0.0
        node = one["devices_per_node"] * prices[str(one["device_model"])] + host + prices["node base"]
        network = one["nodes"] * prices[f"{rate} card"] + one["ports_in_use"] * prices[f"{rate} switch port"]
        network += one["electrical_links"] * prices[f"{rate} electrical cable"]
        network += one["optical_links"] * prices[f"{rate} optical cable"]
        mean = one["machine_power"] * (0.8 + 0.2 * 0.4) * 1.1
        energy = mean * 6 * YEAR  # Wh
        cost = one["nodes"] * node + one["nics_per_node"] * network
        cost += energy * prices["electricity"] / 1e6 + 6 * 20 * prices["position"]
        assert design["cost_of_ownership"] == pytest.approx(cost, rel=1e-12)
        made = one["nodes"] * one["devices_per_node"] * 318 + one["switches"] * one["nics_per_node"] * 280
        assert design["carbon"] == pytest.approx(made + energy * 0.341e-3, rel=1e-12)


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-ownership")
def test_what_the_guide_tells(run):
    """Recorded: a change of laws, parts, prices or limits is to be seen, and told in docs/guide/facility.md."""
    frontier = run.frontier
    assert run.exact
    assert verify_run(run, designs=20_000).passed
    assert Counter(frontier["device"]) == {"MI300A": 46, "MI250X": 11, "MI300X": 8, "GH200": 7}
    least = {name: frontier.loc[frontier[name].idxmin()] for name in ("wall_time", "cost_of_ownership", "carbon")}
    assert [one["device"] for one in least.values()] == ["MI300A", "MI250X", "MI300A"]
    assert least["cost_of_ownership"]["cost_of_ownership"] == pytest.approx(678.6e6, rel=1e-3)
    assert least["carbon"]["carbon"] == pytest.approx(292.97e6, rel=1e-3)
    rows = [line.strip("|").split("|")[1:] for line in GUIDE.splitlines() if re.match(r"\| (least|fastest) ", line)]
    designs = [*least.values()]
    for most in (800e6, 1000e6):
        affordable = frontier[frontier["cost_of_ownership"] <= most]
        designs.append(affordable.loc[affordable["wall_time"].idxmin()])
    for told, design in zip(rows, designs, strict=True):
        device, *figures = [cell.strip() for cell in told]
        assert device.startswith(f"{design['device']}, {design['nodes']:,.0f} nodes of ")
        for figure, value in zip(figures, design[[*least, "machine_power"]] / [1, 1e6, 1e6, 1e6], strict=True):
            digits = len(figure.split()[0].partition(".")[2])
            assert float(figure.split()[0].replace(",", "")) == pytest.approx(value, abs=0.51 * 10**-digits)
    assert f"The frontier is exact: {len(frontier)} designs" in GUIDE
    assert frontier["embodied_carbon_share"].between(0.015, 0.04).all()
    assert (frontier["electricity_cost"] / frontier["cost_of_ownership"]).between(0.08, 0.2).all()


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-ownership")
def test_the_prices_are_called_an_example_on_every_screen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = STUDIES["exascale-ownership"].read_text(encoding="utf-8")
    excluded = "exclude = [\"node != 'accelerated'\", \"network != 'dragonfly'\"]"
    some = 'where = { device = ["GH200", "MI300A"], sold = "yes", '
    text = text.replace("[space.axes]", f"[space]\n{excluded}\n\n[space.axes]")
    text = text.replace('where = { sold = "yes", ', some)
    text = re.sub(r"values = \[4096, [^]]*\]", "values = [4096, 6144]", text)
    Path("small.toml").write_text(text, encoding="utf-8")
    commands = [
        "check small.toml",
        "run small.toml --out run --report",
        "show run",
        "explain run",
        "compare run:0 run:1",
    ]
    for command in [*commands, "pick run --min carbon"]:
        with pytest.raises(SystemExit) as ended:
            main(command.split())
        told = " ".join(capsys.readouterr().out.split())
        assert ended.value.code == 0, (command, told)
        assert WARNING in told, command
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert re.search(r"Not measured, so no result to quote: [^<]*facility/example-prices\.csv", page)
    assert "by EXAMPLE prices that are made up?" in page
    assert json.loads(Path("run/manifest.json").read_text(encoding="utf-8"))["synthetic"] == [
        "facility/example-prices.csv"
    ]


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-ownership")
def test_what_groups_pruned_is_looked_at_again_beside_a_table(tmp_path):
    """A table among the quantities is no number that a proof could compare."""
    found = document()
    found["search"] = {"method": "groups"}
    found["space"]["exclude"].append("network != 'dragonfly'")
    Study(found, folder=FOLDER).run(tmp_path / "run")
    told = verify_proofs(Run.load(tmp_path / "run"))
    assert told.signs > 0
    assert not [fault for fault in told.faults if "worse with" in fault or "lost with" in fault]
