"""Expected growth: how a quantity should grow with the size of a machine or a problem, and how it does grow.

Interface
---------
``Expectation.of("log p")``
    An expected growth with the deviation that is allowed; `Expectation.judge` sets a fitted one beside it.
``fit_series(values, sizes) -> FittedSeries``
    The law of one quantity over one size, by `dse.models.extrapolation.fit`, and its growth.
``segments(series) -> Segments or None``
    Two laws, where the algorithm changes with the size.
``fit_profile(measurements) -> ProfileModel``
    A law of every metric that was measured, with values and bands at other sizes (`profile_model`).
``Rule.of("Allreduce <= Reduce + Bcast")``
    What one function costs at most, if others can do its work.
"""

from dse.models.expectations.expectation import Expectation, Verdict, search_space
from dse.models.expectations.fitted import FittedSeries, fit_series, growth_of, largest_within
from dse.models.expectations.growth import Growth
from dse.models.expectations.language import parse_growth
from dse.models.expectations.profile_model import ProfileModel, fit_profile
from dse.models.expectations.rules import Rule
from dse.models.expectations.segments import Segments, segments

__all__ = [
    "Expectation",
    "FittedSeries",
    "Growth",
    "ProfileModel",
    "Rule",
    "Segments",
    "Verdict",
    "fit_profile",
    "fit_series",
    "growth_of",
    "largest_within",
    "parse_growth",
    "search_space",
    "segments",
]
