"""The published answers through the command line, and the frontiers of the studies against every pair of designs."""

import itertools

import numpy as np
import pytest
from example_counts import sampled

from dse import Study
from dse.study.file.headings import bundled_studies

pytestmark = pytest.mark.slow

ALTERNATIVES = ("haswell-8-channels", "arm-8-channels", "arm-4-channels")
HYBRID = [name for name in bundled_studies() if name.startswith("hybrid-")]

# Anghel 2017, Section 7.1.2: watts of one station, worked out by hand from Equations 7.1 to 7.9 and Tables 7.3 to 7.5:
# FIR, FFT, FIR memory, FFT memory, leakage of the filter bank's memory, beamformer, its memory, total.
STATION = {
    "ASIC 90 nm": (2.703, 12.165, 93.389, 14.592, 0.666, 0.676, 12.029, 136.22),
    "ASIC 22 nm": (1.475, 6.636, 20.152, 3.164, 0.717, 0.369, 2.337, 34.85),
    "ASIC 14 nm": (1.229, 5.530, 16.712, 2.611, 0.717, 0.307, 1.953, 29.06),
    "FPGA 90 nm": (18.924, 85.985, 88.474, 13.824, 7.373, 4.731, 15.293, 234.60),
    "FPGA 22 nm": (10.322, 46.449, 15.237, 2.350, 6.349, 2.580, 2.967, 86.25),
    "FPGA 14 nm": (8.356, 38.431, 12.288, 1.951, 6.349, 2.089, 2.506, 71.97),
    "ASIC 32 nm": (None,) * 7 + (36.08,),
    "FPGA 32 nm": (None,) * 7 + (86.98,),
}
# Printed there: 29 W and 73 W at 14 nm (2 %), 37 W and 87 W at 32 nm (3 %).
PRINTED = {"ASIC 14 nm": (29, 0.02), "FPGA 14 nm": (73, 0.02), "ASIC 32 nm": (37, 0.03), "FPGA 32 nm": (87, 0.03)}


def edit(name, folder, *changes):
    text = bundled_studies()[name].read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "edited.toml").write_text(text, encoding="utf-8")
    return "edited.toml"


def test_36_of_960_designs_keep_up(dse):
    told = dse.good("run", "ska-correlator", "--json").json
    assert (told["designs"], told["feasible"], told["evaluated"], told["exact"]) == (960, 36, 960, True)
    assert told["folder"] == "runs/ska-correlator"
    winner = min(told["frontier"], key=lambda row: row["total_power"])
    assert winner["alternative"] == "haswell-8-channels"
    assert (winner["core_type"], winner["cores"], winner["frequency"]) == ("Haswell", 96, 4e9)
    assert (winner["l3_bandwidth"], winner["dram_bandwidth"], winner["nodes"]) == (160e9, 160e9, 8192)
    # Anghel 2017, Section 7.1.3.2: 421 W a node, 3.44 MW in all (truncated: 421 W x 8192 is 3.449 MW)
    assert 421 <= winner["node_power"] < 422
    assert 3.44e6 <= winner["total_power"] < 3.46e6
    ties = [row for row in told["frontier"] if row["alternative"] == "arm-4-channels"]
    assert len(ties) == 4
    assert {(row["cores"], row["frequency"]) for row in ties} == {(96, 3.2e9)}
    assert {(r["l3_bandwidth"], r["dram_bandwidth"]) for r in ties} == set(itertools.product((120e9, 160e9), repeat=2))


def test_4_0_and_32_of_320(dse, tmp_path):
    """By alternative: Haswell with 8 channels, ARM with 8, ARM with 4."""
    text = bundled_studies()["ska-correlator"].read_text(encoding="utf-8")
    head, *parts = text.split("[space.alternatives.")
    feasible = {}
    for name in ALTERNATIVES:
        own = "".join("[space.alternatives." + part for part in parts if part.startswith(name))
        (tmp_path / f"{name}.toml").write_text(head + own, encoding="utf-8")
        result = dse("run", f"{name}.toml", "--json", "--out", name)
        assert result.json["designs"] == 320
        assert result.code == (0 if result.json["feasible"] else 1)
        feasible[name] = result.json["feasible"]
    assert feasible == dict(zip(ALTERNATIVES, (4, 0, 32), strict=True))


def test_a_looser_limit_changes_the_winner(dse, tmp_path):
    told = dse.good("run", edit("ska-correlator", tmp_path, ('0.52 s"', '0.58 s"')), "--json").json
    best = min(row["total_power"] for row in told["frontier"])
    winners = [row for row in told["frontier"] if row["total_power"] == best]
    assert {row["core_type"] for row in winners} == {"ARM"}
    assert best == pytest.approx(2.98e6, rel=0.002)
    # 4 channels on 64 cores take in all what 8 channels on 128 cores take, and half of it per node.
    assert {(row["alternative"], row["cores"], row["frequency"]) for row in winners} == {("arm-4-channels", 64, 4e9)}
    values = ["cores=128", "frequency=4 GHz", "l3_bandwidth=160 GB/s", "dram_bandwidth=160 GB/s"]
    chosen = [word for value in values for word in ("--set", value)]
    eight = dse.good("evaluate", "edited.toml", "--alternative", "arm-8-channels", *chosen, "--json").json
    assert eight["values"]["total_power"] == pytest.approx(best, rel=1e-12)
    assert eight["constraints"] == {"run_time <= 0.58 s": True}
    # the best Haswell: 96 cores at 3.6 GHz, 0.571 s, 3.30 MW
    values = ["cores=96", "frequency=3.6 GHz", "l3_bandwidth=160 GB/s", "dram_bandwidth=160 GB/s"]
    chosen = [word for value in values for word in ("--set", value)]
    other = dse.good("evaluate", "edited.toml", "--alternative", "haswell-8-channels", *chosen, "--json").json["values"]
    assert other["run_time"] == pytest.approx(0.571, abs=0.001)
    assert other["total_power"] == pytest.approx(3.30e6, rel=0.002)


def test_every_power_of_the_station(dse):
    for part, (fir, fft, fir_memory, fft_memory, leakage, former, former_memory, total) in STATION.items():
        found = dse.good("evaluate", "ska-station", "--set", f"part={part}", "--json").json["values"]
        assert found["station_power"] == pytest.approx(total, abs=0.1)
        if part in PRINTED:
            printed, tolerance = PRINTED[part]
            assert found["station_power"] == pytest.approx(printed, rel=tolerance)
        if fir is not None:
            assert found["ppf_power"] == pytest.approx(fir + fft, abs=0.002)
            assert found["ppf_memory_power"] == pytest.approx(fir_memory + fft_memory + leakage, abs=0.002)
            assert found["dbf_power"] == pytest.approx(former, abs=0.001)
            assert found["dbf_memory_power"] == pytest.approx(former_memory, abs=0.001)
        assert found["instrument_power"] == pytest.approx(512 * found["station_power"])


def test_the_frontier_of_the_station(dse):
    """At each technology the ASIC takes less, so the four ASICs are the frontier."""
    told = dse.good("run", "ska-station", "--json").json
    assert [row["part"] for row in told["frontier"]] == [f"ASIC {size} nm" for size in (90, 32, 22, 14)]


def oracle(study):
    """The frontier by definition: all pairs, in plain Python, from designs evaluated one by one."""
    senses = [1.0 if o.sense == "min" else -1.0 for o in study.compiled.objectives]
    names = [o.quantity for o in study.compiled.objectives]
    points, number = [], 0
    for product in study.space.products:
        units = {a.name: "" if a.is_part or a.units[a.name] == "1" else f" {a.units[a.name]}" for a in product.axes}
        choices = [a.labels if a.is_part else [float(v) for v in a.columns[a.name]] for a in product.axes]
        for combination in itertools.product(*choices):
            chosen = {a.name: f"{v}{units[a.name]}" for a, v in zip(product.axes, combination, strict=True)}
            values = study.evaluate(chosen, product.name or None)
            if all(values[c.quantity] for c in study.compiled.systems[0].constraints):
                points.append((number, [values[name] for name in names]))
            number += 1
    assert number == study.space.size
    signed = [[s * v for s, v in zip(senses, values, strict=True)] for _, values in points]

    def beaten(mine):
        return any(all(a <= b for a, b in zip(o, mine, strict=True)) and o != mine for o in signed)

    return [point for point, mine in zip(points, signed, strict=True) if not beaten(mine)]


@pytest.mark.parametrize("name", [*sampled(HYBRID, 4), "ska-station", "ska-correlator"])
def test_the_frontier_is_that_of_all_pairs(name):
    """The same designs, ties included, and the same bits, for both ways to search."""
    study = Study.load(name)
    expected = oracle(study)
    for method in ("exhaustive", "bundles"):
        frontier = study.run(method=method).frontier
        assert frontier["design"].tolist() == [number for number, _ in expected]
        for position, objective in enumerate(study.compiled.objectives):
            column = np.array([values[position] for _, values in expected])
            assert frontier[objective.quantity].to_numpy().tobytes() == column.tobytes()


def test_there_are_ten_hybrid_studies():
    assert len(HYBRID) == 10
    assert {Study.load(name).space.size for name in HYBRID} == {216, 400}
