"""The guide is true: its commands and its code run, and it names what there is."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from dse import Study
from dse.authoring.library.library import load_model
from dse.cli.main import main
from dse.models.collectives import COLLECTIVES

GUIDE = (Path(__file__).parents[3] / "docs/guide/collectives.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 3
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    said = capsys.readouterr().out
    assert "best by time: butterfly" in said
    assert "78 designs" in said
    page = Path("alltoall.html").read_text(encoding="utf-8")
    assert "bruck_alltoall" in page
    assert page.count('class="plotly-graph-div"') == 3


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    assert "double_tree_pipe" in capsys.readouterr().out


def test_every_algorithm_and_parameter_is_named():
    for found in COLLECTIVES.values():
        for name in found:
            shown = name.replace("kary_gather_bcast", "a gather and a bcast")
            told = ("_gather_bcast", "_gather_binomial_bcast", "_gather_scatter", "_reduce_scatter", "direct_single")
            assert shown in GUIDE or any(part in name for part in told), name
    model = load_model("collectives")
    for name in (*model.parameters, *model.assumptions):
        assert f"`{name}`" in GUIDE, name


def test_the_study_runs():
    """Reductions by the butterfly, transposes directly, on networks of 256 nodes."""
    (block,) = blocks("toml")
    table = Study(tomllib.loads(block)).run().frontier
    assert set(table["allreduce_taken"]) == {"butterfly"}
    assert set(table["alltoall_taken"]) == {"direct"}
    assert (table["communication_time"] > table["collective_time"]).all()
