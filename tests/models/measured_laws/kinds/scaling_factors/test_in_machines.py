"""Fitted factors in the time of a whole machine, and what they refuse."""

import re
from pathlib import Path

import numpy as np
import pytest

from dse.api import Study
from dse.errors import InputError
from dse.models.measured_laws.documents.fitted_file import write_fitted
from dse.models.measured_laws.kinds.scaling_factors.application import fitted_application_efficiency
from dse.models.measured_laws.kinds.scaling_factors.fitted_file import as_document
from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import fit_profile
from tests.models.system.machines import one

RANKS = [8, 32, 128, 512]
FACTORS = {"LB": [0.95, 0.94, 0.9, 0.8], "Ser": [0.9, 0.88, 0.8, 0.7], "Trf": [0.99, 0.9, 0.8, 0.5]}
PROFILE = fit_profile(RANKS, FACTORS, "weak")


def efficiency(profile=PROFILE, processes=32.0, of_class=32.0, progress=0.0):
    arrays = (np.array([value]) for value in (processes, of_class, progress))
    return float(fitted_application_efficiency.function(profile, *arrays)[0])


def test_load_balance_and_serialisation_are_the_applications():
    assert efficiency() == pytest.approx(float(PROFILE.factors["LB"].at(32) * PROFILE.factors["Ser"].at(32)))


def test_a_machine_waits_for_nobody_unless_a_study_says_so():
    found = one("class_time", "compute_time", "communication_time", "occupied_time", "application_wait_time")
    assert found["occupied_time"] == found["compute_time"]
    assert found["application_wait_time"] == 0.0
    assert found["class_time"] == found["compute_time"] + found["communication_time"]


def test_waiting_is_counted_once():
    with pytest.raises(InputError, match="counted twice"):
        efficiency(progress=1.0)
    assert efficiency(fit_profile(RANKS, FACTORS, "weak", times="modelled"), progress=1.0) == efficiency()


def test_factors_that_are_not_separated_are_refused():
    with pytest.raises(InputError, match="not separated"):
        efficiency(fit_profile(RANKS, {"LB": FACTORS["LB"], "CommEff": FACTORS["Ser"]}, "weak"))


def test_one_class_of_processes():
    with pytest.raises(InputError, match="classes"):
        efficiency(of_class=16.0)


GUIDE = Path(__file__).parents[5] / "docs" / "guide" / "scaling-factors.md"
STUDY = """
name = "noise"
models = ["network", "system", "scaling_factors"]
also = ["application_efficiency"]
objectives = [{ minimize = "system_time" }]
[use]
application_efficiency = "fitted"
topology = "full-mesh"
[set]
compute_time = "10 s"
messages = 1000
message_size = "4 KiB"
mesh_switches = 8
node_link_bandwidth = "5 GB/s"
switch_link_bandwidth = "5 GB/s"
[space.axes]
nodes_per_switch = { values = [4] }
"""


def test_less_noise_is_another_file_of_factors(tmp_path, monkeypatch):
    """The alternatives as the guide has them."""
    monkeypatch.chdir(tmp_path)
    calm = {**FACTORS, "LB": [0.99, 0.98, 0.97, 0.96]}
    for name, factors in (("as-measured", FACTORS), ("no-preemption", calm)):
        write_fitted(as_document(fit_profile(RANKS, factors, "weak", name=name)), Path(f"{name}.json"))
    (alternatives,) = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    Path("noise.toml").write_text(STUDY + alternatives)
    run = Study.load("noise.toml").run("run")
    assert [row["alternative"] for row in run.frontier.to_dict("records")] == ["no-preemption"]
    calmer = fit_profile(RANKS, calm, "weak").factors
    assert run.frontier["application_efficiency"][0] == pytest.approx(
        float(calmer["LB"].at(32) * calmer["Ser"].at(32)), rel=1e-9
    )
