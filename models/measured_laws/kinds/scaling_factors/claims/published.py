"""Published factors of four programs beside their refits, and statements about larger numbers of ranks.

The tables hold predictions that were fits themselves, and the forms here are fitted to them: agreement says that a form
can express them, and no more. Measured efficiencies follow from a prediction and its error (relative to the measured).
The predictions came from fewer ranks, so that no fit has seen what was measured: refits are held against it within what
the text says of its errors. So are fits to all but the most ranks that were measured, where three are left for one.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.measured_laws.kinds.scaling_factors.fitting import fit_two_points
from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import NAMES, ScalingProfile, fit_profile
from dse.models.sources import ROSAS_2014

__all__ = ["claims", "refits"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "scaling_factors")
_ROUNDED = 0.0015
_HALF_POINT = 0.5
_LEAST_ERROR = 0.01
_FORM = {"HACC": "amdahl-cube-root"}
_MODE = {"HACC": "weak", "Nekbone": "weak", "AMG2013": "strong", "AVBP": "strong"}
_FAR = 100_000.0
# Section 2.3.2 on the largest error of efficiencies; 0.1 % is less than three decimals can say.
_STATED = {"HACC": (0.26, "about 25 %"), "Nekbone": (0.001, "0.1 %"), "AMG2013": (0.10, "10 %"), "AVBP": (0.18, "18 %")}
_HELD_OUT = ("HACC", "AVBP")


def _rows() -> list[dict[str, str]]:
    with Path(__file__).with_name("predictions.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def refits() -> dict[str, ScalingProfile]:
    """Return the factors of each program, fitted to the predictions of its table."""
    fits = {}
    for code, mode in _MODE.items():
        rows = [row for row in _rows() if row["code"] == code]
        values = {name: [float(row[name]) for row in rows] for name in NAMES}
        form = _FORM.get(code, "amdahl")
        fits[code] = fit_profile([float(row["P"]) for row in rows], values, mode, form=form, exact=True, name=code)
    return fits


def claims() -> list[Claim]:
    """Return every published figure of scaling factors, with what the fits give."""
    fits = refits()
    claims_of_rows = [claim for row in _rows() for claim in _of_row(row, fits[row["code"]])]
    claims_of_rows += [_of_measured(row, fits[row["code"]]) for row in _rows()]
    claims_of_rows += [_of_held_out(code) for code in _HELD_OUT]
    crossing = fits["AVBP"].crossovers(_FAR)
    serial = [count for count, name in crossing if name == "Ser"]
    computed = {
        "HACC phase 2 on 2048 ranks: efficiency below 0.4": bool(fits["HACC"].efficiency(2048) < 0.4),
        "Nekbone phase 2 on 2048 ranks: efficiency": float(fits["Nekbone"].efficiency(2048)),
        "Nekbone phase 2 on 8192 ranks: efficiency": float(fits["Nekbone"].efficiency(8192)),
        "AMG2013 phase 2 on 2048 ranks: efficiency": float(fits["AMG2013"].efficiency(2048)),
        "AVBP on 2048 ranks: efficiency": float(fits["AVBP"].efficiency(2048)),
        "AVBP: ranks from which serialisation is the least factor": serial[-1],
    }
    claims_of_rows += [FIGURES.claim(title, value) for title, value in computed.items()]
    balance = fit_two_points([256, 512], [0.972, 0.950])
    transfer = fit_two_points([512, 4096], [0.517, 0.333], "amdahl-cube-root")
    titles = [title for title in FIGURES if "through two points" in title]
    claims_of_rows += [
        FIGURES.claim(title, (factor.single, factor.fraction))
        for title, factor in zip(titles, (balance, transfer), strict=True)
    ]
    return [*claims_of_rows, *FIGURES.not_checkable()]


def _of_row(row: dict[str, str], fit: ScalingProfile) -> list[Claim]:
    ranks, place = float(row["P"]), f"{ROSAS_2014}, {row['place']}"
    where = f"{row['code']} on {row['P']} ranks"
    figures = [
        Claim(
            "scaling_factors",
            f"{where}: {name} predicted",
            place,
            float(row[name]),
            float(fit.factors[name].at(ranks)),
            absolute_tolerance=_ROUNDED,
            kind="fitted",
            note="the form is fitted to this prediction, which was a fit",
        )
        for name in NAMES
    ]
    product = float(np.prod([float(row[name]) for name in NAMES]))
    figures.append(
        Claim(
            "scaling_factors",
            f"{where}: efficiency is the product of the factors",
            place,
            float(row["eta"]),
            product,
            absolute_tolerance=_ROUNDED,
        )
    )
    errors = float(np.prod([1.0 + float(row[f"{name}_error"]) / 100.0 for name in NAMES]) - 1.0) * 100.0
    small = abs(float(row["eta_error"])) < _LEAST_ERROR
    figures.append(
        Claim(
            "scaling_factors",
            f"{where}: errors of the factors compound to that of the efficiency",
            place,
            float(row["eta_error"]),
            None if small else errors,
            unit="%",
            absolute_tolerance=_HALF_POINT,
            kind="not checkable" if small else "check",
            note="errors below the last digit of the factors: perhaps fractions, not percent" if small else "",
        )
    )
    return figures


def _measured(row: dict[str, str], name: str) -> float:
    """Return what was measured: errors of the tables are relative to it."""
    return float(row[name]) / (1.0 + float(row[f"{name}_error"]) / 100.0)


def _against(row: dict[str, str], what: str, computed: float, note: str) -> Claim:
    tolerance, words = _STATED[row["code"]]
    return Claim(
        "scaling_factors",
        f"{row['code']} on {row['P']} ranks: measured efficiency, {what}",
        f"{ROSAS_2014}, {row['place']} and Section 2.3.2",
        _measured(row, "eta"),
        computed,
        relative_tolerance=tolerance,
        absolute_tolerance=_ROUNDED,
        note=f"{note}; the text says {words} of its errors",
    )


def _of_measured(row: dict[str, str], fit: ScalingProfile) -> Claim:
    ranks = float(row["P"])
    return _against(row, "by the refit", float(fit.efficiency(ranks)), "refit of predictions from fewer ranks")


def _of_held_out(code: str) -> Claim:
    *seen, last = [row for row in _rows() if row["code"] == code]
    values = {name: [_measured(row, name) for row in seen] for name in NAMES}
    ranks = [float(row["P"]) for row in seen]
    fit = fit_profile(ranks, values, _MODE[code], form=_FORM.get(code, "amdahl"), name=code)
    computed = float(fit.efficiency(float(last["P"])))
    return _against(
        last, "by a fit to fewer ranks", computed, f"fitted to measured factors on {ranks[0]:g} to {ranks[-1]:g} ranks"
    )
