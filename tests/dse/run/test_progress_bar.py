"""The bar of a search from Python: what it says, where it is shown, and that nothing is left of it."""

import sys
from types import SimpleNamespace

from rich.console import Console

from dse import Study
from dse.run.execute import progress_bar as module
from dse.run.execute.progress_bar import in_notebook, progress_bar


class Display:
    """A notebook that keeps what it shows."""

    def __init__(self, monkeypatch):
        self.shown = []
        handle = SimpleNamespace(update=self.shown.append)
        display = SimpleNamespace(HTML=str, display=lambda html, display_id: self.shown.append(html) or handle)
        shell = SimpleNamespace(kernel=object())
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
        monkeypatch.setitem(sys.modules, "IPython.display", display)


def test_a_notebook_has_a_line_that_renews_itself(monkeypatch):
    notebook = Display(monkeypatch)
    assert in_notebook()
    run = Study.load("ska-correlator").run(progress=True)
    assert len(run.frontier) == 5
    assert notebook.shown[0] == '<progress value="0" max="960"></progress> searching 0 % of 960 designs'
    assert any("> checking 100 % of 960 designs, " in line for line in notebook.shown)
    assert notebook.shown[-1] == "", "nothing is left in a notebook that is saved"


def test_the_time_that_is_left_comes_from_the_share_that_is_done(monkeypatch):
    notebook, now = Display(monkeypatch), [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with progress_bar(1000) as bar:
        now[0] += 10
        bar(250, 3)
        now[0] += 0.1
        bar(260, 4)  # too soon after the last to be shown
    assert "searching 25 % of 1\u202f000 designs, 3 on the frontier, about 30 s left" in notebook.shown[1]
    assert len(notebook.shown) == 3


def test_a_terminal_has_the_bar_of_rich(monkeypatch, capsys):
    assert not in_notebook()
    monkeypatch.setattr("rich.console.Console", lambda **given: Console(**given, force_terminal=True, width=100))
    with progress_bar(100) as bar:
        bar(50, 7)
        bar.phase("checking")
    written = capsys.readouterr()
    assert "checking 50 % of 100 designs, 7 on the frontier" in written.err
    assert written.out == ""


def test_nothing_is_written_where_there_is_no_terminal(capsys):
    run = Study.load("ska-correlator").run(progress=True)
    assert len(run.frontier) == 5
    assert capsys.readouterr() == ("", "")
