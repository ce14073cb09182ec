"""What a node sees of its network, from the name of its topology."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.catalogue.networks import Network, network_of


def seen(topology, nodes=1000.0, injection=20e9, link=None, interconnect=""):
    return network_of(topology, nodes=nodes, injection=injection, link=link, interconnect=interconnect)


@pytest.mark.parametrize(
    ("topology", "taper"),
    [
        ("fat-tree", 1.0),
        ("Fat-Tree non-blocking 3-level", 1.0),
        ("fat-tree 2:1 tapered", 2.0),
        ("fat tree, 3 : 2", 1.5),
        ("folded Clos", 1.0),
        ("two-level: 256-node supernodes, tapered tree above", 4.0),
        ("dragonfly", 1.75),
        ("dragonfly+", 1.75),
        ("dragonfly (2D all-to-all group)", 1.75),
        ("2D HyperX", 1.0),
        ("enhanced hypercube", 1.0),
    ],
)
def test_tapers(topology, taper):
    assert seen(topology).taper == taper


def test_parts_of_switched_networks():
    """A tree of three levels has five ports and four optical ends per link of a node; a taper halves those above."""
    assert seen("fat-tree") == Network(1.0, 5.0, 4.0, 1.0)
    assert seen("fat-tree 2:1") == Network(2.0, 3.0, 2.0, 1.0)
    assert seen("dragonfly") == Network(1.75, 4.0, 1.0, 1.0)


def test_tori_by_their_longest_ring():
    """Uniform traffic on a ring of d switches of p nodes: 8 b/(d p) per node for even d (two directions, d/4 hops)."""
    sequoia = seen("5D torus 16x16x16x12x2", 98304, 20e9, 2e9, "Blue Gene/Q")
    assert sequoia.taper == pytest.approx(20e9 / (8 * 2e9 / 16))
    titan = seen("3D torus 25x16x24, 2 nodes per router", 18688, 5e9)
    assert titan.taper == pytest.approx(5e9 / (5e9 / (2 * 12 * 13 / 2 / 25)), rel=1e-12)
    assert (sequoia.adapters, titan.adapters) == (0.0, 1.0)
    assert seen("6D torus/mesh 24x23x24x2x3x2", 158976, 40.8e9, 6.8e9, "Tofu-D").taper == pytest.approx(18.0)


def test_a_torus_without_sides_has_equal_ones():
    assert seen("3D torus", 1000, 20e9, 5e9) == seen("3D torus 10x10x10", 1000, 20e9, 5e9)
    assert seen("torus", 1000, 20e9, 5e9) == seen("3D torus 10x10x10", 1000, 20e9, 5e9)
    assert seen("6D torus/mesh", 88128, 20e9, 5e9) == seen("6D torus 7x7x7x7x7x7", 88128, 20e9, 5e9)


@given(
    st.sampled_from(["2D torus", "3D torus", "4D torus", "dragonfly", "fat-tree", "fat-tree 3:1", "HyperX"]),
    st.integers(2, 300_000),
    st.floats(1e9, 1e12),
)
def test_no_node_gets_more_than_it_injects(topology, nodes, injection):
    found = seen(topology, float(nodes), injection)
    assert found.taper >= 1.0 - 1e-12
    assert found.switch_ports >= 0
    assert found.optical_ends >= 0


@pytest.mark.parametrize("topology", ["tre", "dragonfyl", "tours", "fat-tree 100:1", "tree 1:0"])
def test_refused(topology):
    with pytest.raises(InputError):
        seen(topology)


@pytest.mark.parametrize("topology", ["", "custom (Sunway)", "a ring of rings", "proprietary"])
def test_what_is_not_known_is_taken_for_a_tree_and_says_so(topology):
    assert seen(topology) == seen("fat-tree")._replace(known=False)


def test_every_machine_of_the_table_has_one_but_the_partial_run():
    assert [m.name for m in catalogue() if m.network is None] == ["JUPITER Booster (partial)"]
