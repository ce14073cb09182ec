"""An explanation adds up: parts make the whole, neighbours recompute, slacks are what is left."""

import time

import numpy as np
import pytest

from dse import Run, Study
from dse.errors import InputError

STUDIES = ["ska-correlator", "ska-station", "hybrid-xeon-sp"]


@pytest.fixture(scope="module", params=STUDIES)
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / request.param
    Study.load(request.param).run(folder)
    return Run.load(folder)


def values_of(study, number):
    (record,) = study.compiled.quantities([number])
    return {k: np.asarray(v).reshape(-1)[0] for k, v in record["values"].items() if isinstance(v, np.ndarray)}


def explained(run):
    return [(row, run.explain(row).as_dict()) for row in range(0, len(run.frontier), max(1, len(run.frontier) // 6))]


def test_parts_make_the_whole(run):
    for _, told in explained(run):
        assert told["breakdowns"], "every study has a sum to break down"
        for item in told["breakdowns"]:
            assert sum(part["value"] for part in item["parts"]) == pytest.approx(item["value"], rel=1e-12)
            if item["value"]:
                assert sum(part["share"] for part in item["parts"]) == pytest.approx(1, rel=1e-12)
            assert [p["value"] for p in item["parts"]] == sorted((p["value"] for p in item["parts"]), reverse=True)
        for item in told["bounds"]:
            assert max(part["value"] for part in item["parts"]) == item["value"]
            assert item["parts"][0]["share"] == 1


def test_the_quantities_are_those_of_the_frontier(run):
    for row, told in explained(run):
        expected = run.frontier.iloc[row]
        assert told["design"] == expected["design"]
        assert told["on_frontier"] is True
        assert told["dominated_by"] == []
        assert told["feasible"] is True
        assert told["parameters"] == run.study.space.parameters(told["design"])
        for objective in told["objectives"]:
            assert objective["value"] == expected[objective["quantity"]]
            assert objective["unit"] == run.units[objective["quantity"]]
        values = values_of(run.study, told["design"])
        numbers = {n["name"]: n for n in told["numbers"]}
        assert set(numbers) == {name for name in values if not name.startswith("constraint_")}
        for name, number in numbers.items():
            assert number["value"] == values[name]
            assert number["source"]
            assert number["unit"]


def test_neighbours_recompute(run):
    for _, told in explained(run):
        study, number = run.study, told["design"]
        product = study.space.products[study.space.product_of(number)]
        _, rows = study.space.rows_of(number)
        expected = sum((row > 0) + (row < len(a) - 1) for a, row in zip(product.axes, rows, strict=True))
        assert len(told["neighbours"]) == expected
        mine = {o["quantity"]: o["value"] for o in told["objectives"]}
        for neighbour in told["neighbours"]:
            values = values_of(study, neighbour["design"])
            parameters = study.space.parameters(neighbour["design"])
            assert parameters[neighbour["axis"]] == neighbour["value"]
            differing = {k for k, v in parameters.items() if v != told["parameters"][k]}
            assert differing == {neighbour["axis"]}
            system = study.compiled.systems[study.space.product_of(number)]
            assert neighbour["feasible"] == all(bool(values[c.quantity]) for c in system.constraints)
            for name, value in neighbour["objectives"].items():
                assert value == values[name]
                assert neighbour["change"][name] == pytest.approx(value / mine[name] - 1, rel=1e-9, abs=1e-15)


def test_slack(tmp_path):
    run = Study.load("ska-correlator").run()
    for row in range(len(run.frontier)):
        (told,) = run.explain(row).constraints
        time = run.frontier["run_time"].iloc[row]
        assert (told["text"], told["met"], told["relation"], told["unit"]) == ("run_time <= 0.52 s", True, "<=", "s")
        assert (told["left"], told["right"]) == (time, 0.52)
        assert told["slack"] == pytest.approx(0.52 - time)
        assert told["relative_slack"] == pytest.approx((0.52 - time) / 0.52)
    broken = run.study.explain(0, frontier=run.frontier).as_dict()
    assert broken["feasible"] is False
    assert broken["constraints"][0]["met"] is False
    assert broken["constraints"][0]["slack"] < 0


def test_a_dominated_design_is_told_what_beats_it():
    run = Study.load("hybrid-xeon-sp").run()
    names = [o["quantity"] for o in run.objectives]
    off = [n for n in range(run.study.space.size) if n not in set(run.frontier["design"])]
    for number in off[::9]:
        told = run.study.explain(number, frontier=run.frontier).as_dict()
        mine = {o["quantity"]: o["value"] for o in told["objectives"]}
        assert told["on_frontier"] is False
        assert 1 <= len(told["dominated_by"]) <= 3
        for other in told["dominated_by"]:
            row = run.frontier.iloc[other["row"]]
            assert row["design"] == other["design"]
            assert other["parameters"] == run.study.space.parameters(other["design"])
            assert other["objectives"] == {name: row[name] for name in names}
            assert all(other["objectives"][name] <= mine[name] for name in names)
            assert other["objectives"] != mine
    assert run.study.explain(off[0]).on_frontier is None


def test_rows_and_designs_that_are_not_there():
    run = Study.load("ska-station").run()
    for row in (-1, 4):
        with pytest.raises(InputError, match=f"^the frontier has no row {row}; allowed: 0 to 3$"):
            run.explain(row)
    for number in (-1, 8):
        with pytest.raises(InputError, match=f"^there is no design {number}; allowed: 0 to 7$"):
            run.study.explain(number)


def test_the_source_of_a_part_is_that_of_its_row():
    """Two parts may share a value and not its source."""
    study = Study.load("ska-station")
    (axis,) = study.space.products[0].axes
    for number in range(study.space.size):
        told = {n["name"]: n for n in study.explain(number).numbers}
        assert told["mac_energy_8bit"]["source"] == f"{axis.source}: {axis.sources[number]}"


def test_what_is_extrapolated():
    run = Study.load("hybrid-xeon-sp").run()
    for row in range(len(run.frontier)):
        told, here = run.explain(row).as_dict(), run.frontier.iloc[row]
        assert ("nodes" in told["extrapolated"]) == (here["nodes"] > 8)
        assert here["extrapolated"] == ", ".join(told["extrapolated"])
        assert told["synthetic"] == run.study.synthetic


def nodes_of(tree):
    """Every node of a tree, in the order they are printed."""
    for node in tree:
        yield node
        yield from nodes_of(node["needs"])


def test_the_tree_has_every_number_down_to_the_inputs(run):
    for _, told in explained(run):
        assert [node["quantity"] for node in told["tree"]] == [o["quantity"] for o in told["objectives"]]
        index = run.study.space.product_of(told["design"])
        graph = run.study.compiled.systems[index].graph
        numbers = {n["name"]: n for n in told["numbers"]}
        laid_out = set()
        for node in nodes_of(told["tree"]):
            name = node["quantity"]
            assert set(node) == {"quantity", "value", "unit", "from", "source", "shared", "needs"}
            assert node["source"]
            assert node["unit"] == graph.units[name]
            if node["unit"] != "table":
                assert {k: node[k] for k in ("value", "from", "source")} == {
                    k: numbers[name][k] for k in ("value", "from", "source")
                }
            needs = list(graph.providers[name].needs) if name in graph.providers else []
            if node["shared"]:
                assert name in laid_out
                assert node["needs"] == []
            else:
                assert [child["quantity"] for child in node["needs"]] == needs
                assert not needs or name not in laid_out, "a tree that is laid out twice"
                laid_out.add(name)
        assert laid_out == graph.below(o["quantity"] for o in told["objectives"])


def test_bounds_tell_how_far_the_others_are():
    run = Study.load("ska-correlator").run()
    for row in range(len(run.frontier)):
        told = run.explain(row).as_dict()
        (bound,) = told["bounds"]
        assert {part["quantity"] for part in bound["parts"]} == {"compute_time", "memory_time"}
        for part in bound["parts"]:
            assert part["distance"] == bound["value"] - part["value"]
            assert part["binds"] == (part["distance"] == 0)
            assert part["relative_distance"] == pytest.approx(1 - part["value"] / bound["value"], abs=1e-12)
        assert bound["parts"][0]["binds"]


def test_one_design_is_explained_in_no_time(run):
    run.explain(0).as_dict()
    begin = time.process_time()
    run.explain(len(run.frontier) - 1).as_dict()
    assert time.process_time() - begin < 0.5
