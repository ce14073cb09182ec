"""The README and the guide are true: their commands and code blocks run."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import json
import re
import runpy
import shlex
from pathlib import Path

import pytest

from dse import Study
from dse.authoring.library.claims import validations
from dse.authoring.library.library import find_enumeration
from dse.cli.main import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def run(arguments: list[str]) -> str:
    """Run the command line in this process; it must end well."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0, (arguments, printed.getvalue())
    return printed.getvalue()


def test_the_commands_of_a_first_study_run_as_shown(tmp_path, monkeypatch):
    """Every `dse` line of the README runs, in its order."""
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks(README, "sh") for line in block.splitlines() if line.startswith("dse ")]
    assert len(lines) >= 7
    for line in lines:
        run(shlex.split(line, comments=True)[1:])
    assert (tmp_path / "runs/my-study/report.html").is_file()


def test_the_readme_is_short_and_every_guide_is_found_from_it():
    assert len(README.splitlines()) <= 120
    folder = ROOT / "docs/guide"
    index = (folder / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert listed == {path.name for path in folder.glob("*.md")} - {"README.md"}
    assert "docs/guide/README.md" in README


def test_the_make_targets_exist():
    """Every `make` line of the README names a target."""
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    lines = [line for block in blocks(README, "sh") for line in block.splitlines()]
    named = [line.split()[1] for line in lines if line.startswith("make ")]
    assert {"run", "test"} <= set(named) <= set(targets)


def test_the_gate_runs_the_test_command_of_the_readme():
    """`.ci/run` calls `make test`."""
    assert re.search(r"^make test$", (ROOT / ".ci/run").read_text(), flags=re.MULTILINE)


def test_the_study_in_the_readme_runs(tmp_path, monkeypatch):
    """The TOML block is a whole study."""
    monkeypatch.chdir(tmp_path)
    (study,) = blocks(README, "toml")
    Path("my-cluster.toml").write_text(study)
    assert "exact" in run(["run", "my-cluster.toml"])


def test_the_python_in_the_readme_runs(capsys, tmp_path, monkeypatch):
    """The first block prints the run; the second is a model that a study can name."""
    monkeypatch.chdir(tmp_path)
    script, model = blocks(README, "python")
    exec(compile(script, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "<Run of 'hybrid-xeon-sp'>  exact" in printed
    assert re.search(r"^256\.0 30894\.\d+ J$", printed, flags=re.MULTILINE), printed
    Path("my_model.py").write_text(model)
    Path("study.toml").write_text(
        'name = "s"\nmodels = ["my_model.py"]\nobjectives = [{ minimize = "network_power" }]\n'
        "[space.axes]\nnodes = { range = [32, 34] }\n"
    )
    assert "100" in run(["run", "study.toml"])


def test_what_the_readme_shows_of_the_correlator_is_what_it_prints(tmp_path, monkeypatch):
    """The figures in the README's excerpt stand in the output."""
    monkeypatch.chdir(tmp_path)
    printed = re.sub(r"\s+", " ", run(["run", "ska-correlator"]))
    (excerpt,) = blocks(README, "text")
    for line in excerpt.splitlines()[1:]:
        for part in line.split("…"):
            assert re.sub(r"\s+", " ", part).strip() in printed


@pytest.mark.slow
def test_the_accuracy_table_is_what_validate_counts(monkeypatch):
    """C1: the guide's counts, published figures first, are those of `dse validate` (docs/scripts/accuracy.py)."""
    accuracy = runpy.run_path(str(ROOT / "docs/scripts/accuracy.py"))
    families = sorted(validations())
    for module in validations().values():  # each is asked for three times
        monkeypatch.setattr(module, "claims", functools.cache(module.claims))
    page = (ROOT / "docs/guide/accuracy.md").read_text(encoding="utf-8")
    counted = accuracy["table"](page).splitlines()
    assert [line.split("|")[1].strip() for line in counted[2:-1]] == families
    documents = {family: json.loads(run(["validate", family, "--json"])) for family in families}
    every = json.loads(run(["validate", "--json"]))
    assert every["passed"]
    assert sum(sum(found["counts"].values()) for found in documents.values()) >= len(every["claims"])
    ours = [claim for claim in every["claims"] if claim["whose"] != "published"]
    assert counted[-1].split("|")[8].strip() == str(sum(claim["status"] == "pass" for claim in ours))
    for line in counted:
        assert line in page.splitlines(), "out of date: run .venv/bin/python docs/scripts/accuracy.py"


def test_the_model_of_the_guide_works(tmp_path, monkeypatch):
    """The model in docs/guide/models.md resolves, runs and is drawn."""
    monkeypatch.chdir(tmp_path)
    model, picture, _ = blocks((ROOT / "docs/guide/models.md").read_text(encoding="utf-8"), "python")
    Path("m.py").write_text(model + picture)
    Path("study.toml").write_text(
        'name = "s"\nmodels = ["m.py"]\nalso = ["hops"]\n'
        'objectives = [{ minimize = "run_time" }, { minimize = "network_power" }]\n'
        '[set]\nnode_time = "1 hour"\n[space.axes]\nnodes = { powers_of_two = [1, 128] }\n'
    )
    assert "8 of 8 designs are feasible" in run(["run", "study.toml", "--report"])
    assert Path("runs/s/report.html").read_text(encoding="utf-8").count('<figure class="picture"') == 3


def test_the_enumeration_of_the_guide_works(tmp_path, monkeypatch):
    """The enumeration in docs/guide/models.md gives an axis."""
    monkeypatch.chdir(tmp_path)
    *_, shapes = blocks((ROOT / "docs/guide/models.md").read_text(encoding="utf-8"), "python")
    Path("m.py").write_text(
        "from dse import parameter, quantity\n"
        + "".join(f'{name} = parameter(unit="1", doc="d")\n' for name in ("mesh_switches", "nodes_per_switch"))
        + '@quantity(unit="1", source="s")\ndef links(mesh_switches):\n'
        + "    return mesh_switches * (mesh_switches - 1) / 2\n"
        + shapes
    )
    Path("study.toml").write_text(
        'name = "s"\nmodels = ["m.py"]\nobjectives = [{ minimize = "links" }]\n[space.axes]\n'
        'shape = { enumerate = "meshes", given = { nodes = [100, 400], radix = 64 } }\n'
    )
    assert "shape: 37 kept of 76 considered; refused: 39 × more ports than a switch has" in run(["check", "study.toml"])
    assert "300" in run(["run", "study.toml"])


@pytest.mark.slow
def test_the_enumerated_axes_of_the_guide_exist():
    """Names, options and first columns of the table in docs/guide/studies.md are those of the functions."""
    text = (ROOT / "docs/guide/studies.md").read_text(encoding="utf-8")
    rows = re.findall(r'^\| `"(network\..*?)"` \|(.*)\|(.*)\|$', text, flags=re.MULTILINE)
    assert len(rows) == 8
    for name, options, columns in rows:
        found = find_enumeration(name)
        known = set(inspect.signature(found.function).parameters)
        assert set(re.findall(r"`(\w+)`", options)) == known - {"nodes", "radix", "nodes_per_switch"}
        given = found.rows({"nodes": [1000, 2000], "radix": 256}).columns
        assert set(re.findall(r"`(\w+)`", columns)[:1]) <= set(given)


def test_links_of_the_documents_lead_somewhere():
    """Every relative link in README and docs names a file; those of docs/site are laid out (tests/test_site.py)."""
    written = [path for path in ROOT.glob("docs/**/*.md") if path.parent.name != "site"]
    for document in [ROOT / "README.md", *written]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document}: {target}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "guide",
    ["applications.md", "machines.md", "networks.md", "node-classes.md", "processors.md", "systems.md"],
)
def test_the_studies_and_the_code_of_a_guide_run(guide, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/guide" / guide).read_text(encoding="utf-8")
    studies, code = blocks(text, "toml"), blocks(text, "python")
    assert studies
    assert code
    for study in studies:
        (tmp_path / "study.toml").write_text(study, encoding="utf-8")
        assert len(Study.load("study.toml").run().frontier) > 0
    for block in code:
        exec(compile(block, guide, "exec"), {})
    assert capsys.readouterr().out


def test_the_python_guide_runs_as_a_script(tmp_path, monkeypatch, capsys):
    """The blocks of docs/guide/python.md, one after another; the files they write are a study for the commands."""
    monkeypatch.chdir(tmp_path)
    Path("guide.py").write_text("\n".join(blocks((ROOT / "docs/guide/python.md").read_text("utf-8"), "python")))
    names = runpy.run_path("guide.py")
    assert "designs left the frontier" in capsys.readouterr().out
    assert sorted(path.name for path in Path("studies").iterdir()) == ["mine.py", "mine.toml"]
    assert f"{len(names['run'].frontier)} designs" in run(["run", "studies/mine.toml"])
