"""What a search left out is kept in part and looked at again: right evidence holds, a wrong one does not."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function, random_case

import dse.analysis.verify.proofs as proofs
import dse.evaluation.plan as planning
import dse.search.frontier.archive
from dse import Run, Study
from dse.analysis.verify.proofs import check_proofs, verify_proofs
from dse.run.disk.ledger import BlockLedger
from dse.run.disk.ledger_tables import read_evidence
from dse.search.bundles import bundles
from dse.search.driver import SearchOptions, search
from dse.search.groups import nested_groups, reduced_product
from dse.search.groups.groups import GroupProduct
from dse.space.design_space import Product


@pytest.fixture
def small(monkeypatch):
    """Settings of large spaces on small ones: boxes of several levels, and small groups."""
    monkeypatch.setattr(planning, "_LIMITS", (4.0,))
    planning._cached.cache_clear()
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "inner", 2)
    monkeypatch.setattr(bundles, "_PIECE", 5)
    monkeypatch.setattr(bundles, "_POINTS", 3)
    monkeypatch.setattr(dse.search.frontier.archive, "_BUFFER", 20)
    monkeypatch.setattr(nested_groups, "_FEWEST_ROWS", 2)
    monkeypatch.setattr(nested_groups, "_LEAST_GAIN", 1.0001)
    monkeypatch.setattr(reduced_product, "_BUNDLES_FROM", 0)
    yield
    planning._cached.cache_clear()


def system():
    """Nodes of cores at a clock, and a network; both reach time and power through few quantities."""
    axes = (
        axis("cores", range(1, 7)),
        axis("clock", np.linspace(1.0, 3.0, 5)),
        axis("nodes", range(1, 13)),
        axis("link", range(1, 5)),
        axis("lanes", range(1, 5)),
    )
    functions = [
        function("rate", "cores clock", lambda cores, clock: cores * clock),
        function("draw", "cores clock", lambda cores, clock: cores * clock * clock + 1.0),
        function("band", "link lanes", lambda link, lanes: link * lanes),
        function("switch", "link lanes", lambda link, lanes: lanes + 0.5 * link * link),
        function("time", "rate band nodes", lambda rate, band, nodes: 500.0 / (rate * nodes) + 30.0 * nodes / band),
        function("power", "draw switch nodes", lambda draw, switch, nodes: nodes * (draw + switch)),
    ]
    limits = [Limit("power <= 200", lambda v: v["power"] <= 200), Limit("draw <= 30", lambda v: v["draw"] <= 30)]
    return Case([Product("", axes)], functions, {"time": "min", "power": "min"}, limits)


def evidence(problem, method, folder):
    ledger = BlockLedger(folder / "progress.sqlite")
    result = search(problem, SearchOptions(method), ledger=ledger)
    ledger.keep(result.evidence)
    ledger.close()
    return result, read_evidence(folder / "progress.sqlite")


def looked(problem, result, kept):
    return check_proofs(problem, kept, result.numbers, excluded=result.certificate.excluded_by_bound)


@pytest.fixture
def grouped(small, tmp_path):
    problem = system().problem()
    return problem, *evidence(problem, "groups", tmp_path)


def test_kept_exclusions_and_pruned_rows_hold(grouped):
    problem, result, kept = grouped
    told = looked(problem, result, kept)
    assert (told.passed, told.faults) == (True, [])
    assert told.exclusions > 3
    assert told.excluded_share == 1.0  # few enough to keep them all
    assert told.rows > 10
    assert told.pruned_share == 1.0
    assert told.signs == sum(len(choice.group.columns) for choice in GroupProduct(problem, 0).choices)
    assert (kept[0]["limits"] >= 0).any()
    assert (kept[0]["limits"] < 0).any()
    assert set(kept[0]["by"][kept[0]["limits"] < 0]) <= set(result.numbers)
    assert any((kept[0][name] == -1).any() for name in kept[0] if name.startswith("instead"))


@pytest.mark.parametrize("method", ["bundles", "groups"])
def test_right_searches_of_random_systems_hold(small, tmp_path, method):
    seen = 0
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        problem = random_case(np.random.default_rng(seed), largest=800).problem()
        result, kept = evidence(problem, method, folder)
        told = looked(problem, result, kept)
        assert told.faults == []
        seen += told.exclusions + told.rows
    assert seen > 100


def changed(kept, **arrays):
    return {0: {**kept[0], **arrays}}


def test_a_wrong_bound_is_found(grouped):
    problem, result, kept = grouped
    high = changed(kept, bounds=kept[0]["bounds"] * 1.5)
    assert "is better than its bound" in " ".join(looked(problem, result, high).faults)
    low = changed(kept, bounds=kept[0]["bounds"] * 0.1)
    assert "of the frontier does not beat its bound" in " ".join(looked(problem, result, low).faults)


def test_a_box_that_a_limit_does_not_exclude_is_found(grouped):
    problem, result, kept = grouped
    told = looked(problem, result, changed(kept, limits=np.where(kept[0]["limits"] < 0, 0, kept[0]["limits"])))
    assert "meets 'power <= 200'" in " ".join(told.faults)
    told = looked(problem, result, changed(kept, by=np.full(len(kept[0]["by"]), -1)))
    assert "no design of the frontier is known" in " ".join(told.faults)


def test_a_wrong_row_in_the_place_of_a_pruned_one_is_found(grouped):
    problem, result, kept = grouped
    pruned, instead = kept[0]["pruned_1"], kept[0]["instead_1"]
    swapped = changed(kept, pruned_1=instead[instead >= 0], instead_1=pruned[instead >= 0])
    assert "is worse than" in " ".join(looked(problem, result, swapped).faults)
    for place in (0, 1):
        lost = np.full(len(kept[0][f"instead_{place}"]), -2)
        assert "no row is known" in " ".join(
            looked(problem, result, changed(kept, **{f"instead_{place}": lost})).faults
        )
    said = changed(kept, instead_1=np.full(len(instead), -1))
    assert "is feasible with it" in " ".join(looked(problem, result, said).faults)


def test_a_wrong_sign_is_found(grouped):
    problem, result, kept = grouped
    told = json.loads(str(kept[0]["groups"]))
    told[0]["columns"]["rate"] = 1
    faults = looked(problem, result, changed(kept, groups=np.array(json.dumps(told)))).faults
    assert any(fault.startswith("'time' is worse with less rate at design ") for fault in faults)


def test_nothing_is_claimed_of_values_that_no_design_has(small, tmp_path):
    """No port is slower than its own core, so nothing waits; the core of one design beside another's port would."""
    axes = (axis("cores", range(1, 7)), axis("clock", [1, 2, 3]), axis("link", range(1, 5)))
    functions = [
        function("busy", "cores clock", lambda cores, clock: cores + clock),
        function("port", "cores", lambda cores: 1.0 * cores),
        function("draw", "cores clock", lambda cores, clock: (7 - cores) * (7 - clock)),
        function("waits", "busy port link", lambda busy, port, link: np.maximum(port * link / 4 - busy, 0.0)),
        function("time", "busy waits link", lambda busy, waits, link: busy + 5 * waits + 3 / link),
        function("power", "draw link", lambda draw, link: draw + link),
    ]
    problem = Case([Product("", axes)], functions, {"time": "min", "power": "min"}).problem()
    result, kept = evidence(problem, "groups", tmp_path)
    told = looked(problem, result, kept)
    assert any("busy" in group["columns"] for group in json.loads(str(kept[0]["groups"])))
    assert told.faults == []
    assert told.signs == 2


def test_evidence_is_the_same_after_an_interruption(small, tmp_path):
    problem = system().problem()
    _, first = evidence(problem, "groups", tmp_path)
    _, again = evidence(problem, "groups", tmp_path)  # every piece comes from the ledger
    assert first[0].keys() == again[0].keys()
    assert all(np.array_equal(first[0][name], again[0][name]) for name in first[0])


def test_dse_verify_proofs_says_its_share(toy, dse):
    Study.load("ska-correlator").run("out", method="bundles")
    told = dse.good("verify", "out", "--proofs").out
    assert "100 % of the excluded designs" in " ".join(told.split())
    assert "all of them hold: evidence, no second proof" in told
    found = dse.good("verify", "out", "--proofs", "--json").json
    assert found["passed"] is True
    assert (found["proofs"]["passed"], found["proofs"]["excluded_share"]) == (True, 1.0)
    assert found["proofs"]["exclusions"] > 0
    assert "proofs" not in dse.good("verify", "out", "--json").json


def test_a_run_without_evidence_says_so(toy, dse):
    Study.load("toy.toml").run("out", method="exhaustive")
    assert "keeps no evidence" in dse.good("verify", "out", "--proofs").out
    (toy / "out/progress.sqlite").unlink()
    assert verify_proofs(Run.load("out")).exclusions == 0


def test_damaged_evidence_is_refused(toy, dse):
    Study.load("toy.toml").run("out")
    (toy / "out/progress.sqlite").write_bytes(b"no data base")
    told = dse("verify", "out", "--proofs")
    assert told.code == 2
    assert "the evidence kept there cannot be read" in told.err


def test_the_checker_is_small_and_shares_no_code_with_the_search():
    text = Path(proofs.__file__).read_text()
    assert len(text.splitlines()) <= 300
    modules = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    assert not any(str(module).startswith("dse.search") for module in modules)
