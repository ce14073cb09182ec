"""Commands on runs: run, show, report, verify, explain, pick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.validation import validation_lines
from dse.cli.options import AllowCode, Json, StudyName
from dse.cli.variant_options import Also, Least, Most, Set, VariantName, Where, Without, derived, varied
from dse.errors import InputError
from dse.units import format_number

if TYPE_CHECKING:
    from dse.analysis.pick import Choice
    from dse.analysis.proofs import Proofs
    from dse.analysis.verify import Verification
    from dse.api import Run
    from dse.report.answer import Answer
    from dse.search.estimate import Estimate

__all__ = ["register"]

Folder = Annotated[str, typer.Argument(help="The folder of a run, such as runs/my-study.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        epilog="Examples: dse run ska-correlator --report · "
        'dse run ska-correlator --set frequency="2.3 GHz" --without cores=96'
    )(run)
    app.command(epilog="Example: dse show runs/ska-correlator --all")(show)
    app.command(epilog="Example: dse report runs/ska-correlator")(report)
    app.command(epilog="Example: dse verify runs/ska-correlator --designs 1000000")(verify)
    app.command(epilog="Example: dse explain runs/ska-correlator --design 0")(explain)
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
    method: Annotated[str | None, typer.Option(help="auto, exhaustive, bundles or groups. The same result.")] = None,
    count_infeasible: Annotated[
        bool | None, typer.Option("--count-infeasible/--no-count", help="Count the designs that break each constraint.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over; an old run in the folder is moved to .old beside it.")
    ] = False,
    with_report: Annotated[bool, typer.Option("--report", help="Write the HTML report too.")] = False,
    json: Json = False,
) -> int:
    """Search the space of a study, or of a variant of it, and print its frontier."""
    from dse.cli.answer_text import print_answer
    from dse.cli.code import named_study
    from dse.cli.frontier_table import frontier_table
    from dse.cli.output import print_certificate, print_json, progress_bar, references_table, say
    from dse.cli.validation_text import print_validation_of_frontier
    from dse.report.answer import answer_of

    loaded = varied(
        named_study(study), set_=set_, where=where, also=also, least=least, most=most, without=without, name=name
    )
    folder = out if out is not None else Path("runs") / loaded.name
    with progress_bar(loaded.space.size) as progress:
        result = loaded.run(
            folder,
            jobs=jobs,
            method=method,
            count_infeasible=count_infeasible,
            fresh=fresh,
            progress=progress,
            phase=None if progress is None else progress.phase,
            estimated=_tell_long,
        )
    for line in result.changes:  # the folder had held this run already
        sys.stderr.write(f"note: {folder}: {line}; --fresh searches again and keeps the old run\n")
    page = None
    if with_report:
        from dse.report.page import write_report

        page = write_report(result)
    certificate = result.manifest.certificate
    if json:
        print_json(
            {
                "name": result.name,
                "designs": certificate.designs,
                "feasible": certificate.feasible,
                "evaluated": certificate.evaluated,
                "exact": certificate.exact,
                "objectives": result.objectives,
                **_designs(result),
                "answer": _answer(answer_of(result)),
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
        return 0 if len(result.frontier) else 1
    _headline(result)
    if len(result.frontier):
        frontier_table(result)
        print_validation_of_frontier(result, every=False)
    else:
        _nothing_feasible(result)
    references_table(result)
    print_certificate(result)
    print_answer(result)
    say()
    say(f"run:    {folder}")
    say(f"report: {page}" if page else f"report: dse report {folder}")
    return 0 if len(result.frontier) else 1


def _tell_long(estimate: Estimate) -> None:
    """Say once, before it begins, that a search takes more than some minutes."""
    if estimate.long:
        sys.stderr.write(f"note: the search takes {estimate.in_words}; {estimate.advice}\n")
        sys.stderr.flush()


def _headline(result: Run) -> None:
    from dse.cli.output import say

    say(f"{result.name}: {result.manifest.question}" if result.manifest.question else result.name, style="bold")
    if result.manifest.source:
        say(f"source: {result.manifest.source}")
    if result.derived_from is not None:
        say(result.derived_from.in_words())


def _nothing_feasible(result: Run) -> None:
    from dse.cli.output import say

    certificate = result.manifest.certificate
    say("nothing is feasible: no design meets every constraint", style="bold red")
    if certificate.infeasible is None:
        say("which constraint excludes how many: run again with --count-infeasible --fresh")


def show(
    folder: Folder,
    every: Annotated[bool, typer.Option("--all", help="All rows.")] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Show the frontier of a run and the account of its search."""
    from dse.api import Run
    from dse.cli.answer_text import print_answer
    from dse.cli.frontier_table import frontier_table
    from dse.cli.output import print_certificate, print_json, references_table
    from dse.cli.validation_text import print_validation_of_frontier
    from dse.report.answer import answer_of

    loaded = Run.load(folder, allow_code=allow_code)
    if json:
        document = {
            key: value for key, value in loaded.manifest.as_dict().items() if key not in ("study_text", "frontier")
        }
        document["derived_from"] = derived(loaded)
        document["folder"] = folder
        document["changes"] = loaded.changes
        document["answer"] = _answer(answer_of(loaded))
        print_json(document | _designs(loaded))
        return 0
    _headline(loaded)
    if len(loaded.frontier):
        frontier_table(loaded, None if every else 20)
        print_validation_of_frontier(loaded, every=every)
    else:
        _nothing_feasible(loaded)
    references_table(loaded, None if every else 20)
    print_certificate(loaded)
    _print_changes(loaded)
    print_answer(loaded)
    return 0


def _print_changes(loaded: Run) -> None:
    """Print what is no longer as it was when the run was made, and which of its models are not run here."""
    from dse.cli.output import say

    for line in loaded.changes:
        say(line, style="yellow")
    if loaded.unrun_code:
        files = ", ".join(loaded.unrun_code)
        say(f"no seal of this user: model files are not run without --allow-code: {files}", style="yellow")


def _answer(answer: Answer | None) -> dict[str, object] | None:
    return None if answer is None else answer.as_dict()


def _designs(loaded: Run) -> dict[str, object]:
    """Return the designs of the frontier and the systems beside it for JSON, with the units of both."""
    from dse.analysis.pick import validations_together
    from dse.cli.output import units_of

    columns = loaded.validation_columns
    names = {name for record in loaded.references for name in (*record["values"], *record["measured"])}
    units = {name: unit for name, unit in loaded.units.items() if name in names}
    of_designs = units_of(loaded.frontier, loaded.units).items()
    return {
        "frontier": validations_together(loaded.frontier, columns),
        "references": loaded.references,
        "units": {name: unit for name, unit in of_designs if name not in columns.values()} | units,
    }


def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(help="File to write. Default: report.html in the folder.")] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Write the report of a run: one HTML page that needs no network."""
    from dse.api import Run
    from dse.cli.output import print_json, say
    from dse.report.page import write_report

    loaded = Run.load(folder, allow_code=allow_code)
    page = write_report(loaded, out)
    if json:
        print_json({"report": str(page), "bytes": page.stat().st_size, "changes": loaded.changes})
    else:
        _print_changes(loaded)
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
    _print_verification(result)
    if evidence is not None:
        _print_proofs(evidence)
    return 0 if passed else 1


def _print_verification(result: Verification) -> None:
    from dse.cli.output import say

    count = format_number(result.random)
    thrown = f"all {count} designs" if result.whole_space else f"{count} random designs"
    say(
        f"{thrown} and {format_number(result.neighbours)} one-step neighbours thrown at "
        f"{format_number(result.frontier)} on the frontier"
    )
    if result.passed:
        say("passed: none beats it, and its values recompute", style="bold green")
    for designs_of, fault in ((result.values_differ, "do not recompute"), (result.infeasible, "break a constraint")):
        if designs_of:
            say(f"designs of the frontier that {fault}: {', '.join(map(str, designs_of))}", style="bold red")
    if result.beaten_by_count:
        say(f"{result.beaten_by_count} designs should be on the frontier and are not:", style="bold red")
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
    tree: Annotated[
        bool, typer.Option("--tree", help="The numbers as a tree: what each objective needs, down to the inputs.")
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Explain a design: where time and power go, what binds, what a step would change, every number's source."""
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
        explanation = loaded.explain(design)
    if json:
        print_json(explanation.as_dict())
    else:
        from dse.cli.explanation_text import print_explanation

        print_explanation(explanation, tree=tree)


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
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Pick a design within limits: the least of a quantity, the knee, by weights, or by order of importance."""
    from dse.analysis.choice import choose_design
    from dse.analysis.pick import pick_design
    from dse.api import Run
    from dse.cli.output import print_json

    ways = {"--min": least, "--max": most, "--knee": knee or None, "--weights": weights, "--order": order}
    given = [name for name, value in ways.items() if value is not None]
    loaded = Run.load(folder, allow_code=allow_code)
    if len(given) != 1:
        named = " and ".join(given) if given else "none"
        allowed = [f"--{one['sense']} {one['quantity']}" for one in loaded.objectives]
        raise InputError(f"give exactly one of {', '.join(ways)}; found {named}", allowed=allowed)
    if within and order is None:
        raise InputError("goes with --order only", key="--within")
    if least is not None or most is not None:
        quantity = str(least if least is not None else most)
        sense = "min" if least is not None else "max"
        result = pick_design(loaded, quantity, sense=sense, where=where)
    elif weights is not None:
        result = choose_design(loaded, "weights", weights=_weights(weights), where=where)
    elif order is not None:
        names = [name.strip() for name in order.split(",")]
        result = choose_design(loaded, "lexicographic", order=names, tolerance=within, where=where)
    else:
        result = choose_design(loaded, "knee", where=where)
    if json:
        print_json({**result.as_dict(), "units": loaded.units, "synthetic": loaded.manifest.synthetic})
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
    if loaded.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(loaded.manifest.synthetic)}", style="bold yellow")
