"""Published figures of training beside what the model gives, by table, and beside a constant rate per device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dse.authoring.library.claims import Claim, Comparison, Kind, Listing, read_figures
from dse.models.training.claims.measured import Run, computed, constant_rate, runs
from dse.units import with_unit

__all__ = ["claims", "comparison"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "training")
_BARS = {"lumi": 0.15, "sc21-1": 0.15, "mlperf-power": 0.15, "vtrain-single": 0.45}
_BAR = 0.10
_DERIVED = "derived by us: not an MLPerf metric, not verified by MLCommons"
_FITTED = "a constant of the model was set on it"
_NOTES = (
    "fitted rows show that the code is right, not the model; the share of the bandwidth between nodes and the hidden "
    "share were chosen with the whole series of H100 in view",
    "a constant rate: the best constant for the table, the geometric mean of its own figures",
    f"rows of MLPerf are {_DERIVED}",
    "not shown as figures: DeepSeek-V3's hours (its run hides exchanges and computes again, which cancel by chance "
    "here); runs of one cloud above 1,500 devices, which need a share of 0.38 between nodes",
)


def claims() -> list[Claim]:
    """Return every measured figure with what the model gives."""
    return [*_claims(runs())[1], *FIGURES.not_checkable()]


def comparison(file: Path | None = None) -> Comparison:
    """Compare measured runs, by table.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/training/measured.csv``. Default: that one.
    """
    measured, claimed = _claims(runs(file))
    naive = constant_rate(measured)
    tables = [_account(table, measured, claimed, naive) for table in dict.fromkeys(run.table for run in measured)]
    if file is None:
        claimed = (*claimed, *FIGURES.not_checkable())
    rows = [_row(claim) for claim in claimed]
    listings = (
        Listing("each figure", ("figure", "published", "computed", "error", "status"), rows, (1, 2, 3)),
        Listing(
            "by table: mean and worst error, and those of one constant rate per device",
            ("table", "figures", "fitted", "mean", "worst", "constant: mean", "worst"),
            [_account_row(account) for account in tables],
            range(1, 7),
        ),
    )
    name = "spaces/training/measured.csv" if file is None else str(file)
    return Comparison(claimed, {"file": name, "tables": tables}, listings, _NOTES)


def _claims(measured: Sequence[Run]) -> tuple[Sequence[Run], tuple[Claim, ...]]:
    answers = computed(measured)
    return measured, tuple(_claim(run, answer) for run, answer in zip(measured, answers, strict=True))


def _claim(run: Run, answer: float) -> Claim:
    kind: Kind = "fitted" if run.role == "fitted" else "check"
    said = [run.note or (_FITTED if kind == "fitted" else "")]
    if run.table.startswith("mlperf"):
        said.append(_DERIVED)
    return Claim(
        "training",
        f"{run.id}: {run.quantity.replace('_', ' ')}",
        run.source,
        run.published,
        answer,
        run.unit,
        _BARS.get(run.table, _BAR),
        kind=kind,
        note="; ".join(part for part in said if part),
    )


def _account(
    table: str, measured: Sequence[Run], claims: Sequence[Claim], naive: Sequence[float | None]
) -> dict[str, object]:
    """Return the errors of a table, in fractions."""
    of = [place for place, run in enumerate(measured) if run.table == table]
    errors = [abs(claims[place].error or 0.0) for place in of]
    constant = [abs(value / measured[place].published - 1.0) for place in of if (value := naive[place]) is not None]
    return {
        "table": table,
        "figures": len(of),
        "fitted": sum(claims[place].kind == "fitted" for place in of),
        "mean_error": sum(errors) / len(errors),
        "worst_error": max(errors),
        "constant_mean_error": sum(constant) / len(constant) if constant else None,
        "constant_worst_error": max(constant) if constant else None,
    }


def _account_row(account: dict[str, object]) -> tuple[str, ...]:
    keys = ("mean_error", "worst_error", "constant_mean_error", "constant_worst_error")
    counts = (str(account["table"]), str(account["figures"]), str(account["fitted"]))
    return counts + tuple("–" if account[key] is None else f"{100.0 * float(str(account[key])):.1f} %" for key in keys)


def _row(claim: Claim) -> tuple[str, ...]:
    error = "" if claim.error is None else f"{100.0 * claim.error:+.1f} %"
    return (
        claim.claim,
        with_unit(claim.published, claim.unit),
        with_unit(claim.computed, claim.unit),
        error,
        claim.status,
    )
