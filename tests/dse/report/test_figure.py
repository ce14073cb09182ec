"""The figure of the frontier: the record is asserted, the drawing only follows it."""

import numpy as np
import pytest

from dse.errors import InputError, RunFolderError
from dse.report.charts import figure as module
from dse.report.charts.figure import front_figure, front_view


def test_two_objectives(runs):
    """Feasible designs are split into frontier and dominated; the others are infeasible; values in display units."""
    run = runs("ska-correlator")
    view = front_view(run)
    assert view.quantities == ("node_power", "total_power")
    assert view.axes == ("node power [W]", "total power [MW]")
    assert view.senses == ("min", "min")
    assert view.scales == ("linear", "linear")
    assert (len(view.front), len(view.dominated), len(view.infeasible)) == (5, 31, 924)
    assert view.front["design"].tolist() == [842, 843, 846, 847, 239]
    assert view.front["x"].iloc[-1] == pytest.approx(421.494304)
    assert view.front["y"].iloc[-1] == pytest.approx(3.452881, rel=1e-6)
    assert view.steps == "hv"
    assert view.exact
    assert not view.synthetic
    assert view.note == "All 960 designs of the space are drawn."
    text = view.front["text"].iloc[-1].split("\n")
    assert text[:4] == ["design 239", "alternative haswell-8-channels", "core type Haswell", "cores 96"]
    assert {"frequency 4 GHz", "node power 421.5 W", "total power 3.453 MW"} < set(text)


def test_dominated_are_dominated(runs):
    """No feasible design of the sample beats one of the frontier, and each one in the background is beaten."""
    view = front_view(runs("hybrid-xeon-sp"))
    front, rest = view.front[["x", "y"]].to_numpy(), view.dominated[["x", "y"]].to_numpy()
    beaten = (front[:, None] <= rest).all(2) & (front[:, None] < rest).any(2)
    assert beaten.any(0).all()
    assert not ((rest[:, None] <= front).all(2) & (rest[:, None] < front).any(2)).any()


def test_wide_axes_are_logarithmic(runs):
    """Run times span 2.3 s to 377 s, energies one decade."""
    assert front_view(runs("hybrid-xeon-sp")).scales == ("log", "linear")


def test_extrapolated_is_marked(runs):
    run = runs("hybrid-xeon-sp")
    view = front_view(run)
    marked = view.front[view.front["extrapolated"]]
    assert len(marked) == run.manifest.frontier.extrapolated == 9
    assert all(text.endswith("extrapolated in nodes") for text in marked["text"])
    names = [trace.name for trace in front_figure(view).data]
    assert names == ["dominated (203)", None, "frontier (4)", "frontier, extrapolated (9)"]


@pytest.mark.parametrize(
    ("power", "time", "steps"),
    [("minimize", "minimize", "hv"), ("minimize", "maximize", "hv"), ("maximize", "minimize", "vh")],
)
def test_line_bounds_what_is_dominated(make_run, power, time, steps):
    """Between two designs the line stays at the value that is reached there."""
    view = front_view(make_run(objectives=[{power: "power"}, {time: "time"}]))
    assert view.steps == steps


def test_one_objective_stands_over_the_design_number(make_run):
    view = front_view(make_run(objectives=[{"maximize": "score"}], constraints=[]))
    assert view.quantities == ("design", "score")
    assert view.senses == ("", "max")
    assert view.steps == ""
    assert (len(view.front), len(view.dominated), len(view.infeasible)) == (1, 7, 0)


def test_third_objective_is_colour(make_run):
    run = make_run(objectives=[{"minimize": "power"}, {"minimize": "time"}, {"maximize": "score"}])
    view = front_view(run)
    assert view.axes == ("power [MW]", "time [ms]", "score")
    assert view.senses == ("min", "min", "max")
    assert view.steps == ""
    assert view.front["colour"].tolist() == run.frontier.sort_values("power")["score"].tolist()
    assert front_figure(view).layout.coloraxis.colorbar.title.text == "score, higher is better"


def test_other_columns(make_run):
    """Any column of numbers can be an axis; of other designs only the objectives are known."""
    view = front_view(make_run(), x="width")
    assert view.quantities == ("width", "power", "time")
    assert view.steps == ""
    assert len(view.dominated) == len(view.infeasible) == 0
    assert view.note == "Only the frontier is drawn."
    assert front_view(make_run(), y="power").quantities == ("time", "power")


@pytest.mark.parametrize("wrong", ["part", "powr"])
def test_no_such_column(make_run, wrong):
    with pytest.raises(InputError, match=f"^x: '{wrong}' is no column of numbers; allowed: design, width, power, time"):
        front_view(make_run(), x=wrong)


def test_without_sample(make_run, monkeypatch):
    """A run whose other designs are gone still shows its frontier."""
    run = make_run()

    def gone(self):
        raise RunFolderError("changed since the run")

    monkeypatch.setattr(type(run), "sample", property(gone))
    view = front_view(run)
    assert len(view.front) == 3
    assert view.note == "Only the frontier is drawn."


def test_long_frontiers_are_thinned(make_run, monkeypatch):
    """Evenly, and the best of each objective stays."""
    monkeypatch.setattr(module, "_MOST", 10)
    axes = {"width": {"range": [1, 100]}, "part": {"part": "parts & <b>.csv"}}
    view = front_view(make_run(constraints=[], space={"axes": axes}))
    assert len(view.front) == 10
    assert view.front["x"].iloc[[0, -1]].tolist() == pytest.approx([5.001, 500.001])
    assert view.note == "10 of the 100 designs of the frontier are drawn. All 200 designs of the space are drawn."
    assert np.diff(view.front["x"]).min() > 0


def test_texts_are_escaped_for_plotly(make_run):
    """Plotly reads texts as HTML: only the line breaks are ours."""
    figure = front_figure(front_view(make_run()))
    texts = [text for trace in figure.data if trace.hovertext is not None for text in trace.hovertext]
    assert any("&lt;script&gt;" in text for text in texts)
    assert not any("<" in text.replace("<br>", "") for text in texts)


def test_synthetic_is_said_in_the_figure(make_run):
    assert [note.text for note in front_figure(front_view(make_run())).layout.annotations] == ["synthetic data"]


def test_run_draws_itself(runs):
    assert runs("ska-correlator").figure(y="run_time").layout.yaxis.title.text == "run time [ms]"


def test_a_figure_of_a_large_run_stays_below_one_megabyte(make_run):
    """With every text it shows; how many designs are left out stands below it."""
    axes = {"width": {"range": [1, 60_000]}, "part": {"part": "parts & <b>.csv"}}
    run = make_run(constraints=["width <= 50000"], space={"axes": axes})
    assert len(run.frontier) == 50_000
    figure = run.figure(color="part", symbol="part")
    assert 300_000 < len(figure.to_json()) < 1_000_000
    drawn = {trace.name: len(trace.x) for trace in figure.data if trace.name}
    shown = [count for name, count in drawn.items() if not name.startswith(("dominated", "infeasible"))]
    told = figure.layout.title.text.replace("<br>", " ")
    assert told.startswith(f"{sum(shown):,} of the 50,000 designs of the frontier are drawn. ".replace(",", "\u202f"))
    left_out = len(run.sample) - drawn["dominated (2\u202f000)"] - drawn["infeasible (1\u202f000)"]
    assert "are left out, so that the figure is light" in told
    assert left_out > 50_000
    whole = front_view(run)
    assert whole.front["x"].max() == pytest.approx(run.frontier["power"].max() / 1e9)


def test_colours_and_shapes_stand_for_columns(runs):
    run = runs("ska-correlator")
    figure = run.figure(color="alternative", symbol="frequency")
    traces = {trace.name: trace for trace in figure.data if trace.name}
    kinds = run.frontier["alternative"].unique()
    assert len({trace.marker.color for name, trace in traces.items() if name.startswith(tuple(kinds))}) == len(kinds)
    shapes = {name.split(", ")[1].split(" (")[0]: traces[name].marker.symbol for name in traces if ", " in name}
    assert len(set(shapes.values())) == len(shapes) == run.frontier["frequency"].nunique()
    assert set(shapes) <= {"4 GHz", "3.7 GHz", "3.2 GHz", "2.8 GHz", "2.3 GHz"}
    assert figure.layout.legend.title.text == "alternative and frequency"
    assert run.figure(color="cores").layout.coloraxis.colorbar.title.text == "cores"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"color": "powr"}, "color: 'powr' is no column; allowed: .*did you mean 'power'"),
        ({"symbol": "powr"}, "symbol: 'powr' is no column"),
        ({"symbol": "width"}, "symbol: 'width' has 20 different values; allowed: a column with at most 10"),
    ],
)
def test_wrong_colours_and_shapes(make_run, given, told):
    run = make_run(constraints=[], space={"axes": {"width": {"range": [1, 20]}, "part": {"part": "parts & <b>.csv"}}})
    with pytest.raises(InputError, match=told):
        run.figure(**given)
