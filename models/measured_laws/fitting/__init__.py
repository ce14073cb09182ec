"""Laws over one to three parameters: sums of powers and logarithms, chosen by cross-validation, with intervals.

``fit.fit(values, parameters) -> Law``
    The law of one metric: terms, coefficients with standard errors, error of cross-validation.
``law.Law``
    What it foretells, between what that lies (``interval``), and how far from the runs it is.
"""
