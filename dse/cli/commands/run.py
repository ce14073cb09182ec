"""The command `run`: search the space of a study, print its frontier and its certificate."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import named_study
from dse.cli.options.optional_value import DEFAULT, optional_value
from dse.cli.options.options import Json, StudyName
from dse.cli.options.search import (
    AcceptLedger,
    Budget,
    Cluster,
    CountInfeasible,
    Evaluations,
    Fresh,
    Jobs,
    Method,
    NoCache,
    RunFolder,
    Tolerance,
    tolerance_of,
)
from dse.cli.options.variant import Also, Least, Most, Set, Uncertain, VariantName, Where, Without, derived, varied
from dse.cli.signals import asks_to_stop, nothing_is_kept
from dse.cli.text.answer import falsification_document, falsify, print_answer, print_brackets, print_falsification
from dse.cli.text.output import print_certificate, print_json, progress_bar, references_table, say
from dse.cli.text.run_summary import answer_document, designs_document, print_headline, print_nothing_feasible
from dse.cli.text.validation import print_validation_of_frontier
from dse.search.account.stopping import Stop

if TYPE_CHECKING:
    from dse.analysis.falsify.falsify import measured_systems
    from dse.api import Run, Study
    from dse.cli.signals import Asked
    from dse.cli.text.frontier_table import frontier_table
    from dse.report.run_page.page import write_report
    from dse.report.words.how_sure import how_sure_document
    from dse.run.disk.folder import begun_without_bound
    from dse.search.account.estimate import Estimate
    from dse.search.evolve.evolve import usual_evaluations
else:
    (measured_systems,) = later("dse.analysis.falsify.falsify", "measured_systems")
    (frontier_table,) = later("dse.cli.text.frontier_table", "frontier_table")
    (write_report,) = later("dse.report.run_page.page", "write_report")
    (how_sure_document,) = later("dse.report.words.how_sure", "how_sure_document")
    (begun_without_bound,) = later("dse.run.disk.folder", "begun_without_bound")
    (usual_evaluations,) = later("dse.search.evolve.evolve", "usual_evaluations")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        cls=optional_value("--report"),
        epilog="Examples: dse run ska-correlator --report · "
        'dse run ska-correlator --set frequency="2.3 GHz" --without cores=96 · dse run exascale --budget "60 s"',
    )(run)


def run(
    study: StudyName,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    uncertain: Uncertain = [],  # noqa: B006
    name: VariantName = None,
    out: RunFolder = None,
    jobs: Jobs = None,
    method: Method = None,
    evaluations: Evaluations = None,
    count_infeasible: CountInfeasible = None,
    tolerance: Tolerance = [],  # noqa: B006
    budget: Budget = None,
    fresh: Fresh = False,
    accept_ledger: AcceptLedger = False,
    no_cache: NoCache = False,
    cluster: Cluster = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="[FILE.html]", help="Write the HTML report too. Default: into the run's folder."),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measured systems to hold against the frontier, beside those of the study."),
    ] = None,
    trust: Annotated[
        bool | None,
        typer.Option(
            "--trust/--no-trust",
            help="How sure it is: in full, as dse trust, or not at all. Default: within half the search's time.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Find the frontier of a study: designs that no other beats. Or of a variant of it."""
    searched = varied(
        named_study(study),
        set_=set_,
        where=where,
        also=also,
        least=least,
        most=most,
        without=without,
        uncertain=uncertain,
        name=name,
    )
    if measured is not None:  # what is wrong with the file is said before the search
        measured_systems(searched, measured)
    folder = out if out is not None else Path("runs") / searched.name
    _note_new_start(folder, fresh=fresh)
    result, asked = _search(
        searched,
        folder,
        jobs=jobs,
        method=method,
        evaluations=evaluations,
        count_infeasible=count_infeasible,
        tolerance=tolerance,
        budget=budget,
        fresh=fresh,
        accept_ledger=accept_ledger,
        cache=not no_cache,
        cluster=cluster,
        trust=trust is None,
    )
    for line in result.changes:  # the folder had held this run already
        sys.stderr.write(f"note: {folder}: {line}; --fresh searches again and keeps the old run\n")
    falsify(result, measured)
    if trust and len(result.frontier):
        result.trust()
    page = None if report is None else _write_page(result, report)
    if json:
        print_json(_document(result, folder, page))
    else:
        _print_result(result, folder, page)
    return _exit_code(result, asked)


def _note_new_start(folder: Path, *, fresh: bool) -> None:
    """Say that a search without a bound that was stopped is not gone on with."""
    if not fresh and begun_without_bound(folder):
        sys.stderr.write(f"note: {folder}: an unfinished search by generations keeps nothing: it starts anew\n")
        sys.stderr.flush()


def _search(
    study: Study,
    folder: Path,
    *,
    jobs: int | None,
    method: str | None,
    evaluations: int | None,
    count_infeasible: bool | None,
    tolerance: list[str],
    budget: str | None,
    fresh: bool,
    accept_ledger: bool,
    cache: bool,
    cluster: str | None,
    trust: bool,
) -> tuple[Run, Asked]:
    """Search, with a bar for progress, until it ends or a signal asks it to stop; return the run and what asked."""
    from dse.search.account.progress import Callbacks

    evolves = (method or study.spec.search.method) == "evolve"
    designs = study.space.size
    if evolves:
        designs = usual_evaluations(designs, evaluations or study.spec.search.evaluations)
    stop = Stop()
    with progress_bar(designs) as progress, nothing_is_kept(evolves), asks_to_stop(stop) as asked:
        phase = None if progress is None else progress.phase
        result = study.run(
            folder,
            jobs=jobs,
            method=method,
            count_infeasible=count_infeasible,
            evaluations=evaluations,
            tolerance=tolerance_of(tolerance),
            budget=budget,
            stop=stop,
            fresh=fresh,
            accept_ledger=accept_ledger,
            cache=cache,
            cluster=cluster,
            listener=Callbacks(progress, phase, partial(_note_duration, cluster=cluster)),
            trust=trust,
        )
    return result, asked


def _note_duration(estimate: Estimate, *, cluster: str | None = None) -> None:
    """Say once, before it begins, that a search takes more than some minutes, or too few for a cluster."""
    from dse.search.plan.search_plan import CLUSTER_PAYS

    if cluster is not None and estimate.seconds * estimate.processes < CLUSTER_PAYS:
        pays = f"a cluster pays from {CLUSTER_PAYS / 60:.0f} min"
        sys.stderr.write(f"note: one process takes {estimate.as_text}; {pays}\n")
        sys.stderr.flush()
    elif estimate.long:
        sys.stderr.write(f"note: the search takes {estimate.as_text}; {estimate.advice}\n")
        sys.stderr.flush()


def _write_page(result: Run, file: str) -> Path:
    """Write the report of the run, to its folder where no file is named, and return where it is."""
    return write_report(result, None if file == DEFAULT else Path(file))


def _document(result: Run, folder: Path, page: Path | None) -> dict[str, object]:
    """Return what the command prints as JSON."""
    certificate = result.manifest.certificate
    return {
        "name": result.name,
        "designs": certificate.designs,
        "feasible": certificate.feasible,
        "evaluated": certificate.evaluated,
        "exact": result.exact,
        "headline": result.headline,
        "strangers": result.strangers,
        "objectives": result.objectives,
        **designs_document(result),
        "answer": answer_document(result),
        "how_sure": how_sure_document(result),
        "falsification": falsification_document(result),
        "certificate": certificate.as_dict(),
        "requirements": [item.as_dict() for item in result.manifest.requirements],
        "warnings": result.manifest.warnings,
        "assumptions": [assumed.as_dict() for assumed in result.manifest.assumptions],
        "components": [component.as_dict() for component in result.manifest.components],
        "synthetic": result.manifest.synthetic,
        "timings": result.manifest.timings.as_dict(),
        "derived_from": derived(result),
        "folder": str(folder),
        "report": str(page) if page else None,
    }


def _print_result(result: Run, folder: Path, page: Path | None) -> None:
    """Print the frontier, what stands beside it, the account of the search, and at last the answer."""
    print_headline(result)
    if len(result.frontier):
        frontier_table(result)
        print_validation_of_frontier(result, every=False)
    else:
        print_nothing_feasible(result)
    references_table(result)
    print_certificate(result)
    say()
    say(f"run:    {folder}")
    say(f"report: {page}" if page else f"report: dse report {folder}{_of_older_report(folder)}")
    print_answer(result)
    print_brackets(result)
    print_falsification(result)


def _of_older_report(folder: Path) -> str:
    """Say that a report stands in the folder that is older than the run."""
    report, manifest = folder / "report.html", folder / "manifest.json"
    if not report.is_file() or not manifest.is_file() or report.stat().st_mtime_ns >= manifest.stat().st_mtime_ns:
        return ""
    return f" ({report.name} there is older than this run)"


def _exit_code(result: Run, asked: Asked) -> int:
    """Return the exit code of a search: that of the signal that stopped it, or whether anything is feasible."""
    stopped = result.manifest.certificate.stopped
    if stopped == "interrupt" and asked.code is not None:
        return asked.code
    return 0 if len(result.frontier) or stopped is not None else 1
