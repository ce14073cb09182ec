"""The guide is true: its commands and its code run."""

import json
import re
import shlex
from pathlib import Path

import pytest
import synthetic_runs as synthetic

from dse.cli.main import main

pytestmark = pytest.mark.slow

GUIDE = (Path(__file__).parents[4] / "docs/guide/extrapolation.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for point in synthetic.TRAIN:
        name = "-".join(map(str, point))
        Path(f"runs/{name}.json").write_text(json.dumps(synthetic.run_document(*point)))
    (block,) = blocks("sh")
    for line in block.splitlines():
        arguments = shlex.split(line)[1:]
        if "runs/*.json" in arguments:
            place = arguments.index("runs/*.json")
            arguments[place : place + 1] = sorted(map(str, Path().glob("runs/*.json")))
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 0, capsys.readouterr()
    assert "scale = 26 is 512 times the largest run (17)" in capsys.readouterr().out
    assert json.loads(Path("far.json").read_text())["run"]["processes"] == 4096


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "extrapolation.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == re.search(r"print\(law\)  # (.*)", block).group(1)
    assert len(printed) == 4


def test_the_rules_of_the_guide_are_those_of_the_code():
    from dse.models.measured_laws.fitting.parameters import fewest_runs
    from dse.models.workload.extrapolation.profiles import FAR

    assert f"beyond {FAR:g} times" in GUIDE
    assert "| runs, for 1, 2, 3 parameters | " + ", ".join(str(fewest_runs(count)) for count in (1, 2, 3)) in GUIDE
