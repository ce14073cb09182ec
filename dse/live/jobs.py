"""What a worker process does: each job by what the commands do it with, its answer as an event."""

from __future__ import annotations

import base64
import resource
import tempfile
import time
from collections.abc import Callable
from functools import singledispatch
from pathlib import Path

from pydantic import JsonValue

from dse.analysis.compare.compare import compare
from dse.api import Run, Study
from dse.authoring.watch.prints import prints_marked
from dse.authoring.watch.watch import calls_watched
from dse.errors import ClusterError, ContradictedError, InputError, ModelError, RunFolderError
from dse.live.asked import (
    AskCheck,
    AskComparison,
    AskExport,
    AskPage,
    AskPanel,
    AskRuns,
    AskSave,
    AskSearch,
    Event,
    Job,
)
from dse.live.check_text import checked_text
from dse.live.panel import panel_of, panel_of_run
from dse.live.run_list import listed_run
from dse.report.comparison.page import write_comparison
from dse.report.run_page.page import page_html
from dse.run.result.design_names import names_of
from dse.run.result.exported import TEXTS, text_of, write_parquet
from dse.search.account.estimate import Estimate
from dse.search.account.progress import Silent
from dse.search.account.stopping import Stop, signals_ask

__all__ = ["do"]

Say = Callable[[Event], None]

_KIB = 1024
_OFTEN = 0.1  # seconds between two words on progress
_OPEN_END = "1000 h"
"""The budget of a search that somebody may stop: with one, a search goes in rounds and can say within what it holds."""


def do(job: Job, say: Say) -> None:
    """Do a job; what is wrong with what was asked is an answer, too."""
    try:
        with prints_marked(), calls_watched():
            result = _done(job, say)
        say({"event": "done", "result": result, "peak": _peak()})
    except (InputError, ClusterError) as error:
        say({"event": "refused", "error": fault_of(error), "peak": _peak()})
    except ModelError as error:
        say({"event": "refused", "error": {"message": f"a model is at fault: {error}"}})
    except ContradictedError as error:
        say({"event": "failed", "error": {"message": str(error)}})
    except MemoryError:
        message = "there is not enough memory for it; a smaller space, or dse open --memory, gives it more"
        say({"event": "failed", "error": {"message": message}})
    except OSError as error:
        say({"event": "refused", "error": {"message": f"{error.filename or 'a file'}: {error.strerror or error}"}})
    except Exception as error:
        fault = f"{type(error).__name__}: {error}".split("\n")[0]
        say({"event": "failed", "error": {"message": f"this is a fault of dse ({fault})"}})


def _peak() -> int:
    """Return the most memory that this process had, in bytes."""
    return _KIB * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fault_of(error: InputError) -> dict[str, JsonValue]:
    """Return an error as plain values: the sentence, and its parts."""
    allowed = error.allowed if isinstance(error.allowed, str) or error.allowed is None else ", ".join(error.allowed)
    return {
        "message": str(error),
        "problem": error.problem,
        "key": error.key,
        "allowed": allowed,
        "meant": list(error.meant),
        "other_run": isinstance(error, RunFolderError),
    }


@singledispatch
def _done(job: Job, say: Say) -> JsonValue:
    raise TypeError(f"no such job: {type(job).__name__}")


@_done.register
def _(job: AskPanel, say: Say) -> JsonValue:
    if job.run:
        return panel_of_run(Run.load(job.run, allow_code=job.allow_code), allow_code=job.allow_code)
    return panel_of(Study.load(job.study))


@_done.register
def _(job: AskCheck, say: Say) -> JsonValue:
    return checked_text(job.text, job.folder, job.file)


@_done.register
def _(job: AskPage, say: Say) -> JsonValue:
    run = Run.load(job.run, allow_code=job.allow_code)
    before = Run.load(job.before) if job.before else None
    return page_html(run, before=before)


@_done.register
def _(job: AskComparison, say: Say) -> JsonValue:
    comparison = compare(job.runs, allow_code=job.allow_code)
    with tempfile.TemporaryDirectory(prefix="dse-open-") as folder:
        return write_comparison(comparison, Path(folder) / "comparison.html").read_text(encoding="utf-8")


@_done.register
def _(job: AskExport, say: Say) -> JsonValue:
    run = Run.load(job.run)
    table = run.frontier.copy()
    table.insert(0, "name", names_of(run, range(len(table))))
    units = {**run.units, **run.frontier.units}
    if job.form in TEXTS:
        return base64.b64encode(text_of(table, units, job.form, raw=False).encode()).decode("ascii")
    with tempfile.TemporaryDirectory(prefix="dse-open-") as folder:
        file = write_parquet(table, units, Path(folder) / "frontier.parquet")
        return base64.b64encode(file.read_bytes()).decode("ascii")


@_done.register
def _(job: AskSave, say: Say) -> JsonValue:
    study = varied(Study.load(job.study), job)
    named = Study({**study.document, "name": job.name}, folder=study.folder, derived_from=study.derived_from)
    folder = Path(job.folder)
    named.to_toml(folder / f"{job.name}.toml")
    return f"{job.name}.toml"


@_done.register
def _(job: AskRuns, say: Say) -> JsonValue:
    return [listed_run(Path(folder)) for folder in job.folders]


@_done.register
def _(job: AskSearch, say: Say) -> JsonValue:
    study = varied(Study.load(job.study), job)
    folder = Path(job.folder) / study.name
    changes = study.derived_from.changes if study.derived_from is not None else ()
    named = study.derived_from is not None and job.variant.name is not None
    words = ["dse run", job.study, *changes, *([f"--name {job.variant.name}"] if named else [])]
    new = not folder.exists()
    begun: Event = {"event": "begun", "folder": str(folder), "name": study.name, "new": new, "command": " ".join(words)}
    say({**begun, "designs": study.space.size})
    stop = Stop()
    with signals_ask(stop, lambda *_: None):
        run = study.run(
            folder,
            stop=stop,
            fresh=job.fresh,
            budget=job.budget or _budget(study),
            listener=_Reporter(say),
        )
    return listed_run(Path(str(run.folder)))


def varied(study: Study, job: AskSearch | AskSave) -> Study:
    """Return the variant that a job names; the study itself where nothing is changed."""
    changes = job.variant.model_dump(exclude_unset=True)
    if not any(changes.values()):
        return study
    return study.with_(**changes)


def _budget(study: Study) -> str | None:
    """Return the budget of a search that has none of its own, and that goes in rounds with one."""
    own = study.spec.search
    return None if own.budget is not None or own.method == "evolve" else _OPEN_END


class _Reporter(Silent):
    """Says how a search goes on, a few times a second at most."""

    wants_estimate = True

    def __init__(self, say: Say) -> None:
        self._say, self._said = say, 0.0
        self._state: Event = {"event": "progress", "phase": "", "decided": 0, "frontier": 0}

    def _tell(self, *, now: bool = False) -> None:
        clock = time.monotonic()
        if now or clock - self._said >= _OFTEN:
            self._said = clock
            self._say(dict(self._state))

    def started(self, designs: int) -> None:
        """Say how large the space is."""
        self._state["designs"] = designs
        self._tell(now=True)

    def phase(self, name: str) -> None:
        """Say what is done next."""
        self._state["phase"] = name
        self._tell(now=True)

    def decided(self, designs: int) -> None:
        """Say how many designs are decided."""
        self._state["decided"] = designs
        self._tell()

    def frontier_grew(self, designs: int) -> None:
        """Note how long the frontier is."""
        self._state["frontier"] = designs

    def estimated(self, estimate: Estimate) -> None:
        """Say how long it will take."""
        self._state["seconds"] = estimate.seconds
        self._tell(now=True)
