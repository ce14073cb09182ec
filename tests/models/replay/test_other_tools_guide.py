"""The guide on other tools' files is true: its commands run, and its table is what they give."""

import json
import re
import shlex
from pathlib import Path

import pytest

from dse.cli.main import main

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
    shows = [answered(line, capsys) for line in LINES if line.startswith("dse trace show")]
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
