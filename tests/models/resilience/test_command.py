"""`dse resilience`, its page, and the picture of a report."""

import json

import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.authoring.picture import Dot, draw
from dse.cli.main import main
from dse.models.resilience import checkpoint, energy_optimal_interval, two_level_checkpoint
from dse.report.run_page.page import write_report

ASKED = ("--cost", "60 s", "--failures", "1 h", "--restart", "60 s")
WHOLE = ("--global-cost", "5 min", "--global-failures", "1 day", "--global-restart", "5 min")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["resilience", *arguments])
    return ended.value.code, capsys.readouterr()


def test_intervals_and_two_levels(capsys):
    powers = ("--busy-power", "200 W", "--io-power", "150 W", "--restart-power", "100 W")
    code, shown = run(capsys, *ASKED, *WHOLE, *powers, "--json")
    assert code == 0
    told = json.loads(shown.out)
    found = checkpoint(60, 3600, 60)
    rows = {row["rule"]: row for row in told["intervals"]}
    assert rows["best"]["interval"] == float(found.interval)
    assert rows["Young"]["efficiency"] == pytest.approx(0.814404, abs=6e-7)
    assert rows["best"]["energy_per_useful_second"] == pytest.approx(238.5728, abs=6e-5)
    least = float(energy_optimal_interval(60, 3600, 60, 200, 150, 100))
    assert rows["least energy"]["interval"] == least
    assert rows["least energy"]["energy_per_useful_second"] < rows["best"]["energy_per_useful_second"]
    both = two_level_checkpoint(60, 3600, 60, 300, 86400, 300)
    assert told["two_levels"]["efficiency"] == float(both.efficiency)


def test_what_is_said_and_the_page(capsys, tmp_path):
    page = tmp_path / "checkpoints.html"
    code, shown = run(capsys, *ASKED, "--report", str(page))
    assert code == 0
    assert "617.9 s" in shown.out
    assert "81.47 %" in shown.out
    assert page.read_text(encoding="utf-8").count('class="plotly-graph-div"') == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cost", "60", "--failures", "1 h"), "--cost: '60' has no unit"),
        (("--cost", "60 s", "--failures", "0 h"), "--failures: '0 h'; allowed: above 0"),
        (("--cost", "60 W", "--failures", "1 h"), "--cost: unit 'W' does not fit 's'"),
        ((*ASKED[:4], "--restart", "-1 s"), "--restart: '-1 s'; allowed: 0 or more"),
        ((*ASKED, "--global-cost", "5 s"), "--global-failures: two levels need both"),
        ((*ASKED, "--io-power", "5 W"), "--busy-power: no power of computing"),
    ],
)
def test_wrong_input_ends_with_2(capsys, arguments, message):
    code, shown = run(capsys, *arguments)
    assert code == 2
    assert message in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("cost", [0.0, 60.0, 1e5])
def test_the_picture_marks_the_best_interval(cost):
    pictures = {picture.name: picture for picture in load_model("resilience").pictures}
    names = ("checkpoint_cost", "system_mean_time_between_failures", "restart_cost")
    drawing = draw(pictures["draw_shared_checkpoints"], dict(zip(names, (cost, 3600.0, 60.0), strict=True)))
    (dot,) = (shape for shape in drawing.shapes if isinstance(shape, Dot))
    share = 1 - float(checkpoint(cost, 3600.0, 60.0).efficiency)
    assert dot.y == pytest.approx(260 - 240 * share, abs=0.5)


def test_a_report_shows_it(tmp_path):
    run = Study.load("checkpointing-exascale").run(tmp_path / "run")
    assert "a failure every 1 578 s" in write_report(run).read_text(encoding="utf-8").replace("\u202f", " ")
