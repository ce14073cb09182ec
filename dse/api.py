"""What people use: studies that run, and runs that explain themselves.

`Study` and `Run` are those of `dse.study` and `dse.run` with what stands above them in the house: the search that a
study is for, and the questions a run answers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import dse.run.result.run
import dse.study.study
from dse.analysis.choose.choice import choose_design
from dse.analysis.choose.pick import pick_design
from dse.analysis.explain.decomposition import way_down
from dse.errors import InputError, RunFolderError
from dse.evaluation.reference_records import find_reference
from dse.run.disk.result_cache import results_kept
from dse.run.execute.progress_bar import progress_bar
from dse.run.result.exported import write_csv, write_parquet
from dse.run.result.how_sure import read_how_sure
from dse.run.result.slider_file import write_sliders
from dse.run.result.uncertainty_account import write_uncertainty
from dse.search.account.progress import HOW_SURE, Callbacks

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from dse.analysis.choose.pick import Choice
    from dse.analysis.compare.comparison import Comparison
    from dse.analysis.explain.decomposition import Decomposition
    from dse.analysis.explain.explanation import Explanation, Sensitivity
    from dse.analysis.uncertainty.uncertainty import Candidates
    from dse.analysis.why.space_sensitivity import EffectsByObjective
    from dse.analysis.why.why import AbsenceRecord
    from dse.report.sweep_pages.sweep_results import Attainable, Sweep, WinnerMap
    from dse.run.result.falsification_account import FalsificationAccount
    from dse.run.result.how_sure import HowSure
    from dse.run.result.uncertainty_account import Decision, UncertaintyAccount
    from dse.search.account.estimate import Estimate
    from dse.search.account.progress import SearchListener
    from dse.search.account.stopping import Stop
    from dse.search.driver import SearchResult
    from dse.search.plan.search_plan import SearchPlan

__all__ = ["Run", "Study"]


_OPTIONS = {"--min": "minimize", "--max": "maximize", "--within": "within"}


@contextmanager
def _arguments() -> Iterator[None]:
    """Name arguments in messages instead of the options of the command line."""
    try:
        yield
    except InputError as error:
        if error.key is not None and error.key.startswith("--"):
            error.key = _OPTIONS.get(error.key, error.key[2:])
            error.within()
        raise error from None


def _held_against(run: Run) -> Run:
    """Hold the measured systems beside a study against its run, where that was not done."""
    from dse.analysis.falsify.falsify import has_classes, is_held_against

    if has_classes(run.study) and is_held_against(run):
        run.falsify()
    return run


class Study(dse.study.study.Study):  # noqa: D101
    __doc__ = dse.study.study.Study.__doc__

    def explain(self, number: int, *, frontier: pd.DataFrame | None = None) -> Explanation:
        """Explain a design of the space: breakdown, bounds, slacks, what a change would do, sources.

        Parameters
        ----------
        number : int
            Design number.
        frontier : DataFrame, optional
            To tell whether the design is on it, and which of its designs beat it.
        """
        from dse.analysis.explain.brackets import other_ends
        from dse.analysis.explain.explain import explain_design

        explained = explain_design(self.compiled, self.declarations, number, study=self.name, frontier=frontier)
        return replace(explained, other_ends=other_ends(self, number))

    def ways_down(self, explanation: Explanation) -> dict[str, list[Decomposition]]:
        """Return, for each objective of an explained design, what it comes from, and what most of that does."""
        if explanation.design is not None:
            (record,) = self.compiled.quantities([explanation.design])
            graph, arrays = self.compiled.systems[record["product"]].graph, record["values"]
        else:
            reference = self.reference(str(explanation.reference))
            graph, arrays = reference.group.system.graph, reference.arrays
        return {o["quantity"]: way_down(graph, arrays, o["quantity"]) for o in explanation.objectives}

    def sensitivities(self, number: int, quantities: Sequence[str] | None = None) -> list[Sensitivity]:
        """Return how quantities of a design answer to a percent more of each of its numbers.

        Parameters
        ----------
        number : int
            Design number.
        quantities : sequence of str, optional
            Default: the objectives.
        """
        from dse.analysis.explain.sensitivity import sensitivities

        return sensitivities(self.compiled, self.declarations, number, quantities)

    def run(
        self,
        out: str | Path | None = None,
        *,
        jobs: int | None = None,
        method: str | None = None,
        count_infeasible: bool | None = None,
        evaluations: int | None = None,
        tolerance: str | Mapping[str, object] | None = None,
        budget: str | float | None = None,
        stop: Stop | None = None,
        fresh: bool = False,
        cluster: str | None = None,
        progress: bool | Callable[[int, int], None] | None = None,
        phase: Callable[[str], None] | None = None,
        estimated: Callable[[Estimate], None] | None = None,
        listener: SearchListener | None = None,
        trust: bool = True,
        accept_ledger: bool = False,
        cache: bool = True,
    ) -> Run:
        """Search the space.

        Parameters
        ----------
        out : path, optional
            Folder to write the run to. Default: it stays in memory.
        jobs, method, count_infeasible, evaluations, tolerance : optional
            Override the study's ``[search]``. A tolerance is ``"1 %"`` of every objective, or by objective a share or a
            value in its unit; ``"0 %"`` searches exactly.
        budget : str or float, optional
            A time, ``"60 s"``, or seconds: the search is stopped then, and its certificate says within what its
            frontier holds (``gap``). The same call goes on with it, where `out` names a folder; ``"none"`` is no budget
            where the study names one.
        stop : Stop, optional
            Asked between two rounds of the search whether it is to stop (`dse.search.account.stopping`).
        fresh : bool
            Start over where the folder holds a run already; the old run is moved to ``.old`` beside it.
        cluster : str, optional
            Address of a Dask scheduler, ``"tcp://host:8786"``, whose workers search. Needs
            ``pip install 'dse-frontier[cluster]'``.
        progress : bool or callable, optional
            True: a bar with the time that is left, in a notebook or a terminal. Else called with (designs decided,
            designs on the frontier so far): evaluated, excluded and pruned ones count.
        phase : callable, optional
            Called with the name of what is done next: making tables, pruning groups, excluding by bounds, searching,
            checking, writing.
        estimated : callable, optional
            Called with what the search is expected to take, when all is planned.
        listener : SearchListener, optional
            Told all of that in place of these three (`dse.search.account.progress`).
        trust : bool
            Say how sure the answer is (``Run.how_sure``), as far as that is done within half the time of the search, or
            3 s.
        accept_ledger : bool
            Believe a finished run, or finished blocks, in the folder that bear no seal of this user. Default: they are
            put aside, and all is searched anew. What comes of it is not called exact and bears no seal.
        cache : bool
            Look results of costly models up among those this user kept in earlier runs, and keep new ones
            (`dse.run.disk.result_cache`).

        Returns
        -------
        Run
        """
        from dse.run.execute.execute import run_study

        if self.derived_from is None and self.spec.uncertain:
            _ = self.unknowns  # their faults before the search, not after it
        searched = partial(
            run_study,
            self,
            Run,
            out,
            jobs=jobs,
            method=method,
            count_infeasible=count_infeasible,
            evaluations=evaluations,
            tolerance=tolerance,
            budget=budget,
            stop=stop,
            fresh=fresh,
            cluster=cluster,
            accept_ledger=accept_ledger,
        )
        with results_kept(wanted=cache):
            if progress is not True:
                own = listener or Callbacks(progress or None, phase, estimated)
                return _held_against(self._answered(searched, own, trust=trust))
            with progress_bar(self.space.size) as bar:
                watcher = listener or Callbacks(bar, phase or bar.phase, estimated)
                return _held_against(self._answered(searched, watcher, trust=trust))

    def _answered(self, searched: Callable[..., Run], listener: SearchListener, *, trust: bool) -> Run:
        """Search, then say how sure that is while the tables that this needs are there."""
        if not trust:
            return searched(listener=listener)
        from dse.analysis.uncertainty.first_answer import first_answer, tables_wanted, time_for
        from dse.evaluation.unknowns import uncertain_problem

        kept: frozenset[int] = frozenset()
        if self.unknowns.every:
            kept = tables_wanted(uncertain_problem(self.compiled, self.unknowns.every))
        results: list[tuple[SearchResult, float]] = []
        run = searched(listener=listener, kept=kept, searched=lambda *ended: results.append(ended))
        if not results and read_how_sure(run) is not None:
            return run
        listener.phase(HOW_SURE)
        if results:
            first_answer(run, time_for(results[0][1]), results[0][0].searches)
        else:
            first_answer(run, time_for(run.manifest.timings.search_seconds))
        return run

    def sweep(
        self,
        name: str,
        values: str,
        *,
        steps: int = 33,
        quantity: str | None = None,
        by: str | None = None,
        also: Sequence[str] = (),
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Sweep:
        """Find the best design at each value of a parameter, and where it changes, by a search for each value.

        Parameters
        ----------
        name : str
            A parameter, an assumption or an axis of numbers.
        values : str
            ``"100..800 Gbit/s"``, of which `steps` values are taken, or a list: ``"100, 200, 400 Gbit/s"``.
        steps : int
        quantity : str, optional
            The best design has the least of it (the most, where it is maximised). Default: the pick of the study,
            else the knee of the frontier.
        by : str, optional
            What designs are told apart by: an axis, "alternative", a choice or a slot whose components differ.
            Default: the alternative and all part axes.
        also : sequence of str
            What is shown beside the objectives.
        progress : callable, optional
            Called with (what is done, how many searches of it are done, of about how many).
        """
        from dse.report.sweep_pages.sweep_results import Sweep, sweep_study

        swept = sweep_study(
            self, name, values, steps=steps, quantity=quantity, by=by, also=also, run_type=Run, progress=progress
        )
        return Sweep(**vars(swept))

    def winner_map(
        self,
        x: tuple[str, str],
        y: tuple[str, str],
        *,
        steps: int = 17,
        quantity: str | None = None,
        by: str | None = None,
        also: Sequence[str] = (),
        progress: Callable[[str, int, int], None] | None = None,
    ) -> WinnerMap:
        """Find the best design at each pair of values of two parameters, by a search for each.

        Parameters
        ----------
        x, y : (str, str)
            A parameter, an assumption or an axis of numbers, and its values as `sweep` takes them.
        steps, quantity, by, also
            As for `sweep`.
        progress : callable, optional
            Called with ("cells", how many are done, of how many).
        """
        from dse.report.sweep_pages.sweep_results import WinnerMap, map_winners

        winners = map_winners(
            self, x, y, steps=steps, quantity=quantity, by=by, also=also, run_type=Run, progress=progress
        )
        return WinnerMap(**vars(winners))

    def attainable(
        self,
        budget: str,
        *,
        quantity: str | None = None,
        lift: bool = False,
        also: Sequence[str] = (),
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Attainable:
        """Find the best of every objective that any design reaches within each budget, whatever else is chosen.

        Parameters
        ----------
        budget : str
            A quantity, such as the power of the machine; or an axis of numbers, for the best at each of its values.
        quantity : str, optional
            What is best instead of the objectives.
        lift : bool
            Whether the study's own limits on the budget are lifted.
        also : sequence of str
            What is shown beside them.
        progress : callable, optional
            Called with ("searches", how many are done, of how many).
        """
        from dse.report.sweep_pages.sweep_results import Attainable, attainable_study

        curves = attainable_study(
            self, budget, quantity=quantity, lift=lift, also=also, run_type=Run, progress=progress
        )
        return Attainable(**vars(curves))

    def estimate(self) -> Estimate:
        """Estimate what a run takes, from the cost per design of a small sample of the space."""
        from dse.run.execute.execute import estimate_study

        return estimate_study(self)

    def search_plan(self, estimate: Estimate | None = None) -> SearchPlan:
        """Return what a run will do: method, stages, and what workers would help.

        Parameters
        ----------
        estimate : Estimate, optional
            What it is expected to take. Default: it is estimated.
        """
        from dse.run.execute.execute import plan_study

        return plan_study(self, estimate if estimate is not None else self.estimate())


class Run(dse.run.result.run.Run):  # noqa: D101
    __doc__ = dse.run.result.run.Run.__doc__

    study_type: ClassVar[type[Study]] = Study

    @property
    def study(self) -> Study:
        """The study, made again from the text in the run.

        Raises
        ------
        RunFolderError
            The models or tables it used are gone or have changed.
        """
        study = super().study
        assert isinstance(study, Study)
        return study

    def explain(self, row: int) -> Explanation:
        """Explain the design in a row of the frontier: breakdown, bounds, slacks, what a change would do, sources."""
        if not 0 <= row < len(self.frontier):
            raise InputError(f"the frontier has no row {row}", allowed=f"0 to {len(self.frontier) - 1}")
        return self.study.explain(int(self.frontier["design"].iloc[row]), frontier=self.frontier)

    def pick(
        self,
        *,
        minimize: str | None = None,
        maximize: str | None = None,
        knee: bool = False,
        weights: Mapping[str, float] | None = None,
        order: Sequence[str] | None = None,
        within: float = 0.0,
        where: str | Sequence[str] = (),
    ) -> Choice:
        """Pick a design within limits, by one rule; without a rule, the knee.

        Parameters
        ----------
        minimize, maximize : str, optional
            The design with the least or the most of any quantity.
        knee : bool
            The design where the frontier bends most.
        weights : dict of str to float, optional
            How much each objective counts: the least weighted sum of scaled objectives.
        order : sequence of str, optional
            Objectives by importance.
        within : float
            With `order`: designs within this fraction of the best in one objective go on to the next.
        where : str or sequence of str
            Limits, such as ``"run_time <= 100 s"``. Where the frontier cannot answer, the space is searched again, and
            the choice says so.
        """
        given = {"minimize": minimize, "maximize": maximize, "knee": knee or None, "weights": weights, "order": order}
        rules = [name for name, value in given.items() if value is not None]
        if len(rules) > 1:
            raise InputError(f"there are {len(rules)} rules: {' and '.join(rules)}", allowed="one of them")
        if within and order is None:
            raise InputError("goes with 'order' only", key="within")
        limits = [where] if isinstance(where, str) else list(where)
        with _arguments():
            if minimize is not None or maximize is not None:
                quantity, sense = (minimize, "min") if minimize is not None else (str(maximize), "max")
                choice = pick_design(self, quantity, sense=sense, where=limits)
            elif weights is not None:
                choice = choose_design(self, "weights", weights=weights, where=limits)
            elif order is not None:
                names = [order] if isinstance(order, str) else list(order)
                choice = choose_design(self, "lexicographic", order=names, tolerance=within, where=limits)
            else:
                choice = choose_design(self, "knee", where=limits)
            return replace(choice, units=self._column_units)

    def falsify(self, measured: str | Path | None = None) -> FalsificationAccount:
        """Hold every measured system beside the space against the frontier, and store what they say.

        Parameters
        ----------
        measured : path, optional
            A table of further systems, in the columns of those of the study. Default: those that were held against the
            run before are kept.
        """
        from dse.analysis.falsify.falsify import falsification_of
        from dse.run.result.falsification_account import read_falsification, write_falsification

        if measured is None:
            try:
                kept = read_falsification(self)
            except RunFolderError:  # damaged, or of another version: it is written again
                kept = None
            if kept is not None:
                return kept
        account = falsification_of(self, None if measured is None else Path(measured))
        try:
            write_falsification(self, account)
        except (OSError, RunFolderError) as error:  # it is known, and the frontier is kept
            sys.stderr.write(f"note: what measured systems say was not kept: {error}\n")
        return account

    def trust(
        self,
        *,
        draws: int | None = None,
        seed: int | None = None,
        cells: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> UncertaintyAccount:
        """Say how sure the frontier is while some numbers are not known (``[uncertain]`` of the study), and store it.

        Parameters
        ----------
        draws, seed, cells : int, optional
            How many draws probabilities come from, their seed, and into how many parts the values are cut at most.
            Default: those of ``[trust]`` in the study.
        progress : callable, optional
            Told what is done next; an empty text at the end.

        Returns
        -------
        UncertaintyAccount
            ``certain`` and ``possible`` designs by number, ``probability``, ``decisions``; ``.as_dict()`` has all.
        """
        from dse.analysis.uncertainty.sliders import sliders_of
        from dse.analysis.uncertainty.uncertainty import uncertainty_of_run

        met: list[Candidates] = []
        account = uncertainty_of_run(self, draws=draws, seed=seed, cells=cells, progress=progress, met=met.append)
        write_uncertainty(self, account)
        if self.folder is not None:
            into = self.study.spec.trust.cells if cells is None else cells
            write_sliders(self, sliders_of(self, self.study.unknowns.every, into, account.seed, met[0]))
        return account

    def decide(
        self,
        *,
        minimize: str | None = None,
        maximize: str | None = None,
        where: str | Sequence[str] = (),
        meets: float | None = None,
    ) -> list[Decision]:
        """Say which design is the best of a rule how probably, and which one is robust, while some numbers are unknown.

        Parameters
        ----------
        minimize, maximize : str, optional
            What is best. Default: the study's pick, else each objective by itself.
        where : str or sequence of str
            Limits, each of one quantity.
        meets : float, optional
            The share of draws in which a robust design meets all limits. Default: that of the study, else 0.95.
        """
        from dse.analysis.uncertainty.uncertainty import decide_run

        limits = [where] if isinstance(where, str) else list(where)
        rule: dict[str, object] = {"minimize": minimize} if minimize is not None else {}
        rule |= {"maximize": maximize} if maximize is not None else {}
        with _arguments():
            return decide_run(self, {**rule, "where": limits} if rule else None, limits, meets=meets)

    @property
    def how_sure(self) -> HowSure | None:
        """What each objective decides, how probably, and what would flip it; None where nobody asked."""
        return read_how_sure(self)

    def sensitivity(self, *, log: bool = False) -> EffectsByObjective | dict[str, EffectsByObjective]:
        """Return what share of the variance of each objective the axes of the space explain, over all its designs.

        Parameters
        ----------
        log : bool
            Of the logarithms of the objectives.

        Returns
        -------
        dict
            ``{objective: {axis: {"main": …, "total": …}}}``; by alternative where there are several. ``main``: by the
            axis alone; ``total``: what is left when all other axes are known.
        """
        from dse.analysis.why.why import sensitivity_of

        return sensitivity_of(self, log=log).plain()

    def absence(self, part: str, parameter: str | Sequence[str] | None = None) -> AbsenceRecord:
        """Return how far a part of the space is from the frontier, and at which value of a number it would be on it.

        Parameters
        ----------
        part : str
            ``"alternative = NAME"``, ``"CHOICE = MEMBER"``, ``"AXIS = VALUE"`` or ``"design = NUMBER"``.
        parameter : str or two of them, optional
            A value that the study sets, an assumption, or ``"COLUMN[PART]"``. Of two: break-evens of the second at
            values of the first (``map``).

        Returns
        -------
        dict
            ``designs``, ``feasible``, ``factor`` (in all objectives at once), ``single`` (by objective) and, with a
            parameter, ``break_even``.
        """
        from dse.analysis.why.why import absence

        with _arguments():
            return absence(self, part, parameter=parameter).as_dict()

    def compare(self, *others: dse.run.result.run.Run | str | Path) -> Comparison:
        """Compare the run with others, or with run folders: best designs, and of two runs what entered and left.

        With one other, the changes are those from this run to it. ``.as_dict()`` of the result has all of it.
        """
        runs = [other if isinstance(other, dse.run.result.run.Run) else type(self).load(other) for other in others]
        from dse.analysis.compare.compare import compare_runs

        return compare_runs(self, *runs)

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML page that needs no network; by default as ``report.html`` in the run's folder."""
        from dse.report.run_page.page import write_report

        return write_report(self, path)

    def to_csv(self, path: str | Path, *, raw: bool = False) -> Path:
        """Write the frontier as CSV in SI, with the unit in each heading: ``machine_power [W]``.

        Texts that a spreadsheet would take for a formula get an apostrophe in front, unless they are to be `raw`.
        """
        return write_csv(self.frontier, self._column_units, path, raw=raw)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the frontier as Parquet in SI, with ``unit`` in the metadata of each field."""
        return write_parquet(self.frontier, self._column_units, path)

    @property
    def _column_units(self) -> dict[str, str]:
        return {**self.units, **self.frontier.units}

    def _repr_html_(self) -> str:
        from dse.report.run_page.notebook import run_html

        return run_html(self)

    def explain_reference(self, name: str) -> Explanation:
        """Explain a system beside the space, by its name."""
        place = find_reference([reference["name"] for reference in self.references], name)
        study = self.study
        reference = study.reference(self.references[place]["name"])
        from dse.analysis.explain.explain import explain_reference

        return explain_reference(study.compiled, reference, study=study.name, frontier=self.frontier)

    def figure(
        self, x: str | None = None, y: str | None = None, *, color: str | None = None, symbol: str | None = None
    ) -> go.Figure:
        """Draw the frontier as a plotly figure of less than 1 MB; how many designs are left out stands below it.

        Parameters
        ----------
        x, y : str, optional
            Columns of numbers in the frontier. Default: the first two objectives.
        color, symbol : str, optional
            Columns that colours and shapes stand for; texts, or numbers (as shapes: few of them). Default: an objective
            that is left over is the colour.
        """
        from dse.report.charts.figure import front_figure, front_view

        return front_figure(front_view(self, x, y, color=color, symbol=symbol))
