"""Commands on runs: run, report, verify, explain, pick."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.validation import validation_lines
from dse.cli.optional_value import DEFAULT, optional_value
from dse.cli.options import AllowCode, Folder, Json, StudyName
from dse.cli.signals import Asked, asks_to_stop, nothing_is_kept
from dse.cli.variant_options import Also, Least, Most, Set, VariantName, Where, Without, derived, varied
from dse.errors import InputError
from dse.units import format_number

if TYPE_CHECKING:
    from dse.analysis.pick import Choice
    from dse.analysis.proofs import Proofs
    from dse.analysis.verify import Verification
    from dse.api import Run
    from dse.search.estimate import Estimate

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        cls=optional_value("--report"),
        epilog="Examples: dse run ska-correlator --report · "
        'dse run ska-correlator --set frequency="2.3 GHz" --without cores=96 · dse run exascale --budget "60 s"',
    )(run)
    app.command(epilog="Example: dse report runs/ska-correlator")(report)
    app.command(epilog="Example: dse verify runs/ska-correlator --designs 10000")(verify)
    app.command(epilog="Examples: dse explain runs/ska-correlator · dse explain runs/ska-correlator --design 1 --full")(
        explain
    )
    app.command(epilog='Example: dse pick runs/hybrid-xeon-sp --min energy --where "run_time <= 20 s"')(pick)


def run(
    study: StudyName,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    name: VariantName = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/<name of the study>.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=0, help="Processes; 0: one per processor. The result is the same.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="auto, exhaustive, bundles or groups: the same result. evolve: good designs, no bound."),
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="With --method evolve: the most designs that are evaluated.")
    ] = None,
    count_infeasible: Annotated[
        bool | None, typer.Option("--count-infeasible/--no-count", help="Count the designs that break each constraint.")
    ] = None,
    tolerance: Annotated[
        list[str],
        typer.Option(
            "--tolerance",
            help='How much worse than what is left out a design found may be: "1 %", or of an objective '
            'OBJECTIVE="1 %" or OBJECTIVE="0.2 MW".',
        ),
    ] = [],  # noqa: B006
    budget: Annotated[
        str | None,
        typer.Option(
            help='Stop after a time ("60 s") and say within what the frontier holds; the same command goes on. '
            '"none": no budget where the study names one.'
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over; an old run in the folder moves to .old/ beside it.")
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="tcp://HOST:PORT", help="A Dask scheduler whose workers search. The result is the same."),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="[FILE.html]", help="Write the HTML report too. Default: into the run's folder."),
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Say how sure it is, as dse trust does.")] = False,
    json: Json = False,
) -> int:
    """Search the space of a study, or of a variant of it, and print its frontier."""
    from dse.cli.answer_text import print_answer
    from dse.cli.code import named_study
    from dse.cli.frontier_table import frontier_table
    from dse.cli.output import print_certificate, print_json, progress_bar, references_table, say
    from dse.cli.run_words import answer_document, designs_document, print_headline, print_nothing_feasible
    from dse.cli.validation_text import print_validation_of_frontier
    from dse.report.answer import answer_of
    from dse.search.stopping import Stop

    loaded = varied(
        named_study(study), set_=set_, where=where, also=also, least=least, most=most, without=without, name=name
    )
    folder = out if out is not None else Path("runs") / loaded.name
    _tell_anew(folder, fresh=fresh)
    evolves = (method or loaded.spec.search.method) == "evolve"
    count = loaded.space.size
    if evolves:
        from dse.search.evolve import usual_evaluations

        count = usual_evaluations(count, evaluations or loaded.spec.search.evaluations)
    stop = Stop()
    with progress_bar(count) as progress, nothing_is_kept(evolves), asks_to_stop(stop) as asked:
        result = loaded.run(
            folder,
            jobs=jobs,
            method=method,
            count_infeasible=count_infeasible,
            evaluations=evaluations,
            tolerance=_tolerance(tolerance),
            budget=budget,
            stop=stop,
            fresh=fresh,
            cluster=cluster,
            progress=progress,
            phase=None if progress is None else progress.phase,
            estimated=partial(_tell_long, cluster=cluster),
        )
    for line in result.changes:  # the folder had held this run already
        sys.stderr.write(f"note: {folder}: {line}; --fresh searches again and keeps the old run\n")
    if trust and len(result.frontier):
        result.trust()
    page = None
    if report is not None:
        from dse.report.page import write_report

        page = write_report(result, None if report == DEFAULT else Path(report))
    certificate = result.manifest.certificate
    if json:
        print_json(
            {
                "name": result.name,
                "designs": certificate.designs,
                "feasible": certificate.feasible,
                "evaluated": certificate.evaluated,
                "exact": certificate.exact,
                "headline": result.headline,
                "objectives": result.objectives,
                **designs_document(result),
                "answer": answer_document(answer_of(result)),
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
        )
        return _code(result, asked)
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
    say(f"report: {page}" if page else f"report: dse report {folder}")
    print_answer(result)
    return _code(result, asked)


def _code(result: Run, asked: Asked) -> int:
    """Return the exit code of a search: that of the signal that stopped it, or whether anything is feasible."""
    stopped = result.manifest.certificate.stopped
    if stopped == "interrupt" and asked.code is not None:
        return asked.code
    return 0 if len(result.frontier) or stopped is not None else 1


def _tell_anew(folder: Path, *, fresh: bool) -> None:
    """Say that a search without a bound that was stopped is not gone on with."""
    from dse.run.folder import begun_without_bound

    if not fresh and begun_without_bound(folder):
        sys.stderr.write(f"note: {folder}: an unfinished search by generations keeps nothing: it starts anew\n")
        sys.stderr.flush()


def _tolerance(given: list[str]) -> str | dict[str, object] | None:
    """Return a tolerance for all objectives, or by objective."""
    if not given:
        return None
    pairs = [one.partition("=") for one in given]
    if len(given) == 1 and not pairs[0][1]:
        return given[0]
    for text, (name, equals, _) in zip(given, pairs, strict=True):
        if not equals:
            raise InputError(f"'{text}' names no objective", key="--tolerance", allowed='OBJECTIVE="1 %"')
        if [one for one, _, _ in pairs].count(name) > 1:
            raise InputError(f"'{name}' stands twice", key="--tolerance")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _tell_long(estimate: Estimate, *, cluster: str | None = None) -> None:
    """Say once, before it begins, that a search takes more than some minutes, or too few for a cluster."""
    from dse.search.search_plan import CLUSTER_PAYS

    if cluster is not None and estimate.seconds * estimate.processes < CLUSTER_PAYS:
        pays = f"a cluster pays from {CLUSTER_PAYS / 60:.0f} min"
        sys.stderr.write(f"note: one process takes {estimate.in_words}; {pays}\n")
        sys.stderr.flush()
    elif estimate.long:
        sys.stderr.write(f"note: the search takes {estimate.in_words}; {estimate.advice}\n")
        sys.stderr.flush()


def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: report.html in the folder.")] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Write the report of a run: one HTML page that needs no network."""
    from dse.api import Run
    from dse.cli.output import print_json, say
    from dse.cli.run_words import print_changes
    from dse.report.page import write_report

    loaded = Run.load(folder, allow_code=allow_code)
    page = write_report(loaded, out)
    if json:
        print_json({"report": str(page), "bytes": page.stat().st_size, "changes": loaded.changes})
    else:
        print_changes(loaded)
        say(f"report: {page}")


def verify(
    folder: Folder,
    designs: Annotated[int, typer.Option(min=1, help="Random designs to throw at the frontier.")] = 200_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random designs.")] = 1,
    proofs: Annotated[
        bool, typer.Option("--proofs", help="Look again at some of what the search excluded and pruned, too.")
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Throw random designs and all one-step neighbours at the frontier: none may beat it."""
    from dse.analysis.proofs import verify_proofs
    from dse.analysis.verify import verify_run
    from dse.api import Run
    from dse.cli.output import print_json, progress_bar

    loaded = Run.load(folder, allow_code=allow_code)
    with progress_bar(designs, "designs thrown") as progress:
        # The random ones come first, and of how many neighbours there are the bar was not told.
        told = (lambda thrown, _: progress(min(thrown, designs))) if progress is not None else None
        result = verify_run(loaded, designs=designs, seed=seed, progress=told)
    evidence = verify_proofs(loaded, seed=seed) if proofs else None
    passed = result.passed and (evidence is None or evidence.passed)
    if json:
        print_json(result.as_dict() | ({"proofs": evidence.as_dict()} if evidence is not None else {}))
        return 0 if passed else 1
    _print_verification(result, loaded.headline if loaded.within else None)
    if evidence is not None:
        _print_proofs(evidence)
    return 0 if passed else 1


def _print_verification(result: Verification, within: str | None) -> None:
    """Say what an attack on a frontier found, that holds `within` a tolerance."""
    from dse.cli.output import say

    count = format_number(result.random)
    thrown = f"all {count} designs" if result.whole_space else f"{count} random designs"
    say(
        f"{thrown} and {format_number(result.neighbours)} one-step neighbours thrown at "
        f"{format_number(result.frontier)} on the frontier"
    )
    if result.passed:
        none = "none beats it, and " if result.bound or not result.beaten_by_count else ""
        if within:
            none = f"{within}, none beats it by more, and "
        say(f"passed: {none}its values recompute", style="bold green")
    for designs_of, fault in ((result.values_differ, "do not recompute"), (result.infeasible, "break a constraint")):
        if designs_of:
            say(f"designs of the frontier that {fault}: {', '.join(map(str, designs_of))}", style="bold red")
    if result.beaten_by_count and not result.bound:
        say(f"{result.beaten_by_count} designs beat what was found; no bound is known, so none was promised:")
    elif result.beaten_by_count:
        say(f"{result.beaten_by_count} designs should be on the frontier and are not:", style="bold red")
    if result.beaten_by_count:
        for design in result.beaten_by:
            say(f"  {design['design']}: " + ", ".join(f"{k} = {v}" for k, v in design["parameters"].items()))


def _print_proofs(proofs: Proofs) -> None:
    """Say what was looked at again, which share that is, and what came of it."""
    from dse.cli.output import say

    if not proofs.exclusions and not proofs.rows:
        say("proofs: the run keeps no evidence (nothing was excluded or pruned, or it was made before any was kept)")
        return
    n = format_number
    boxes = f"{n(proofs.exclusions)} boxes with {n(100 * proofs.excluded_share, 3)} % of the excluded designs"
    rows = f"{n(proofs.rows)} rows, {n(100 * proofs.pruned_share, 3)} % of the pruned ones"
    say(f"proofs: looked again at {boxes}; {rows}; {n(proofs.signs)} signs ({n(proofs.designs)} designs evaluated)")
    if proofs.passed:
        say("all of them hold: evidence, no second proof", style="bold green")
        return
    say(f"{proofs.faults_count} of what was left out should not have been:", style="bold red")
    for fault in proofs.faults:
        say(f"  {fault}")


def explain(
    folder: Folder,
    design: Annotated[int, typer.Option(help="Row of the frontier.")] = 0,
    number: Annotated[
        int | None, typer.Option(help="Design number, of any design of the space, instead of a row.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="A system beside the space, by its name, instead of a design.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every sum, bound, constraint, step and source, not one screen.")
    ] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Every number with where it comes from.")] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="The numbers as a tree: what each objective needs, down to the inputs.")
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Explain a design on one screen: where time and power go, what binds, what a step would change.

    With --full, --sources or --tree the rest: every sum and bound, and the source of every number.
    """
    from dse.api import Run
    from dse.cli.output import print_json

    if number is not None and reference is not None:
        raise InputError("does not go with --number", key="--reference", allowed="one of them")
    loaded = Run.load(folder, allow_code=allow_code)
    if reference is not None:
        explanation = loaded.explain_reference(reference)
    elif number is not None:
        explanation = loaded.study.explain(number, frontier=loaded.frontier)
    else:
        if design >= len(loaded.frontier) > 0:
            raise InputError(
                f"the frontier has no row {design}",
                allowed=f"0 to {len(loaded.frontier) - 1}, or --number {design} for the design of that number",
            )
        explanation = loaded.explain(design)
    if json:
        print_json(explanation.as_dict())
        return
    from dse.cli.explanation_screen import print_heading, print_screen
    from dse.cli.explanation_text import print_explanation, print_numbers
    from dse.cli.output import print_tree

    row = design if number is None and reference is None else None
    if full:
        print_explanation(explanation, tree=tree)
        return
    if not (sources or tree):
        print_screen(explanation, loaded.study.ways_down(explanation), row)
        return
    print_heading(explanation, row)
    if sources:
        print_numbers(explanation)
    if tree:
        print_tree(explanation.tree)


def pick(
    folder: Folder,
    least: Annotated[str | None, typer.Option("--min", help="Quantity to minimise.")] = None,
    most: Annotated[str | None, typer.Option("--max", help="Quantity to maximise.")] = None,
    knee: Annotated[bool, typer.Option("--knee", help="The design where the frontier bends most.")] = False,
    weights: Annotated[str | None, typer.Option(help="Least weighted sum: run_time=2,energy=1.")] = None,
    order: Annotated[str | None, typer.Option(help="Objectives by importance: run_time,energy.")] = None,
    within: Annotated[float, typer.Option(help="With --order: fraction of the best that still counts as equal.")] = 0.0,
    where: Annotated[
        list[str], typer.Option("--where", help='A limit: "run_time <= 100 s". May stand several times.')
    ] = [],  # noqa: B006
    trust: Annotated[
        bool, typer.Option("--trust", help="How probably it is the best while numbers are unknown, and a robust one.")
    ] = False,
    meets: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="With --trust: the share of draws in which a robust design meets all limits."),
    ] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Pick a design within limits: the least of a quantity, the knee, by weights, or by order of importance.

    Without a rule: that of the study's [answer] pick, else the knee.
    """
    from dse.analysis.rules import pick_by_rule, rule_of
    from dse.api import Run
    from dse.cli.output import print_json

    ways = {"--min": least, "--max": most, "--knee": knee or None, "--weights": weights, "--order": order}
    given = [name for name, value in ways.items() if value is not None]
    loaded = Run.load(folder, allow_code=allow_code)
    if len(given) > 1:
        named = " and ".join(given)
        allowed = [f"--{one['sense']} {one['quantity']}" for one in loaded.objectives]
        raise InputError(f"give one of {', '.join(ways)} at most; found {named}", allowed=allowed)
    if within and order is None:
        raise InputError("goes with --order only", key="--within")
    if least is not None:
        rule: dict[str, object] = {"minimize": least}
    elif most is not None:
        rule = {"maximize": most}
    elif weights is not None:
        rule = {"weights": _weights(weights)}
    elif order is not None:
        rule = {"order": [name.strip() for name in order.split(",")], "within": within}
    else:
        rule = {"knee": True}
    if meets is not None and not trust:
        raise InputError("goes with --trust only", key="--meets")
    if trust:
        from dse.cli.trust_command import decide

        return decide(loaded, {**rule, "where": where} if given else None, where, meets, json=json)
    result = pick_by_rule(loaded, {**rule, "where": where} if given else rule_of(loaded, where))
    if json:
        headline = "exact" if result.searched_again else loaded.headline
        print_json(
            {**result.as_dict(), "headline": headline, "units": loaded.units, "synthetic": loaded.manifest.synthetic}
        )
    else:
        _print_picked(loaded, result)
    return 0 if result.found else 1


def _weights(text: str) -> dict[str, float]:
    weights = {}
    for item in text.split(","):
        name, equals, value = item.partition("=")
        if name.strip() in weights:
            raise InputError(f"'{name.strip()}' stands twice", key="--weights")
        try:
            weights[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"'{item}' is not name=number", key="--weights", allowed="run_time=2,energy=1")
    return weights


def _print_picked(loaded: Run, result: Choice) -> None:
    from dse.cli.output import say, shown
    from dse.cli.validation_text import print_validation
    from dse.report.shortlist import Part

    if not result.found:
        say("no design meets these limits", style="bold red")
        return
    count, units = len(result.designs), loaded.units
    sure = {f"{name}_confidence" for name in loaded.axis_names}
    say(f"{count} design{'s' if count > 1 else ''}: {result.rule}", style="bold")
    held: list[str] = []
    for record in result.designs[:10]:
        say(f"design {record['design']}")
        for name, value in record.items():
            if isinstance(value, dict):
                held += validation_lines(record, value)
            elif name not in ("design", "extrapolated", *sure) and value not in (None, ""):
                told = shown(value, units.get(name, "text"))
                say(f"  {name} = {Part(told, str(record.get(f'{name}_confidence') or ''))}")
        if record.get("extrapolated"):
            say(f"  extrapolated: {record['extrapolated']}", style="yellow")
    if count > 10:
        say(f"… {count - 10} more (--json)")
    print_validation(held)
    say(f"the space was searched again: {result.reason}" if result.searched_again else result.reason)
    if not result.searched_again and not loaded.exact:
        more = "" if loaded.within else ": others may beat what was found"
        say(f"{loaded.headline}{more or ': the frontier is not exact'}", style="yellow")
    if loaded.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(loaded.manifest.synthetic)}", style="bold yellow")
