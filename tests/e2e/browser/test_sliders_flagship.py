"""The flagship's sliders: every frontier that the page gives, against the functions and against whole runs."""

import numpy as np
import pytest

from dse import Study
from dse.evaluation.affected import affected_designs
from dse.evaluation.unknowns import uncertain_problem
from dse.report.run_page.page import write_report
from dse.run.result.slider_file import read_sliders
from dse.search.frontier.pareto import nondominated
from tests.e2e.browser.test_sliders import FRONT
from tests.example_counts import ALL_EXAMPLES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not ALL_EXAMPLES, reason="ten searches of the flagship: DSE_EXAMPLES=all"),
]

UNCERTAIN = {
    "accelerator_peak_share": {"within": "10 %"},
    "fourier_peak_share": {"from": 0.3, "to": 0.7},
    "node_latency": {"within": "30 %"},
}


@pytest.fixture(scope="module")
def flagship(tmp_path_factory):
    study = Study.load("exascale").edited(uncertain=UNCERTAIN, trust={"machines": False}, name="moved-exascale")
    run = study.run(tmp_path_factory.mktemp("flagship") / "run")
    run.trust(draws=20, cells=16)
    return write_report(run), run


def _frontier(designs, numbers, position):
    points, met = None, np.zeros(len(numbers), dtype=bool)
    for own in designs:
        low, _, can, _ = own.bounds({at: np.array([[value]]) for at, value in enumerate(position)})
        points = np.empty((len(numbers), low.shape[-1])) if points is None else points
        points[own.positions], met[own.positions] = low[:, 0], can[:, 0]
    chosen = np.flatnonzero(met)
    return sorted(numbers[chosen[nondominated(np.ascontiguousarray(points[chosen]))]])


def test_frontiers_of_the_flagship(show, flagship):
    page, (_, run) = show(flagship), flagship
    stored = read_sliders(run)
    assert set(stored.without) == {"node_latency"}
    moved = [one for one in run.study.unknowns.every if one.quantity != "node_latency"]
    numbers = np.array(stored.candidates)
    designs = affected_designs(uncertain_problem(run.study.compiled, moved), numbers)
    low, high = (np.array([getattr(one, end) for one in stored.unknowns]) for end in ("low", "high"))
    positions = low + (high - low) * np.random.default_rng(0).random((200, 2))
    positions[:2], positions[2:5, 0] = [low, high], 0.0
    found = page.tab.evaluate(FRONT, positions.tolist())
    for position, (front, near, loose) in zip(positions, found, strict=True):
        assert (near, loose) == (0, False)
        assert sorted(front) == _frontier(designs, numbers, position)
    shares = [*positions[2:5, 1], 0.3, 0.7]  # a column of the devices has no single value that a run could be given
    for share, (front, *_) in zip(shares, page.tab.evaluate(FRONT, [[0.0, share] for share in shares]), strict=True):
        whole = run.study.with_(set={"fourier_peak_share": float(share)}).run(trust=False)
        assert sorted(front) == sorted(whole.frontier["design"])
