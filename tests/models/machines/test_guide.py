"""The figures in docs/guide/machines.md are those of `dse validate machines`."""

import re
from pathlib import Path

import pytest

from dse.authoring.library import load_model
from dse.models.machines.catalogue import catalogue
from dse.models.machines.claims.published import comparison
from dse.models.machines.comparison import answers, summaries

GUIDE = (Path(__file__).parents[3] / "docs/guide/machines.md").read_text(encoding="utf-8")


def shown(one):
    return [
        *(one.figure.title, one.group, str(one.machines), f"{100 * one.mean:.1f} %", f"{100 * one.naive_mean:.1f} %"),
        *(f"{100 * one.worst:.1f} %", f"{one.rank_correlation:.3f}"),
    ]


def test_the_table_of_errors():
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in GUIDE.splitlines() if line[:5] == "| HPC"]
    rows += [
        [cell.strip() for cell in line.strip("|").split("|")] for line in GUIDE.splitlines() if line[:5] == "| HPL"
    ]
    expected = [shown(one) for one in summaries(answers(catalogue()))]
    assert sorted(rows) == sorted(expected)


def test_the_table_of_constants():
    values = re.findall(r"\| ([01]\.\d+) \| \d machines? \|", GUIDE)
    fitted = [item for item in load_model("machines").assumptions.values() if "fitted" in item.source]
    assert sorted(float(value) for value in values) == sorted(item.value for item in fitted)


def test_the_second_test():
    found = {one["figure"]: one for one in comparison(Path("machines/recalled.csv")).details["summaries"]}
    (told,) = re.findall(r"fitted: HPL ([\d.]+) % \(naive ([\d.]+) %\), power ([\d.]+) % \(([\d.]+) %\)", GUIDE)
    expected = [found[name][kind] for name in ("linpack", "power") for kind in ("mean_error", "baseline_mean_error")]
    assert [float(one) for one in told] == pytest.approx([100 * one for one in expected], abs=0.05)
    (told,) = re.findall(r"HPCG ([\d.]+) % \(([\d.]+) %\), rank correlations (0\.\d+), (0\.\d+), (0\.\d+)", GUIDE)
    correlations = [found[name]["rank_correlation"] for name in ("linpack", "power", "hpcg")]
    expected = [100 * found["hpcg"]["mean_error"], 100 * found["hpcg"]["baseline_mean_error"], *correlations]
    assert [float(one) for one in told] == pytest.approx(expected, abs=0.05)
