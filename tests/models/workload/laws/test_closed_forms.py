"""The counts of cg and jacobi as their sources say them, as recorded, and as their laws foretell them."""

import numpy as np
import pytest
from grid_runs import files, laws, run

from dse.models.workload.laws.patterns import dims_create, folded, joined_offsets, pattern_of, peer_bytes

# Conjugate gradients: 25 iterations, six faces a rank, two doubles per pair of cells; jacobi: 50 sweeps of six faces.
ONE_BOX = [(12, 1), (24, 8), (36, 27), (48, 64)]  # 1,728 cells each


@pytest.mark.parametrize(("n", "ranks"), files("cg"))
def test_cg_sends_and_reduces_as_its_source_says(n, ranks):
    comm = run("cg", n, ranks).only.comm
    sides = dims_create(ranks, 3)
    box = [n // side for side in sides]
    faces = box[1] * box[2] + box[0] * box[2] + box[0] * box[1]
    assert comm.p2p.sent_messages == 150
    assert comm.p2p.sent_bytes == 25 * 2 * 8 * faces
    assert (comm.collectives["MPI_Allreduce"].count, comm.collectives["MPI_Allreduce"].bytes) == (51, 408)
    assert run("cg", n, ranks).only.count("fp_div") == n**3 // ranks + 50


def test_recorded_values_of_one_box():
    for n, ranks in ONE_BOX:
        item = run("cg", n, ranks).only
        assert (item.count("fp_mul"), item.footprint_bytes) == (455_328, 215_684)
        if ranks > 1:
            assert item.instructions == 5_946_539
            assert run("jacobi", n, ranks).only.instructions == 2_224_645


def test_bytes_of_a_box_that_is_no_cube_by_hand():
    # n = 32 on 2 ranks: a box of 16 x 32 x 32, 25 iterations, two directions, 8 B.
    assert dims_create(2, 3) == (2, 1, 1)
    assert 25 * 2 * 8 * (512 + 1024 + 512) == 819_200


@pytest.mark.parametrize(
    ("n", "ranks", "held"), [(48, 8, 691_200), (48, 27, 307_200), (48, 64, 172_800), (2048, 16384, 7_802_394)]
)
def test_laws_of_cg_give_bytes(n, ranks, held):
    comm = laws("cg").at(ranks, n).only.comm
    assert (comm.p2p.sent_messages, comm.p2p.sent_bytes) == (150, held)
    assert (comm.collectives["MPI_Allreduce"].count, comm.collectives["MPI_Allreduce"].bytes) == (51, 408)


@pytest.mark.parametrize(("n", "ranks", "held"), [(60, 27, 960_000), (1024, 4096, 9_830_400)])
def test_laws_of_jacobi_give_bytes(n, ranks, held):
    comm = laws("jacobi").at(ranks, n).only.comm
    assert (comm.p2p.sent_messages, comm.p2p.sent_bytes) == (300, held)
    assert (comm.collectives["MPI_Allreduce"].count, comm.collectives["MPI_Allreduce"].bytes) == (5, 40)


def test_laws_of_cg_at_the_run_nobody_fitted():
    recorded, foretold = run("cg", 60, 27).only, laws("cg").at(27, 60).only
    assert (recorded.instructions, recorded.footprint_bytes) == (26_777_627, 982_660)
    assert foretold.footprint_bytes == 982_660
    assert foretold.instructions == pytest.approx(26_777_627, rel=5e-4)
    assert foretold.count("fp_div") == 8050


def test_cg_on_64_ranks_sends_a_third_along_each_dimension():
    near = folded(peer_bytes([run("cg", 48, 64).only]), 64)
    each = {offset: held / 64 for offset, held in near.items()}
    assert joined_offsets(each, 64, 3) == {(1, 3): 57_600.0, (4, 12): 57_600.0, (16,): 57_600.0}
    assert pattern_of(run("cg", 48, 64).classes, 64).name == "neighbour-3d"


def test_cells_of_two_million_ranks_lie_inside_the_runs():
    point = laws("cg").point(2**21, 2048)
    assert laws("cg").law_point(point)["cells"] == 4096
    assert laws("cg").distance(point) == 1.0
    assert laws("cg").distance(laws("cg").point(16384, 2048)) == pytest.approx(524_288 / 110_592)


@pytest.mark.parametrize(
    ("program", "ranks", "sizes", "within"),
    [
        ("cg", 1, [2**15], 0.005),
        ("cg", 8, [2**15], 0.005),
        ("cg", 27, [2**15], 0.005),
        ("jacobi", 1, [2**15], 0.03),
        ("jacobi", 1, [2**18], 0.1),
        ("jacobi", 1, [2**20], 0.005),
        ("jacobi", 1, [2**22], 0.025),
    ],
)
def test_reuse_by_quantiles_at_the_size_nobody_fitted(program, ranks, sizes, within):
    foretold, recorded = laws(program).at(ranks, 60).only.reuse(64), run(program, 60, ranks).only.reuse(64)
    for size in sizes:
        missed = 1.0 - recorded.hit_fraction(size / 64)
        assert 1.0 - foretold.hit_fraction(size / 64) == pytest.approx(missed, rel=within)


def test_reuse_of_a_fitted_run_is_near_its_own():
    for n, ranks in [(24, 8), (48, 8), (36, 27)]:
        foretold, recorded = laws("cg").at(ranks, n).only.reuse(64), run("cg", n, ranks).only.reuse(64)
        lines = 2.0 ** np.arange(3, 10)
        assert np.allclose(foretold.hit_fraction(lines), recorded.hit_fraction(lines), atol=0.02)
