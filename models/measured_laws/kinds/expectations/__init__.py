"""Expected growth: how a quantity should grow with the size of a machine or a problem, and how it does grow.

``expectation.Expectation.of("log p")``
    An expected growth with the deviation that is allowed; `Expectation.judge` sets a fitted one beside it.
``fitted.fit_series(values, sizes) -> FittedSeries``
    The law of one quantity over one size, by `dse.models.measured_laws.fitting`, and its growth.
``segments.segments(series) -> Segments or None``
    Two laws, where the algorithm changes with the size.
``profile_model.fit_profile(measurements) -> ProfileModel``
    A law of every metric that was measured, with values and bands at other sizes.
``rules.Rule.of("Allreduce <= Reduce + Bcast")``
    What one function costs at most, if others can do its work.
"""
