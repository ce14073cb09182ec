"""The example notebook runs from top to bottom, and runs and frontiers show themselves in it."""

import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

if os.environ.get("CI") == "true":
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
else:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")

FILE = Path(__file__).parents[2] / "docs" / "example.ipynb"


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def pages(notebook):
    """What is shown as HTML."""
    return ["".join(o["data"]["text/html"]) for o in outputs(notebook) if "text/html" in o.get("data", {})]


def check(notebook):
    assert not [o for o in outputs(notebook) if o.output_type == "error"]
    assert not [o for o in outputs(notebook) if o.get("name") == "stderr"]
    shown = pages(notebook)
    runs = [page for page in shown if page.startswith("<pre>&lt;Run of &#x27;")]
    assert ["ska-correlator" in page for page in runs] == [True, False]
    assert all("exact, 2 objectives" in page and "<table><thead>" in page for page in runs)
    frontiers = [page for page in shown if page.startswith("<table><thead><tr><th></th><th>design</th>")]
    assert len(frontiers) >= 3
    assert "<th>total_power [MW]</th>" in frontiers[0]
    assert "<th>frequency [GHz]</th>" in frontiers[0]
    said = "".join(o["text"] for o in outputs(notebook) if o.get("name") == "stdout")
    assert 'models = ["mine.py"]\nconstraints = ["power <= 20 kW"]\n' in said
    assert "[space.axes]\nnodes = { range = [1, 64] }  # Nodes\n" in said
    assert "['mine.py', 'mine.toml']\nTrue\n" in said, "the functions of a cell are written, and read again"
    (figure,) = (o["data"] for o in outputs(notebook) if "application/vnd.plotly.v1+json" in o.get("data", {}))
    assert sorted(figure) == ["application/vnd.plotly.v1+json"], "no library beside it"
    assert "" in shown, "nothing is left of the bar"


def test_the_notebook_that_is_kept():
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    check(notebook)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert FILE.stat().st_size < 100_000, "no library in it"
    assert "/tmp" not in FILE.read_text(encoding="utf-8")


def test_the_notebook_runs(tmp_path):
    kept, notebook = nbformat.read(FILE, as_version=4), nbformat.read(FILE, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    check(notebook)
    assert pages(notebook) == pages(kept), "what the file shows is what it gives"
    assert not list(tmp_path.iterdir())
