"""The study exascale as a user runs it: one command, an exact frontier, real machines beside it, a page that opens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from dse import Run, Study
from dse.analysis.verify.attack import verify_run
from dse.cli.main import main
from dse.study.file.headings import bundled_studies

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

LARGEST_PAGE = 5e6  # bytes
NAMES = "() => (document.getElementById('plot').layout.annotations || []).map((a) => a.text)"


def command(*arguments: str) -> str:
    """Run the command line in a process of its own, on a wide terminal; return what it prints."""
    told = {**os.environ, "COLUMNS": "200"}
    called = [sys.executable, "-m", "dse", *arguments]
    done = subprocess.run(called, capture_output=True, text=True, check=False, timeout=900, env=told)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def flagship(tmp_path_factory):
    """The folder of a run of the whole study, made by the command line, and what `dse show --json` tells of it."""
    folder = tmp_path_factory.mktemp("flagship") / "run"
    command("run", "exascale", "--out", str(folder), "--report")
    printed = command("show", str(folder), "--all")  # the whole frontier, whatever is printed of it at first
    (folder.parent / "printed.txt").write_text(printed, encoding="utf-8")
    return folder, json.loads(command("show", str(folder), "--json"))


def test_the_answer_is_exact_and_large(flagship):
    folder, told = flagship
    assert told["certificate"]["exact"] is True
    assert told["certificate"]["designs"] > 1e10
    assert told["certificate"]["evaluated"] < 0.2 * told["certificate"]["designs"]
    assert told["frontier"]
    run = Run.load(folder)
    frontier = run.frontier
    assert (frontier["machine_power"] <= 40e6).all()
    assert (frontier["linpack_flop_rate"] >= 1e18).all()
    assert (frontier["total_memory_capacity"] >= 2e15).all()
    limits = [constraint.text for constraint in run.study.compiled.systems[0].constraints]
    assert "radix <= switch_ports" in limits


def test_its_accelerated_designs_are_those_of_accelerators_alone_that_no_matrix_units_beat(flagship):
    """So that what is said of devices may look at these alone; cores with vector units are on no frontier."""
    document = tomllib.loads(bundled_studies()["exascale"].read_text(encoding="utf-8"))
    document["space"]["exclude"] = ["node != 'accelerated'"]
    names = [one["minimize"] for one in document["objectives"]]
    alone = Study(document, folder=bundled_studies()["exascale"].parent).run(trust=False).frontier
    whole = Run.load(flagship[0]).frontier
    node = whole["alternative"].str.split().str[0]
    assert node.value_counts().to_dict() == {"accelerated": 46, "matrix-core": 14}
    matrix_units = whole.loc[node == "matrix-core", names].to_numpy()[:, None]
    values = alone[names].to_numpy()
    beaten = (np.all(matrix_units <= values, axis=2) & np.any(matrix_units < values, axis=2)).any(axis=0)
    assert len(alone) == 48
    assert np.array_equal(whole.loc[node == "accelerated", names].to_numpy(), values[~beaten])
    assert whole.loc[node == "accelerated", "device"].tolist() == alone["device"][~beaten].tolist()


def test_it_prints_what_its_guide_shows(flagship):
    printed = re.sub(r"\s+", " ", (flagship[0].parent / "printed.txt").read_text(encoding="utf-8"))
    guide = (Path(__file__).parents[3] / "docs/guide/exascale.md").read_text(encoding="utf-8")
    (excerpt,) = re.findall(r"^```console\n(.*?)^```", guide, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in excerpt.splitlines() if "…" not in line]
    assert len(lines) >= 4
    for line in lines:
        assert re.sub(r"\s+", " ", line).strip() in printed


def test_no_random_design_and_no_neighbour_beats_it(flagship):
    told = verify_run(Run.load(flagship[0]), designs=20_000, seed=11)
    assert told.passed is True
    assert told.whole_space is False
    assert told.beaten_by == told.values_differ == told.infeasible == []


def test_the_first_exascale_machine_stands_beside_it_with_what_was_measured(flagship):
    references = {one["name"]: one for one in flagship[1]["references"]}
    frontier = references["Frontier"]
    assert frontier["measured"]["linpack_flop_rate"]["value"] == 1.353e18
    assert frontier["values"]["linpack_flop_rate"] == pytest.approx(1.353e18, rel=0.25)
    assert frontier["measured"]["machine_power"]["value"] == pytest.approx(24.607e6)
    assert frontier["values"]["machine_power"] == pytest.approx(24.607e6, rel=0.35)
    assert {"El Capitan", "Aurora", "Fugaku", "Summit", "JUPITER Booster"} <= set(references)


@pytest.mark.parametrize("limit", [20, 30])
def test_the_limits_of_power_are_questions_to_its_frontier(flagship, capsys, limit):
    with pytest.raises(SystemExit) as ended:
        main(["pick", str(flagship[0]), "--where", f"machine_power <= {limit} MW", "--min", "wall_time", "--json"])
    assert ended.value.code == 0
    picked = json.loads(capsys.readouterr().out)
    frontier = Run.load(flagship[0]).frontier
    within = frontier[frontier["machine_power"] <= limit * 1e6]
    found = json.dumps(picked)
    assert str(int(within.loc[within["wall_time"].idxmin(), "design"])) in found


def test_a_real_machine_beside_a_design(flagship, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["compare", f"{flagship[0]}:0", f"{flagship[0]}:Fugaku", "--full"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    for words in ("Fugaku", "machine_power measured", "machine_power is the sum of", "machine_cost is the sum of"):
        assert words in printed
    for time in ("dense_time", "sparse_time", "breadth_first_search_time", "fourier_time", "stencil_time"):
        assert time in printed


def test_the_page_is_small_and_shows_real_machines(flagship, show, artefacts):
    folder, _ = flagship
    page = folder / "report.html"
    assert page.stat().st_size < LARGEST_PAGE
    found = show((page, Run.load(folder)))
    labels = found.tab.evaluate(NAMES)
    assert "Frontier" in labels or "El Capitan" in labels
    assert "exact" in found.tab.inner_text("body")
    found.tab.screenshot(path=artefacts / "exascale.png", full_page=True)
    axes = found.tab.locator(".handle").evaluate_all("all => all.map((one) => one.dataset.name)")
    assert len(axes) <= 12
    assert {"wall_time", "machine_power", "machine_cost"} <= set(axes)
    found.assert_labels_stand_apart()


def test_a_small_part_of_it_is_what_brute_force_finds():
    document = tomllib.loads(bundled_studies()["exascale"].read_text(encoding="utf-8"))
    rng = np.random.default_rng(5)
    document["constraints"] = ["machine_power <= 60 MW", "linpack_flop_rate >= 0.1 Eflop/s", "radix <= switch_ports"]
    choices = document["space"]["choices"]
    many_core, matrix_core = choices["node"]["many-core"]["axes"], choices["node"]["matrix-core"]["axes"]
    for axes in (many_core, matrix_core):
        for name, axis in axes.items():
            if "values" in axis:
                count = 1 if name in ("sockets", "vector_pipes") else 2
                chosen = rng.choice(len(axis["values"]), min(count, len(axis["values"])), replace=False)
                axis["values"] = [axis["values"][i] for i in sorted(chosen)]
    many_core["core_frequency"]["step"] = "1.25 GHz"
    matrix_core["memory"]["where"] = {"name": "HBM3 6.4 Gb/s"}
    many_core["memory"]["where"] = {"name": "HBM3 6.4 Gb/s"}
    many_core["wafer"]["where"] = {"name": "5 nm"}
    for network in choices["network"].values():
        network["axes"]["shape"]["given"]["nodes"] = {"values": [8192]}
    document["space"]["axes"]["fabric"]["where"] = {"name": ["NDR 64 ports", "800G 64 ports"]}
    document["space"]["axes"]["nics_per_node"] = {"values": [1, 4]}
    document.pop("references")
    study = Study(document, folder=bundled_studies()["exascale"].parent)
    assert 3e4 < study.space.size < 3e5
    exhaustive, bundles, groups = (
        study.run(method=method, trust=False) for method in ("exhaustive", "bundles", "groups")
    )
    assert exhaustive.frontier.to_csv() == bundles.frontier.to_csv() == groups.frontier.to_csv()
    points = []
    for index, product in enumerate(study.space.products):
        start = study.space.offsets[index]
        numbers = start + rng.integers(0, product.size, 3000)
        for record in study.compiled.quantities(numbers):
            values = {name: np.broadcast_to(one, 3000) for name, one in record["values"].items() if one.shape != ()}
            met = np.all([values[c.quantity] for c in study.compiled.systems[index].constraints], axis=0)
            points.append(np.array([values[o.quantity] for o in study.compiled.objectives]).T[met])
    sample = np.vstack(points)
    best = exhaustive.frontier[[o.quantity for o in study.compiled.objectives]].to_numpy()
    assert len(sample) > 100
    for point in best:
        assert not (np.all(sample <= point, axis=1) & np.any(sample < point, axis=1)).any()
