"""Traffic matrices on topologies: with equal volumes, the effective bandwidth of the pattern."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.network import effective_bandwidth
from dse.models.replay import traffic_of_matrix
from dse.models.replay.network.on_topology import traffic_bandwidth

NETWORKS = {
    "full-mesh": {"a": 4, "p": 4, "b0": 7e9, "b1": 2e9},
    "fat-tree-2-level": {"m1": 4, "m2": 4, "w0": 1, "w1": 2, "b0": 7e9, "b1": 5e9},
    "torus": {"d": [4, 2], "p": 2, "b0": 7e9, "b": 3e9},
    "hyperx": {"d": [4, 2], "p": 2, "b0": 7e9, "b": 3e9},
}
UNIFORM = 1.0 - np.eye(16)
PATTERNS = {
    "uniform": (UNIFORM, {"include_self": False}),
    "shift": (np.roll(np.eye(16), 5, axis=1), {"step": 5}),
    "exchange": (np.eye(16)[np.arange(16) ^ 4], {"exchange_bit": 2}),
    "complement": (np.eye(16)[::-1], {}),
}


@pytest.mark.parametrize("topology", NETWORKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_equal_volumes(topology, pattern):
    matrix, options = PATTERNS[pattern]
    found = traffic_bandwidth(traffic_of_matrix(1e6 * matrix), topology, NETWORKS[topology])
    expected = effective_bandwidth(topology, NETWORKS[topology], pattern, options)
    assert found.effective_bandwidth == pytest.approx(float(expected), rel=1e-12)


def test_unequal_volumes():
    """Two nodes of a switch send 6 and 2 bytes over the one link between two switches."""
    matrix = np.zeros((4, 4))
    matrix[0, 2], matrix[1, 3] = 6.0, 2.0
    found = traffic_bandwidth(traffic_of_matrix(matrix), "full-mesh", {"a": 2, "p": 2, "b0": 10.0, "b1": 4.0})
    assert found.seconds["switch"] == pytest.approx(8 / 4)
    assert found.seconds["node"] == pytest.approx(6 / 10)
    assert found.effective_bandwidth == pytest.approx((8 / 4) / (8 / 4))
    inside = np.zeros((4, 4))
    inside[0, 1] = 5.0
    found = traffic_bandwidth(traffic_of_matrix(inside), "full-mesh", {"a": 2, "p": 2, "b0": 10.0, "b1": 4.0})
    assert (found.bottleneck, found.seconds["switch"]) == ("node", 0.0)


def test_refused():
    with pytest.raises(InputError, match="traffic of 4 ranks on a full-mesh of 16 nodes"):
        traffic_bandwidth(traffic_of_matrix(np.ones((4, 4))), "full-mesh", NETWORKS["full-mesh"])
    with pytest.raises(InputError, match="there is no traffic"):
        traffic_bandwidth(traffic_of_matrix(np.eye(16)), "full-mesh", NETWORKS["full-mesh"])
