"""Training as a workload: the best cut by a plain loop, machines that nothing fits, and devices of both catalogues."""

from __future__ import annotations

import csv
import tomllib

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import find_enumeration
from dse.evaluation.direct import evaluate_models
from dse.models.training import mix
from dse.models.training.catalogues import part
from dse.study.file.headings import bundled_studies

FILE = bundled_studies()["exascale-training"]
BOARDS = FILE.parents[1] / "spaces" / "machines" / "boards.csv"
MACHINE = {"devices_per_node": 8, "nodes": 2048, "halo_bandwidth": 400e9, "message_latency": 2e-6}
FIXED = {"training_mix_tokens": 1e12, "training_mix_batch": 2048.0}
GIVEN = list(mix.best_of_the_list.gives)


def found(name, **machine):
    device = {key: value for key, value in part("devices", name).items() if key in mix._DEVICE}
    values = {**device, **MACHINE, **machine, **FIXED, "exchange_software_latency": 18e-6}
    return dict(zip(GIVEN, mix.best_of_the_list(*(values[need] for need in mix.best_of_the_list.needs)), strict=True))


def by_loop(name, per_node, nodes, halo, latency):
    """Each cut for itself: t, p, d, and the time of the tokens where it fits."""
    times = {}
    for t in (t for t in range(1, per_node + 1) if 128 % t == 0 and (t & (t - 1) == 0 or 126 % t == 0)):
        for p in (p for p in range(1, 65) if p & (p - 1) == 0 or 126 % p == 0):
            d = per_node * nodes // (t * p)
            values = {**part("models", mix.MODEL), **part("devices", name)}
            values |= {"tensor_parallel": t, "pipeline_parallel": p, "data_parallel": d, "context_parallel": 1}
            values |= {"expert_parallel": 1, "pipeline_chunks": 1, "micro_batch": 1, "sequence_parallel": 1}
            values |= {"zero_stage": 1, "recomputation": 0, "matmul_precision": 0, "batch": 2048}
            values |= {"scale_out_bandwidth": halo / per_node, "scale_out_latency": latency + 18e-6}
            values["scale_up_devices"] = min(values["scale_up_devices"], per_node)
            names = ["tokens_per_second", "training_memory", "usable_device_memory"]
            given = evaluate_models(["training"], names, values)
            if d >= 1 and given[names[1]] <= given[names[2]]:
                times[t, p, d] = 1e12 / float(given[names[0]][0])
    return times


@pytest.mark.parametrize(("name", "per_node", "nodes"), [("H100 SXM", 8, 2048), ("MI300X", 4, 1024)])
def test_the_best_of_a_plain_loop(name, per_node, nodes):
    told = {
        key: float(np.asarray(value).flat[0])
        for key, value in found(name, devices_per_node=per_node, nodes=nodes).items()
    }
    times = by_loop(name, per_node, nodes, MACHINE["halo_bandwidth"], MACHINE["message_latency"])
    best = min(times, key=times.get)
    assert told["training_mix_time"] == pytest.approx(times[best], rel=1e-12)
    assert told["training_mix_cuts"] == len(times)
    assert tuple(told[f"training_mix_{axis}"] for axis in ("tensor", "pipeline", "data")) == best


def test_grids_are_as_single_machines():
    nodes, halo = np.array([512.0, 2048.0])[:, None], np.array([100e9, 400e9, 800e9])[None, :]
    grid = found("B200 SXM", nodes=nodes, halo_bandwidth=halo)["training_mix_time"]
    assert grid.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            one = found("B200 SXM", nodes=nodes[i], halo_bandwidth=halo[0, j])["training_mix_time"]
            assert grid[i, j] == one[0]


def test_machines_that_no_cut_fits_are_told():
    assert found("A100 40 GB", nodes=4)["training_mix_cuts"] == 0.0
    assert np.isfinite(found("A100 40 GB", nodes=1)["training_mix_time"]).all()


def test_devices_of_both_catalogues():
    rows = find_enumeration("training.devices_of_both").rows({})
    assert "H100 SXM" in rows.labels
    assert rows.kept + sum(rows.refused.values()) == 15
    assert "GPU Max 1550" in next(iter(rows.refused))


def test_boards_of_both_catalogues():
    """Boards that are sold of a device that both have: its row, with what the board says of devices, host and cards."""
    devices = find_enumeration("training.devices_of_both").rows({})
    boards = find_enumeration("training.boards_of_both").rows({})
    rows = {label: place for place, label in enumerate(boards.labels)}
    table = {
        row["name"]: row
        for row in csv.DictReader(line for line in BOARDS.open(encoding="utf-8") if not line.startswith("#"))
    }
    sold = [name for name, row in table.items() if row["sold"] == "yes" and row["device"] in devices.labels]
    assert sorted(rows) == sorted(sold)
    assert boards.kept + sum(boards.refused.values()) == len(table)
    for name, place in rows.items():
        device = devices.labels.index(table[name]["device"])
        assert boards.columns["devices_per_node"][place] == float(table[name]["devices_per_node"])
        assert boards.columns["nics_max"][place] == float(table[name]["nics_max"])
        assert boards.columns["host_power"][place] == float(table[name]["host_power [W]"])
        assert boards.columns["peak_bf16"][place] == devices.columns["peak_bf16"][device]
    assert {"MI300X", "H100 SXM"} <= set(boards.parts)


def test_a_part_of_the_study():
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    space = document["space"]
    space["axes"]["fabric"]["where"] = {"name": "NDR 256 ports (extrapolated)"}
    space["axes"]["nics_per_node"] = {"values": [1, 8]}
    space["choices"]["network"] = {"hyperx": space["choices"]["network"]["hyperx"]}
    run = Study(document, folder=FILE.parent).run(trust=False)
    frontier = run.frontier
    six = frontier["mix_time"] ** (5 / 6) * frontier["training_mix_time"] ** (1 / 6)
    assert frontier["wall_time"].to_numpy() == pytest.approx((six / frontier["availability"]).to_numpy(), rel=1e-12)
    assert (frontier["training_mix_tensor"] * frontier["training_mix_pipeline"] >= 8).all()
    assert run.manifest.certificate.infeasible["training_mix_cuts >= 1"] > 0
