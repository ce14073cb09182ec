"""All that is told of a table of machines: figures, laws, strata, targets, checks of its ratings, the test of size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from dse.errors import InputError
from dse.models.machines.catalogue.catalogue import Machine, read_machines
from dse.models.machines.laws.comparison import Answer, Judged, Stratum, answers, judged, strata
from dse.models.machines.laws.laws import Laws, fitted, observed
from dse.models.machines.laws.measured_shares import measured_shares
from dse.models.machines.laws.rating_checks import (
    PeakCheck,
    PowerCheck,
    RatingCheck,
    fall_by_year,
    peak_checks,
    power_checks,
    rating_checks,
)
from dse.models.machines.laws.refit import Refit, refit
from dse.models.machines.laws.size_law import SizeTest, size_tests
from dse.models.machines.laws.targets import Target, targets

__all__ = ["SECOND", "Judgement", "judgement"]

SECOND = "machines/recalled.csv"
"""The table in ``spaces`` on which nothing is fitted."""


@dataclass(frozen=True)
class Judgement:
    """What is told of a table.

    Attributes
    ----------
    machines : sequence of Machine
    answers : sequence of Answer
    judged : sequence of Judged
    strata : sequence of Stratum
    laws : Laws
        Of the project's table.
    peaks : sequence of PeakCheck
    ratings : sequence of RatingCheck
    powers : sequence of PowerCheck
        Of the devices of the project's table; empty for another one.
    fall : tuple of float
        Slope and standard error of ln(power over rated power) by the year, the yardstick of `powers`.
    sizes : sequence of SizeTest
        Empty for another table.
    targets : sequence of Target
        Of the project's table; empty for another one.
    refit : Refit or None
        What another table would change in the laws; None of the project's own, or where it tells of none.
    """

    machines: Sequence[Machine]
    answers: Sequence[Answer]
    judged: Sequence[Judged]
    strata: Sequence[Stratum]
    laws: Laws
    peaks: Sequence[PeakCheck]
    ratings: Sequence[RatingCheck]
    powers: Sequence[PowerCheck] = ()
    fall: tuple[float, float] = (0.0, 0.0)
    sizes: Sequence[SizeTest] = ()
    targets: Sequence[Target] = ()
    refit: Refit | None = None


def judgement(machines: Sequence[Machine], *, own: bool) -> Judgement:
    """Judge a table.

    Parameters
    ----------
    machines : sequence of Machine
    own : bool
        Whether it is the project's own, which the laws are fitted on.
    """
    computed, judgements = answers(machines), judged(machines)
    checks = (peak_checks(machines), rating_checks(machines))
    common = (machines, computed, judgements, strata(judgements), fitted(), *checks)
    if not own:
        return Judgement(*common, refit=_refit(machines))
    second = measured_shares(read_machines(Path(str(files("dse.spaces"))) / SECOND, name=SECOND))
    return Judgement(
        *common,
        powers=power_checks(observed()),
        fall=fall_by_year(observed()),
        sizes=size_tests(observed(), second),
        targets=targets(
            [judged_share for judged_share in judgements if not judged_share.machine.fit],
            [answer for answer in computed if not answer.machine.fit],
        ),
    )


def _refit(machines: Sequence[Machine]) -> Refit | None:
    try:
        return refit(machines)
    except ValueError as error:
        raise InputError(f"the laws cannot be fitted with it: {error}") from None
