"""Bandwidths beside packets simulated here: the recorded rows, and what the models make of them."""

import numpy as np
import pytest

from dse import Study
from dse.models.network.claims.accuracy import SIMULATED
from dse.models.network.claims.simulated_here import model_of, simulated_claims
from dse.models.network.components import component_functions
from dse.models.network.graphs.simulated_here import error_simulated_here, rows_simulated_here
from dse.models.network.topologies import COMPONENTS

ROWS = rows_simulated_here()
CLAIMS = simulated_claims()


def test_the_model_is_still_what_stands_in_the_rows():
    few = [row for row in ROWS if row.nodes <= 100][::4]
    assert len(few) > 40
    for row in few:
        assert model_of(row) == pytest.approx(row.model, rel=1e-5)


@pytest.mark.slow
def test_the_model_is_still_what_stands_in_all_rows():
    for row in ROWS:
        assert model_of(row) == pytest.approx(row.model, rel=1e-5)


def test_nothing_exceeds_the_bound():
    bounded = [row for row in ROWS if row.bound is not None]
    assert len(bounded) > 200
    for row in bounded:
        assert row.model <= row.bound * (1 + 1e-5)
        assert row.simulated <= row.bound * 1.01  # random traffic of a while is not quite even


def test_flows_of_given_routes_are_never_faster_than_the_model():
    """All packets of the fullest link take as long as the model says; only random traffic is a mean of all nodes."""
    for row in ROWS:
        if row.pattern != "valiant" and not row.pattern.startswith("uniform") and "skywalk" not in row.component:
            assert row.simulated <= row.model * (1 + 1e-5)


def test_every_component_is_simulated_at_several_sizes():
    corrected = {component.provider for component in COMPONENTS if component.equations == "corrected"}
    assert {row.component for row in ROWS} == corrected
    for component in corrected:
        assert len({row.nodes for row in ROWS if row.component == component}) > 1


def test_an_error_is_the_mean_over_the_machines():
    rows = [row for row in ROWS if (row.component, row.pattern) == ("torus", "tornado")]
    error = error_simulated_here("torus", "tornado")
    assert error.mean == pytest.approx(np.mean([abs(row.model / row.simulated - 1) for row in rows]), abs=1e-4)
    assert not error.published
    assert error.of.startswith(f"packets simulated here on {len(rows)} machines of 64 to ")
    assert error_simulated_here("torus", "uniform") == error_simulated_here("torus", "uniform-without-self")
    assert error_simulated_here("torus", "no such pattern") is None


def test_a_bandwidth_that_no_simulation_exceeds_is_off_to_one_side():
    """Flows on given routes are never faster than the model; the mean of random traffic on uneven links may be."""
    torus, skywalk = error_simulated_here("torus", "shift"), error_simulated_here("skywalk", "uniform")
    assert torus.is_upper_bound
    assert torus.ends == (-torus.mean / (1.0 + torus.mean), 0.0)
    assert not skywalk.is_upper_bound
    assert skywalk.ends == (-skywalk.mean, skywalk.mean)


def test_what_is_published_stands_and_all_else_has_the_error_of_here():
    errors = {
        (function.provider, name): error
        for function in component_functions().values()
        for name, error in (function.error or {}).items()
    }
    assert errors["torus", "uniform_bandwidth"].published
    assert errors["torus", "uniform_bandwidth"].mean == pytest.approx(0.166)
    assert not errors["torus", "tornado_bandwidth"].published
    assert not errors["dragonfly", "uniform_bandwidth"].published
    for topology in {component.topology.name for component in COMPONENTS}:
        for pattern in ("uniform", "shift", "complement", "tornado", "transpose", "neighbour_2d", "valiant"):
            assert 0.0 < errors[topology, f"{pattern}_bandwidth"].mean < 1.0


def test_the_bandwidth_of_a_machine_has_the_error_of_its_pattern(tmp_path):
    study = """
    name = "rings"
    question = "Which torus?"
    source = "a test"
    models = ["network"]
    objectives = [{ maximize = "effective_bandwidth" }, { minimize = "switches" }]
    use = { pattern = "shift", topology = "torus" }
    set = { node_link_bandwidth = "7 GB/s", switch_link_bandwidth = "7 GB/s", shift_step = 8 }
    uncertain = { effective_bandwidth = { error = "model" } }
    space.axes.shape = { enumerate = "network.torus", given = { nodes = 64, radix = 128, dimensions = [2] } }
    """
    file = tmp_path / "rings.toml"
    file.write_text(study, encoding="utf-8")
    (unknown,) = Study.load(file).unknowns.every
    assert unknown.quantity == "effective_bandwidth"
    mean = error_simulated_here("torus", "shift").mean
    assert (unknown.low, unknown.high) == pytest.approx((-mean / (1.0 + mean), 0.0))
    assert unknown.source.startswith("error of the model: packets simulated here on ")


def test_claims():
    sources = {claim.source for claim in CLAIMS}
    assert any(source.startswith("simulated: packets") for source in sources)
    assert {claim.status for claim in CLAIMS} <= {"pass", "miss"}
    assert sum(claim.whose == "published" for claim in CLAIMS) == len(SIMULATED)
    for claim in CLAIMS:
        if claim.status == "miss":
            assert claim.note
            assert claim.computed is False or not 0.9 <= claim.computed <= 1.1
    bounds = [claim for claim in CLAIMS if "best routing" in claim.claim]
    assert {claim.status for claim in bounds} == {"pass"}
    assert len(bounds) == len({row.component for row in ROWS})
