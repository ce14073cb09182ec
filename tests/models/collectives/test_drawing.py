"""What the picture of an operation shows."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.collectives import COLLECTIVES, best, cost, cost_view, draw, draw_map, winner_map

RANKS = 2 ** np.arange(1, 13)


def test_every_defined_algorithm_has_a_line():
    view = cost_view("bcast", np.arange(2, 20), 8)
    assert [line.name for line in view.lines] == list(COLLECTIVES["bcast"])
    (halves,) = (line for line in view.lines if line.name == "split_binary")
    assert view.places[~np.isnan(halves.cost.time)].tolist() == [3, 7, 15]
    assert "split_binary" not in [line.name for line in cost_view("bcast", RANKS, 8).lines]
    assert view.title == "bcast, 8 B"


def test_winners_are_named_where_they_take_over():
    sizes = np.geomspace(1, 1e7, 60)
    view = cost_view("allreduce", 64, sizes)
    (_, first), (place, second) = view.takeovers["time"]
    assert (first, second) == ("butterfly", "rabenseifner")
    assert sizes[sizes < 31398.5][-1] < place == sizes[sizes > 31398.5][0]
    np.testing.assert_array_equal(view.winners["energy"].energy, best("allreduce", 64, sizes, metric="energy").energy)
    assert view.axis == "message_size"


def test_the_drawing_has_three_panels_with_all_lines():
    figure = draw("allreduce", RANKS, 8)
    lines = {trace.name for trace in figure.data}
    assert lines == {"best", *COLLECTIVES["allreduce"]}
    assert len(figure.data) == 3 * len(lines)
    assert {trace.xaxis for trace in figure.data} == {"x", "x2", "x3"}
    time = next(trace for trace in figure.data if trace.name == "butterfly" and trace.yaxis == "y")
    np.testing.assert_array_equal(time.y, cost("butterfly", "allreduce", RANKS, 8).time)
    assert figure.layout.xaxis.type == figure.layout.yaxis3.type == "log"


def test_one_axis_is_needed():
    for processes, size in ((8, 8), (RANKS, [1, 2])):
        with pytest.raises(InputError, match="a list of one, which is the axis"):
            draw("bcast", processes, size)


def test_a_map_has_a_colour_for_every_winner():
    found = winner_map("allreduce", RANKS, [0.0, 8.0, 1e4, 1e6], metric="memory")
    (heat,) = draw_map(found).data
    assert list(heat.colorbar.ticktext) == found.names
    names = np.array(found.names)[np.array(heat.z).astype(int)]
    np.testing.assert_array_equal(names, found.cost.algorithm)
    assert heat.x.tolist() == [4.0, 8.0, 1e4, 1e6]
    assert len(heat.colorscale) == 2 * len(found.names)
