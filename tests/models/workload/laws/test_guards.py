"""Guards of laws: each bit a user, and each fails here without it."""

import dataclasses

import numpy as np
import pytest
from grid_runs import CELLS, files, laws, of_cubes, run

from dse.errors import InputError
from dse.models.measured_laws.fitting.fit import Runs, fit
from dse.models.measured_laws.fitting.guards import Guards, falls_along, rays_along
from dse.models.workload.laws.fitting import fit_laws
from dse.models.workload.laws.ranks import messages_apart

UNEVEN = files("jacobi", lambda n, ranks: n in (16, 24, 32, 48, 64) and ranks in (1, 2, 4, 8, 16))


def _bytes_of_uneven_boxes():
    values = [run("jacobi", *key).only.comm.p2p.sent_bytes for key in UNEVEN]
    return values, {"n": [n for n, _ in UNEVEN], "processes": [ranks for _, ranks in UNEVEN]}


def test_five_ranks_allow_two_factors_of_them():
    values, columns = _bytes_of_uneven_boxes()
    runs = Runs.of(columns)
    factors = {term.factors[1] for term in fit(values, runs, guards=Guards()).terms} - {None}
    assert len({one for one in factors if not one.constant}) <= 2
    free = {term.factors[1] for term in fit(values, runs).terms}
    assert len({one for one in free if not one.constant}) > 2  # without the guard


def test_what_falls_with_ranks_does_not_rise_on_the_way():
    sizes = np.array([[n, p] for n in (16.0, 32.0, 64.0) for p in (1.0, 2.0, 4.0, 8.0, 16.0)])
    # Falls in every run; the law with log2(p)^2 behind it turns round far outside.
    values = 1e6 * sizes[:, 0] ** 2 / sizes[:, 1] * (1.0 + 0.02 * np.log2(sizes[:, 1]) ** 2)
    runs = Runs.of({"n": sizes[:, 0].tolist(), "processes": sizes[:, 1].tolist()})
    assert falls_along(runs.sizes, runs.medians(values), 1)
    guarded = fit(values, runs, guards=Guards(falling=rays_along(runs.sizes, 1, 1024.0)))
    along = [guarded.at({"n": 1024.0, "processes": float(p)}) for p in 2 ** np.arange(4, 15)]
    assert (np.diff(along) <= 1e-9 * np.abs(along[:-1])).all()


def test_a_law_that_rises_far_out_is_refused_for_falling_alone():
    sizes = np.array([[n, p] for n in (16.0, 32.0, 64.0) for p in (1.0, 2.0, 4.0, 8.0, 16.0)])
    values = 1e6 * sizes[:, 0] / sizes[:, 1] + 1e3 * sizes[:, 0] * sizes[:, 1]
    runs = Runs.of({"n": sizes[:, 0].tolist(), "processes": sizes[:, 1].tolist()})
    assert falls_along(runs.sizes, runs.medians(values), 1)
    free, guarded = fit(values, runs), fit(values, runs, guards=Guards(falling=rays_along(runs.sizes, 1, 1024.0)))
    near, far = {"n": 64.0, "processes": 64.0}, {"n": 64.0, "processes": 16384.0}
    assert free.at(far) > free.at(near)
    assert guarded.at(far) <= guarded.at(near)


def test_ranks_that_are_no_cubes_are_told_with_what_collapses():
    told = fit_laws([run("jacobi", *key) for key in UNEVEN]).notes
    odd = next(one for one in told if "MPI_Dims_create" in one)
    assert "2, 4, 16 ranks are no cubes" in odd
    assert "comm.p2p.sent_messages" in odd.split("not equal")[0]
    assert not [one for one in laws("jacobi").notes if "no cubes" in one]


def test_runs_of_one_rank_do_not_take_messages_out_of_the_laws():
    profiles = []
    for key in files("cg", of_cubes):
        profile = run("cg", *key)
        if key[1] == 1:  # as a program that sends nothing alone
            alone = dataclasses.replace(profile.only, comm=None)
            profile = dataclasses.replace(profile, classes=(alone,), sha256=f"{profile.sha256}x")
        profiles.append(profile)
    found = fit_laws(profiles, [CELLS])
    assert found.at(16384, 2048).only.comm.p2p.sent_bytes == 7_802_394
    assert found.at(1, 48).only.comm.p2p.sent_bytes == 0
    assert any("runs of one rank have no comm.p2p" in one for one in found.notes)


def test_a_size_is_proved_or_not_by_runs_of_equal_sizes():
    assert laws("cg").notes[0].startswith("3 groups of runs with equal cells, instructions differ by at most")
    profiles = [run("cg", *key) for key in files("cg", of_cubes)]
    with pytest.raises(InputError, match=r"4 numbers of processes.*cells = n\*\*3 / processes"):
        fit_laws(profiles)
    with pytest.raises(InputError, match="4 numbers of processes"):
        fit_laws(profiles, ["side = n / processes"])


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ("cells = m**3 / processes", "'m' is no parameter of these runs"),
        ("cells = n - 12", "cells is 0 at n = 12"),
        ("cells = 12 - n", "cells is 0 at n = 12"),
        ("cells = n / n", "is 1 in every run"),
        ("cells = 3", "reads no parameter"),
        ("cells", "NAME = EXPRESSION"),
        ("n = n**3", "is a parameter of the program"),
        ("cells = n**3 /", "--size: .* ends too early"),
    ],
)
def test_bad_sizes(size, problem):
    with pytest.raises(InputError, match=problem.replace("**", r"\*\*")):
        fit_laws([run("cg", *key) for key in files("cg", of_cubes)], [size])


def test_sizes_have_names_of_their_own():
    with pytest.raises(InputError, match="--size: two sizes have one name"):
        fit_laws([run("cg", *key) for key in files("cg", of_cubes)], [CELLS, "cells = n"])


def test_one_rank_alone_says_nothing_of_others():
    with pytest.raises(InputError, match="every run has 1 process"):
        fit_laws([run("cg", n, 1) for n in (12, 24, 36, 48, 60)], [CELLS])


@pytest.mark.parametrize(
    ("formulas", "problem"),
    [
        (["comm.p2p.sent_bytes = 1300 B * cells**(2/3)"], "8.33 % off"),
        (["comm.p2p.sent_bytes = 1200 * cells**(2/3)"], r"is in \[B\]"),
        (["comm.p2p.sent_byte = 1200 B * cells**(2/3)"], "no run has a metric"),
        (["comm.p2p.sent_bytes = 1200 B * cells**(2/3)"] * 2, "has two formulas"),
    ],
)
def test_bad_exact_laws(formulas, problem):
    with pytest.raises(InputError, match=problem):
        fit_laws([run("cg", *key) for key in files("cg", of_cubes)], [CELLS], formulas=formulas)


def test_an_exact_law_takes_the_place_of_a_fit():
    profiles = [run("cg", *key) for key in files("cg", of_cubes)]
    found = fit_laws(profiles, [CELLS], formulas=["comm.p2p.sent_bytes = 1200 B * cells**(2/3)"])
    assert found.at(16384, 2048).only.comm.p2p.sent_bytes == 7_802_394
    assert found.classes[0].laws["comm", "p2p", "sent_bytes"].error < 1e-12


def test_far_points_are_refused_with_the_run_that_is_missing():
    with pytest.raises(InputError, match=r"4741 times outside.*a run with cells of about 5.1e\+05 is missing"):
        laws("cg").refuse_far(laws("cg").point(16384, 20480))
    laws("cg").refuse_far(laws("cg").point(16384, 2048))


def test_messages_that_differ_where_the_work_is_equal_are_told():
    """Bodies handed round a ring: equal pairs are equal work, and P - 1 messages are none."""
    pairs = [64.0, 64.0, 64.0, 16.0]
    ranks = [1.0, 4.0, 16.0, 4.0]
    key, held = ("comm", "p2p", "sent_messages"), ("comm", "p2p", "sent_bytes")
    recorded = [{}, {key: 3.0, held: 96.0}, {key: 15.0, held: 240.0}, {key: 3.0, held: 48.0}]
    (note,) = messages_apart(["pairs"], [pairs], ranks, recorded)
    assert "at equal pairs runs differ in comm.p2p.sent_messages by up to 400 % and comm.p2p.sent_bytes" in note
    # Functions of the sizes have nothing to tell, nor sizes that are equal nowhere.
    assert messages_apart(["pairs"], [pairs], ranks, [{}, *[{key: 3.0, held: 9.0}] * 3]) == []
    assert messages_apart(["pairs", "processes"], [pairs, ranks], ranks, recorded) == []


def test_mpi_from_fortran_is_refused_not_taken_as_no_messages():
    profiles = [run("cg", *key) for key in files("cg", of_cubes)]
    (item,) = profiles[3].classes
    calls = {**item.external_calls, "mpi_sendrecv_": 150}
    profiles[3] = dataclasses.replace(profiles[3], classes=(dataclasses.replace(item, external_calls=calls),))
    with pytest.raises(InputError, match=r"calls MPI from Fortran \(mpi_sendrecv_\)"):
        fit_laws(profiles, [CELLS])
