"""The guide on other tools' files is true: its commands run, and its table is what they give."""

import json
import re
import shlex
from pathlib import Path

import pytest

from dse.cli.main import main
from dse.models.replay import Network, read_trace, replay

NETWORKS = {
    "shared-memory": Network(95e-9, 40e-9, 6.640e9, 40e-9, eager_limit=4096.0),
    "tcp": Network(0.0, 2.444e-6, 5.025e9, 1.272e-6, eager_limit=65536.0),
}
GUIDE = (Path(__file__).parents[3] / "docs/guide/other-tools.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


def answered(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*shlex.split(line)[1:], "--json"])
    assert ended.value.code == 0
    return json.loads(capsys.readouterr().out)


def test_the_commands_run_and_the_table_is_what_they_give(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shows = [answered(line, capsys) for line in LINES if line.startswith("dse trace show graph-search-16")]
    rows = {cells[0].strip(): cells[1:3] for line in GUIDE.splitlines() if len(cells := line.split("|")[1:-1]) == 3}
    slowest = [min(show["breakdown"], key=lambda row: row["idle"]) for show in shows]
    for number, (show, row) in enumerate(zip(shows, slowest, strict=True)):
        modelled, without = show["modes"]["modelled"]["time"], show["modes"]["zero_delay"]["time"]
        assert rows["time, modelled"][number].strip() == f"{modelled * 1e3:.3f} ms"
        assert rows["network delay of the slowest rank"][number].strip() == f"{row['network'] * 1e6:.1f} µs"
        assert rows["its data dependencies"][number].strip() == f"{row['dependency'] * 1e6:.1f} µs"
        assert rows["any better network: at most"][number].strip().startswith(f"{modelled / without:.3f} times")
    for line in LINES:
        if line.startswith("dse trace convert"):
            assert Path(answered(line, capsys)["file"]).is_file()


def spread(trace):
    return float(trace.exit.max() - trace.enter.min())


def test_predictions_beside_measured_runs_are_what_the_guide_says(capsys):
    """Each of the four, computed again from the traces that come with dse; errors are of the other trace's time."""
    rows = [cells for line in GUIDE.splitlines() if len(cells := [cell.strip() for cell in line.split("|")[1:-1]]) == 9]
    runs = [cells for cells in rows if cells[0] in ("heat", "fft")]
    assert len(runs) == 4
    for program, here, took, there, took_there, *predicted in runs:
        trace, other = (read_trace(f"{program}-2-{network}") for network in (here, there))
        own, replayed = (float(replay(trace, NETWORKS[network]).time) for network in (here, there))
        scaled = spread(trace) * replayed / own
        seconds = (spread(trace), spread(other), replayed, scaled)
        for cell, value in zip((took, took_there, predicted[0], predicted[2]), seconds, strict=True):
            assert cell == f"{1e6 * value:.1f} µs"
        for cell, value in zip((predicted[1], predicted[3]), (replayed, scaled), strict=True):
            assert cell == f"{100.0 * (value / spread(other) - 1.0):+.0f} %".replace("-", "−")
    line = next(line for line in LINES if line.startswith("dse trace show heat-2"))
    assert answered(line, capsys)["modes"]["modelled"]["time"] == pytest.approx(1901.1e-6, abs=0.1e-6)
