"""What families state of their own errors: every family is told of, and figures are those of the models and files."""

import csv
from pathlib import Path

from dse.authoring.library.listing import available_models
from dse.authoring.library.stated_errors import library_errors
from dse.models.node_class.silicon import socket_area_factor

ERRORS = library_errors()


def test_every_family_is_told_of():
    families = {stated.family for stated in ERRORS}
    assert families == {name.partition(".")[0] for name in available_models()}
    without = {stated.family for stated in ERRORS if not stated.quantity}
    assert {"collectives", "resilience", "ska", "replay"} <= without
    assert not without & {stated.family for stated in ERRORS if stated.quantity}


def test_figures_are_those_of_functions_laws_and_files():
    by_name = {(stated.family, stated.quantity): stated for stated in ERRORS}
    # Ramapantulu et al., Table 2, as the model says.
    assert by_name["hybrid", "run_time"].error == "8 % ± 12 %"
    assert by_name["node_class", "socket_area_factor"].error == f"σ {100 * socket_area_factor.law_error.spread:.3g} %"
    with (Path(__file__).parents[3] / "spaces/training/device-errors.csv").open() as lines:
        table = csv.DictReader(line for line in lines if not line.startswith("#"))
        rows = [row for row in table if row["quantity"] == "device_power"]
    low, high = min(float(row["low"]) for row in rows), max(float(row["high"]) for row in rows)
    assert by_name["training", "device_power"].error == f"{100 * low:+.3g} to {100 * high:+.3g} %"


def test_a_family_that_joins_others_does_not_repeat_their_errors():
    assert {stated.quantity for stated in ERRORS if stated.family == "codesign"} <= {"", "compute_time"}
