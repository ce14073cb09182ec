"""Measured configurations of serving beside what the model and two naive laws give for them, by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, Comparison, Kind, Listing, read_figures
from dse.models.serving.claims.measured import FIGURES, Rows, computed, measured_figures, rows
from dse.models.serving.claims.naive import bare_roofline, nearest_row, scaled_roofline

__all__ = ["Account", "accounts", "claims", "comparison"]

PUBLISHED = read_figures(Path(__file__).with_suffix(".csv"), "serving")
_SOURCE = "InferenceMAX, runs of December 2025 and January 2026 (medians, derived by us)"
_BARS = {FIGURES[0]: (15.0, 40.0), FIGURES[1]: (15.0, 40.0), FIGURES[2]: (40.0, None)}
_PERCENTILES = (50.0, 90.0)
_FITTED = "constants were fitted on these rows: agreement shows that the code is right, not the model"
_DRAFTS = "nothing was fitted on rows with drafts; one draft is assumed, of which 85 % is accepted: it is not recorded"
_NO_BAR = "apart: where prompts limit, a queue grows without end and its length is a matter of the harness"
_COLD = "software of that month; the first token hangs on how a cold start is counted"
_NOTES = (
    "errors: median / 90th percentile of |computed/measured - 1| over the rows of a group, in %; time per token is the "
    "mean, the first token the median, the rate that of output over all devices, over 0.977 (a closed loop)",
    "fitted rows show that the code is right, not the model; rows it never saw: 6.4 / 29.4 on time per token (guide)",
    "roofline: every share 1, no gap, times one constant; nearest: the most similar other row, times the ratio of both",
    "figures of a public benchmark, re-tabulated and derived by us; they belong to the software of their month",
)


@dataclass(frozen=True)
class Account:
    """Errors of a group of rows, in %: median and 90th percentile by figure; None where no row is comparable."""

    group: str
    rows: int
    drafts: bool
    apart: bool
    model: Mapping[str, tuple[float, float] | None]
    roofline: Mapping[str, tuple[float, float] | None]
    nearest: Mapping[str, tuple[float, float] | None]


def claims() -> list[Claim]:
    """Return the errors of every group beside their bars, and what cannot be checked here."""
    return [*_claims(accounts(rows())), *PUBLISHED.not_checkable()]


def comparison(file: Path | None = None) -> Comparison:
    """Compare measured configurations, by group.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/serving/measured.csv``. Default: that one.
    """
    of = rows(file)
    groups = accounts(of)
    checked = _claims(groups, fitted=file is None)
    if file is None:
        checked = (*checked, *PUBLISHED.not_checkable())
    headings = ("model, device, software", "rows", *(f"{name}" for name in ("tpot", "rate", "first token")))
    headings += ("roofline: tpot", "rate", "nearest: tpot", "rate")
    listings = (
        Listing("each row: measured, computed", _EACH, _each(of), range(1, 8)),
        Listing("by group: errors in %", headings, [_account_row(account) for account in groups], range(1, 9)),
    )
    name = "spaces/serving/measured.csv" if file is None else str(file)
    return Comparison(checked, {"file": name, "groups": [_as_dict(account) for account in groups]}, listings, _NOTES)


def accounts(of: Rows) -> list[Account]:
    """Return the errors of each group of rows, and of all rows without drafts."""
    measured, own, bare = measured_figures(of), computed(of), bare_roofline(of)
    fitted = ~of.drafts if (~of.drafts).any() else np.ones(len(of), dtype=bool)
    laws = (own, scaled_roofline(of, bare, fitted), nearest_row(of, bare))
    names = np.array(of.groups)
    groups = [(name, names == name) for name in sorted(set(of.groups))]
    if len(groups) > 1:
        groups.append(("all without drafts", fitted))
    return [
        Account(
            name,
            int(inside.sum()),
            bool(of.drafts[inside].all()),
            bool(of.apart[inside].all()),
            *({figure: _spread(law[figure], measured[figure], inside) for figure in FIGURES} for law in laws),
        )
        for name, inside in groups
    ]


def _spread(values: np.ndarray, measured: np.ndarray, inside: np.ndarray) -> tuple[float, float] | None:
    errors = 100.0 * np.abs(values / measured - 1.0)[inside & np.isfinite(measured) & np.isfinite(values)]
    if not len(errors):
        return None
    low, high = np.percentile(errors, _PERCENTILES)
    return float(low), float(high)


def _claims(groups: Sequence[Account], fitted: bool = True) -> tuple[Claim, ...]:
    made = []
    for account in groups:
        for figure in FIGURES:
            spread = account.model[figure]
            if account.group.startswith("all ") or spread is None:
                continue
            for place, (value, bar) in enumerate(zip(spread, _BARS[figure], strict=True)):
                if bar is not None:
                    made.append(_claim(account, figure, place, value, bar, fitted))
    return tuple(made)


def _claim(account: Account, figure: str, place: int, value: float, bar: float, fitted: bool) -> Claim:
    kind: Kind = "fitted" if fitted and not account.drafts else "check"
    note = _FITTED if kind == "fitted" else _DRAFTS if account.drafts else ""
    if figure == FIGURES[2] and account.apart:
        kind, note = "miss", _NO_BAR
    elif fitted and value > bar:
        kind, note = "miss", f"above its bar of {bar:g} %: {_DRAFTS if account.drafts else _COLD}"
    what = ("median", "90th percentile")[place]
    title = f"{account.group}: {what} of the error of {figure}, at most {bar:g} %"
    return Claim("serving", title, _SOURCE, 0.0, value, "%", absolute_tolerance=bar, kind=kind, note=note)


_EACH = ("row", "requests", "tpot", "computed", "rate", "computed", "first token", "computed")


def _each(of: Rows) -> list[tuple[str, ...]]:
    measured, own, table = measured_figures(of), computed(of), of.table
    lines = []
    for row in range(len(of)):
        shape = f"{table['isl'][row]:g}/{table['osl'][row]:g} on {table['devices'][row]:g}"
        cells = [f"{table['id'][row]} {of.groups[row]}, {shape}", f"{table['concurrency'][row]:g}"]
        for figure, (factor, unit) in zip(FIGURES, ((1e3, " ms"), (1.0, "/s"), (1e3, " ms")), strict=True):
            for values in (measured, own):
                value = float(values[figure][row])
                cells.append("–" if np.isnan(value) else f"{value * factor:.4g}{unit}")
        lines.append(tuple(cells))
    return lines


def _account_row(account: Account) -> tuple[str, ...]:
    two = FIGURES[:2]
    cells = [account.model[name] for name in FIGURES] + [account.roofline[name] for name in two]
    cells += [account.nearest[name] for name in two]
    shown = ["–" if cell is None else f"{cell[0]:.1f} / {cell[1]:.1f}" for cell in cells]
    return (account.group, str(account.rows), *shown)


def _as_dict(account: Account) -> dict[str, object]:
    laws = {"model": account.model, "roofline": account.roofline, "nearest": account.nearest}
    errors = {
        law: {figure: None if spread is None else list(spread) for figure, spread in by_figure.items()}
        for law, by_figure in laws.items()
    }
    return {"group": account.group, "rows": account.rows, "percent": errors}
