"""Figures, strata, bands and targets of real machines, and what `dse validate` counts of them."""

import dataclasses
import math
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from dse.authoring.library.claims import counts
from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.catalogue.figures import FIGURES, GRADIENT, LINPACK, POWER, missing
from dse.models.machines.claims.published import claims, comparison
from dse.models.machines.laws.comparison import answers, judged, rank_correlation, strata
from dse.models.machines.laws.laws import fitted
from dse.models.machines.laws.targets import efficiencies, order_of_devices, targets

from . import oracle
from .tables import row, written

CLAIMS = claims()
MACHINES = [machine for machine in catalogue() if not machine.fit]
FOUND = answers(MACHINES)
JUDGED = judged(MACHINES)
BY_NAME = {(answer.machine.name, answer.figure.name): answer for answer in FOUND}
SHARES = oracle.shares()
LAWS = {"linpack": "rate", "power": "power", "hpcg": "hpcg"}
FORMS = {LINPACK: oracle.linpack_rate, POWER: oracle.power, GRADIENT: oracle.gradient_rate}


@cache
def errors(kind="law"):
    return oracle.left_out(SHARES, kind)


def test_counts():
    assert counts(CLAIMS) == {"pass": 61, "fail": 0, "fitted": 0, "deviation": 0, "miss": 1, "not checkable": 19}
    assert len({claim.claim for claim in CLAIMS}) == 81
    (miss,) = [claim for claim in CLAIMS if claim.status == "miss"]
    assert miss.claim == "Perlmutter: HPL power"
    assert "operating points" in miss.note


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_figures_by_laws_without_the_machine_and_by_all(figure):
    """The model written anew, with shares of laws written anew."""
    law = LAWS[figure.name]
    for answer in FOUND:
        name = answer.machine.name
        if answer.figure is not figure or answer.computed is None:
            continue
        classes = {one: oracle.class_of(one, name) for one in oracle.LAWS}
        left = oracle.predicted(oracle.laws(SHARES, without={name}), oracle.DEVICES[name], classes)[law]
        whole = oracle.predicted(oracle.laws(SHARES), oracle.DEVICES[name], classes)[law]
        if law != "hpcg" and not answer.machine.accelerated:
            left = oracle.core_predicted(oracle.core_shares(), name, without={name})[law]
            whole = oracle.core_predicted(oracle.core_shares(), name)[law]
        form = FORMS[figure]
        assert answer.computed == pytest.approx(form(answer.machine, math.exp(left)), rel=1e-9), name
        # the factors that designs get have four digits
        assert answer.fitted == pytest.approx(form(answer.machine, math.exp(whole)), rel=3e-4), name
        assert answer.error == pytest.approx(answer.computed / answer.published - 1)
        assert answer.fitted_error == pytest.approx(answer.fitted / answer.published - 1)
        assert answer.known == oracle.known(SHARES, law, name)


def test_the_errors_of_power_are_those_of_its_law():
    """Power is proportional to its share; the rate is not, as part of the time is the network's."""
    for answer in FOUND:
        if answer.error is not None and answer.figure is POWER:
            assert answer.error == pytest.approx(errors()["power"][answer.machine.name], rel=1e-6)


# Mean absolute errors in per cent: the law, one constant per class, one per device.
STRATA = {
    ("rate", "device known"): (15, 6.7, 7.1, 6.0),
    ("rate", "device known, without A100"): (13, 4.2, 6.5, None),
    ("rate", "device first seen"): (8, 11.0, None, None),
    ("power", "device known"): (13, 12.1, 9.8, 9.9),
    ("power", "device known, without A100"): (11, 8.0, 7.9, None),
    ("power", "device first seen"): (7, 13.9, None, None),
    ("efficiency", "device known"): (13, 6.6, 9.9, 4.6),
    ("efficiency", "device known, without A100"): (11, 5.8, 9.1, None),
    ("efficiency", "device first seen"): (7, 21.0, None, None),
    ("gradient", "device known"): (4, 2.6, 29.8, 2.6),
    ("gradient", "device first seen"): (10, 22.4, None, None),
    ("gradient", "all"): (14, 16.7, 26.6, None),
}


@pytest.mark.parametrize(("law", "name"), STRATA)
def test_means_of_strata(law, name):
    """What the guide says; a change of the model that makes it worse shows here."""
    (one,) = [one for one in strata(JUDGED) if (one.law, one.name) == (law, name)]
    machines, *expected = STRATA[law, name]
    assert one.machines == machines
    for found, wanted in zip((one.mean, one.class_mean, one.device_mean), expected, strict=True):
        if wanted is not None:
            assert 100 * found == pytest.approx(wanted, abs=0.051)


def test_strata_against_errors_written_anew():
    found = {(one.law, one.name): one for one in strata(JUDGED)}
    assert len(found) == 16
    for (law, name), one in found.items():
        of = "hpcg" if law == "gradient" else law
        machines = [
            machine
            for machine in errors()[of]
            if name == "all"
            or (
                (oracle.known(SHARES, of, machine) == name.startswith("device known"))
                and not (name.endswith("A100") and oracle.DEVICES[machine] == "A100")
            )
        ]
        for kind, value in (("law", one.mean), ("class", one.class_mean), ("device", one.device_mean)):
            assert value == pytest.approx(fmean(abs(errors(kind)[of][m]) for m in machines), rel=1e-6)
        worst = max(machines, key=lambda m, of=of: abs(errors()[of][m]))
        assert one.machines == len(machines)
        assert one.worst == pytest.approx(abs(errors()[of][worst]), rel=1e-6)
        if worst != "Mira":
            assert one.worst_machine == worst


def test_bands_of_devices_first_seen():
    """Two standard errors: rates but that of TaihuLight (2.0), efficiencies but that of Tianhe-2A."""
    new = {(one.machine.name, one.law): one.deviations for one in JUDGED if not one.known}
    assert {name for (name, law), d in new.items() if law == "rate" and abs(d) > 2} == {"Sunway TaihuLight"}
    assert new["Aurora", "rate"] == pytest.approx(1.9, abs=0.05)
    beyond = {name for (name, law), d in new.items() if law == "efficiency" and abs(d) > 2}
    assert beyond == {"Tianhe-2A"}
    assert new["Tianhe-2A", "efficiency"] == pytest.approx(3.5, abs=0.2)


def test_targets_say_what_they_found():
    found = {(one.law, one.what): one for one in targets(JUDGED, FOUND)}
    assert len(found) == 14
    missed = {key for key, one in found.items() if not one.reached}
    known = "mean error, device known"
    over = "mean error of one constant per class over the law's, "
    assert missed == {
        ("power", known),
        ("power", f"{known}, without A100"),
        ("efficiency", known),
        ("efficiency", f"{known}, without A100"),
        ("efficiency", over + "device known"),
    }
    means = {(one.law, one.name): one for one in strata(JUDGED)}
    assert found["efficiency", known].found == means["efficiency", "device known"].mean
    assert found["efficiency", over + "device known"].found == pytest.approx(9.9 / 6.6, abs=0.01)
    assert found["gradient", over + "all"].found == pytest.approx(26.6 / 16.7, abs=0.01)
    assert found["efficiency", "rank correlation"].found == pytest.approx(0.970, abs=5e-4)
    assert found["rate", "within two standard errors, device first seen, of 8"].found == 7
    assert found["efficiency", "within two standard errors, device first seen, of 7"].found == 6


def test_a_target_is_reached_on_its_side_of_the_limit():
    first, *_, last = targets(JUDGED, FOUND)
    assert [dataclasses.replace(first, found=value).reached for value in (0.06, 0.07, 0.08, None)] == [
        True,
        True,
        False,
        None,
    ]
    least = dataclasses.replace(last, least=True, limit=0.95)
    assert [dataclasses.replace(least, found=value).reached for value in (0.94, 0.95, 1.0)] == [False, True, True]


def test_targets_without_machines_are_unknown():
    assert {one.reached for one in targets([], []) if one.what.startswith(("mean", "rank", "within"))} == {None}


def test_efficiencies_rank_as_measured():
    pairs = efficiencies(FOUND)
    assert len(pairs) == 20
    measured, computed = zip(*pairs.values(), strict=True)
    ranked = spearmanr(measured, computed).statistic
    assert rank_correlation(measured, computed) == pytest.approx(ranked)
    assert ranked == pytest.approx(0.970, abs=5e-4)
    for name, (found, _) in pairs.items():
        machine = BY_NAME[name, "power"].machine
        assert found == machine.linpack_flop_rate / machine.power


def test_devices_with_two_machines_are_in_their_measured_order():
    """Gflop/s per watt: GH200 62, MI300A 61, MI250X 56, A100 25, V100 14, PowerPC A2 2."""
    pairs = efficiencies(FOUND)
    devices = {}
    for name, (measured, _) in pairs.items():
        devices.setdefault(oracle.DEVICES[name], []).append(measured / 1e9)
    means = {device: math.prod(some) ** 0.5 for device, some in devices.items() if len(some) == 2}
    assert {device: round(mean) for device, mean in means.items()} == {
        "GH200": 62,
        "MI300A": 61,
        "MI250X": 56,
        "A100": 25,
        "V100": 14,
        "PowerPC A2": 2,
    }
    assert order_of_devices(JUDGED) == []


def test_devices_in_the_wrong_order_are_found():
    """A measured rate five times as high puts V100 above A100 and MI250X where the laws do not."""
    turned = []
    for one in JUDGED:
        machine = one.machine
        if machine.device == "V100":
            machine = dataclasses.replace(machine, linpack_flop_rate=5 * machine.linpack_flop_rate)
            one = dataclasses.replace(one, machine=machine, measured=5 * one.measured)
        turned.append(one)
    assert order_of_devices(turned) == [("V100", other) for other in ("MI300A", "MI250X", "GH200", "A100")]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_rank_correlation_against_scipy(pairs):
    one, other = zip(*pairs, strict=True)
    found = rank_correlation(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


def test_two_machines_have_no_rank_correlation():
    assert rank_correlation([1.0, 2.0], [2.0, 1.0]) is None


def test_what_is_missing_is_said():
    told = {key: answer.note for key, answer in BY_NAME.items() if answer.error is None}
    assert told["Eagle (Azure)", "power"] == "not published"
    assert told["Eagle (PSNC)", "linpack"] == "without memory capacity it cannot be computed"
    assert told["Sunway TaihuLight", "power"] == "without rated power of the processors it cannot be computed"
    assert told["JUPITER Booster (partial)", "linpack"] == "without nodes of the run it cannot be computed"
    assert BY_NAME["Aurora", "linpack"].note == ""  # its base is the catalogue's, whatever nodes the list describes
    assert BY_NAME["Aurora", "hpcg"].note == "HPCG ran on 4143 nodes"


def only(tmp_path, machine, /, **changes):
    return comparison(written(row(machine, **changes), folder=tmp_path))


@pytest.mark.parametrize(
    ("figure", "heading", "scale", "low", "high"),
    [
        ("linpack", "rmax_pflops", 1e15, 1 / 1.25, 1 / 0.75),
        ("power", "power_kw", 1e3, 1 / 1.35, 1 / 0.65),
        ("hpcg", "hpcg_pflops", 1e15, 0.5, 2),
    ],
)
def test_the_acceptance(tmp_path, figure, heading, scale, low, high):
    """Just inside and just outside of both ends: 25 %, 35 %, a factor of 2."""
    computed = BY_NAME["Frontier", figure].computed / scale
    for factor, inside in ((low * 0.99, False), (low * 1.01, True), (high * 0.99, True), (high * 1.01, False)):
        found = only(tmp_path, "Frontier", **{heading: f"{computed * factor:.6g}"})
        (claim,) = [
            one for one in found.claims if one.claim.startswith(f"Frontier: {BY_NAME['Frontier', figure].figure.title}")
        ]
        assert claim.status == ("pass" if inside else "fail"), factor


def test_a_note_of_the_row_documents_a_miss(tmp_path):
    """Of the power by power_note, of the rate by peak_note; without one it fails."""
    far = {"power_kw": "50000"}
    assert [one.status for one in only(tmp_path, "Frontier", **far).claims] == ["pass", "fail", "pass"]
    told = only(tmp_path, "Frontier", **far, power_note="a meter of the whole site").claims[1]
    assert (told.status, told.note) == ("miss", "a meter of the whole site")
    assert only(tmp_path, "Frontier", **far, peak_note="other clocks").claims[1].status == "fail"


def test_nodes_that_are_not_those_of_the_list_matter_only_where_its_peak_is_the_base(tmp_path):
    """Aurora's base is the catalogue's; with a device of no catalogue the tolerance is wide, and it is said."""
    assert [claim.status for claim in only(tmp_path, "Aurora").claims] == ["pass"] * 3
    found = only(tmp_path, "Aurora", acc_model="Own Accelerator")
    assert "10624 nodes, and 9234 ran: wide tolerance, 60 %" in found.claims[0].note
    assert found.claims[0].absolute_tolerance == pytest.approx(0.6 * 1.012e18)
    assert only(tmp_path, "Aurora").claims[0].absolute_tolerance == pytest.approx(0.25 * 1.012e18)


def test_a_file_of_one_machine(tmp_path):
    """Under another name the machine it was copied from is in the laws."""
    found = only(tmp_path, "Frontier", name="Frontier's twin")
    assert [claim.status for claim in found.claims] == ["pass"] * 3
    (machine,) = found.details["machines"]
    assert machine["name"] == "Frontier's twin"
    assert machine["linpack"]["error"] == pytest.approx(BY_NAME["Frontier", "linpack"].fitted_error, abs=3e-4)
    assert machine["left_out"]["rate"]["device_known"]
    assert found.details["targets"] == found.details["size"] == found.details["checks"]["power"] == []
    again = only(tmp_path, "Frontier").details["machines"][0]
    assert again["linpack"]["error"] == pytest.approx(BY_NAME["Frontier", "linpack"].error)


def test_a_machine_with_a_device_nobody_has_is_of_its_class(tmp_path):
    found = only(tmp_path, "Frontier", name="Other", acc_model="Own Accelerator").details["machines"][0]
    assert found["device"] == "Own Accelerator"
    rate = found["left_out"]["rate"]
    assert not rate["device_known"]
    assert rate["share"] == pytest.approx(0.7141, abs=5e-5)
    assert found["left_out"]["power"]["share"] == pytest.approx(1.0043, abs=5e-5)


def test_a_file_without_the_column_of_gradient_nodes(tmp_path):
    """The run of Aurora is known by its name and figure; under another figure it took the nodes of HPL."""
    same = only(tmp_path, "Aurora", nodes_hpcg=None)
    assert same.details["machines"][0]["hpcg"]["error"] == pytest.approx(BY_NAME["Aurora", "hpcg"].error)
    other = only(tmp_path, "Aurora", nodes_hpcg=None, hpcg_pflops="12")
    assert other.details["machines"][0]["hpcg"]["computed"] > 2 * same.details["machines"][0]["hpcg"]["computed"]


def test_a_file_in_which_nothing_can_be_compared(tmp_path):
    with pytest.raises(InputError, match="no figure of any machine can be compared: HPL performance not published"):
        only(tmp_path, "Magnus", rmax_pflops="")


def test_another_table_by_its_name_in_spaces():
    """Machines that no law was fitted on. Their figures are recalled, so this is a weaker test."""
    found = comparison(Path("machines/recalled.csv"))
    named = {one["name"] for one in found.details["machines"]}
    assert not named & {machine.name for machine in catalogue()}
    means = {(one["law"], one["stratum"]): one for one in found.details["strata"]}
    expected = {
        ("rate", "device known"): 7.75,
        ("power", "device known"): 9.6,
        ("efficiency", "device known"): 10.1,
        ("hpcg", "device known"): 9.4,
        ("rate", "all"): 8.7,
        ("power", "all"): 10.0,
        ("efficiency", "all"): 14.1,
    }
    for key, mean in expected.items():
        assert 100 * means[key]["mean_error"] == pytest.approx(mean, abs=0.051), key
    assert means["rate", "device known"]["machines"] == 18
    worst = means["rate", "all"]
    assert (worst["worst_machine"], round(100 * worst["worst_error"])) == ("Tianhe-1A", 31)
    known = [one for one in found.details["machines"] if "hpcg" in one["left_out"] and one["hpcg"]["device_known"]]
    assert 100 * fmean(abs(one["hpcg"]["error"]) for one in known) == pytest.approx(9.2, abs=0.051)
    failed = [claim.claim for claim in found.claims if claim.status == "fail"]
    slow = ("Cori", "Tianhe-1A")
    assert failed == [*(f"{name}: HPL performance" for name in slow), "Tianhe-2: HPCG performance"]


def test_missing_is_by_figure():
    (alone,) = [machine for machine in catalogue() if machine.name == "Fugaku"]
    assert not any(missing(alone, figure) for figure in FIGURES)
    without = dataclasses.replace(alone, memory_bandwidth=None, injection_bandwidth=None)
    assert [missing(without, figure) for figure in FIGURES] == [
        "without injection bandwidth it cannot be computed",
        "without injection bandwidth, memory bandwidth it cannot be computed",
        "without memory bandwidth, injection bandwidth it cannot be computed",
    ]


def test_a_rate_needs_to_know_whether_the_clock_is_kept():
    """Of fixed clocks that is known by their name, of others by cores and clock; power is by the year alone."""
    (alone,) = [machine for machine in catalogue() if machine.name == "Magnus"]
    without = dataclasses.replace(alone, core_operations=None)
    assert missing(without, LINPACK) == "without cores and clock it cannot be computed"
    assert not missing(dataclasses.replace(without, power=1e6), POWER)
    (fixed,) = [machine for machine in catalogue() if machine.name == "Fugaku"]
    assert not missing(dataclasses.replace(fixed, core_operations=None), LINPACK)


def test_the_law_of_a_known_device_is_that_of_its_own_class():
    (alone,) = [machine for machine in catalogue() if machine.name == "Fugaku"]
    without = dataclasses.replace(alone, core_operations=None)
    assert fitted().shares(without) == fitted().shares(alone)


def test_what_is_taken_for_granted_is_said(tmp_path):
    network = "its kind of network is not known and taken for a fat tree without taper"
    found = only(tmp_path, "MareNostrum III", topology="", cores_top500="")
    assert found.claims[0].note.startswith("without cores and clock")
    assert only(tmp_path, "Fugaku", topology="").claims[1].note == network
    catalogued = only(tmp_path, "Frontier", topology="", cores_top500="")
    assert [claim.note for claim in catalogued.claims] == [network, network, ""]
    cores = "the list's cores are not known, and its peak rate is taken to be that of the nodes that ran"
    other = only(tmp_path, "Titan", cores_top500="")
    assert other.claims[0].note == cores
    assert np.isfinite(other.claims[0].computed)
