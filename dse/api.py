"""What people use: studies that run, and runs that explain themselves.

`Study` and `Run` are those of `dse.study` and `dse.run` with what stands above them in the house: the search that a
study is for, and the questions a run answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import dse.run.run
import dse.study.study
from dse.errors import InputError
from dse.evaluation.reference_systems import find_reference

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from dse.analysis.explanation import Explanation, Sensitivity
    from dse.analysis.sweep import Sweep
    from dse.search.estimate import Estimate

__all__ = ["Run", "Study"]


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
        from dse.analysis.explain import explain_design

        return explain_design(self.compiled, self.declarations, number, study=self.name, frontier=frontier)

    def sensitivities(self, number: int, quantities: Sequence[str] | None = None) -> list[Sensitivity]:
        """Return how quantities of a design answer to a percent more of each of its numbers.

        Parameters
        ----------
        number : int
            Design number.
        quantities : sequence of str, optional
            Default: the objectives.
        """
        from dse.analysis.sensitivity import sensitivities

        return sensitivities(self.compiled, self.declarations, number, quantities)

    def run(
        self,
        out: str | Path | None = None,
        *,
        jobs: int | None = None,
        method: str | None = None,
        count_infeasible: bool | None = None,
        fresh: bool = False,
        progress: Callable[[int, int], None] | None = None,
        phase: Callable[[str], None] | None = None,
        estimated: Callable[[Estimate], None] | None = None,
    ) -> Run:
        """Search the space.

        Parameters
        ----------
        out : path, optional
            Folder to write the run to. Default: it stays in memory.
        jobs, method, count_infeasible : optional
            Override the study's ``[search]``.
        fresh : bool
            Start over where the folder holds a run already; the old run is moved to ``.old`` beside it.
        progress : callable, optional
            Called with (designs decided, designs on the frontier so far): evaluated, excluded and pruned ones count.
        phase : callable, optional
            Called with the name of what is done next: making tables, pruning groups, excluding by bounds, searching,
            checking, writing.
        estimated : callable, optional
            Called with what the search is expected to take, when all is planned.

        Returns
        -------
        Run
        """
        from dse.run.execute import run_study

        return run_study(
            self,
            Run,
            out,
            jobs=jobs,
            method=method,
            count_infeasible=count_infeasible,
            fresh=fresh,
            progress=progress,
            phase=phase,
            estimated=estimated,
        )

    def sweep(
        self, name: str, values: str, *, steps: int = 33, quantity: str | None = None, by: str | None = None
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
            The best design has the least of it (the most, where it is maximised). Default: the knee of the frontier.
        by : str, optional
            What designs are told apart by: an axis, or "alternative". Default: the alternatives, else all part axes.
        """
        from dse.analysis.sweep import sweep_study

        return sweep_study(self, name, values, steps=steps, quantity=quantity, by=by, run_type=Run)

    def estimate(self) -> Estimate:
        """Estimate what a run takes, from the cost per design of a small sample of the space."""
        from dse.run.execute import estimate_study

        return estimate_study(self)


class Run(dse.run.run.Run):  # noqa: D101
    __doc__ = dse.run.run.Run.__doc__

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

    def explain_reference(self, name: str) -> Explanation:
        """Explain a system beside the space, by its name."""
        from dse.analysis.explain import explain_reference

        place = find_reference([reference["name"] for reference in self.references], name)
        study = self.study
        reference = study.reference(self.references[place]["name"])
        return explain_reference(study.compiled, reference, study=study.name, frontier=self.frontier)

    def figure(self, x: str | None = None, y: str | None = None) -> go.Figure:
        """Draw the frontier as a plotly figure."""
        from dse.report.figure import front_figure, front_view

        return front_figure(front_view(self, x, y))
