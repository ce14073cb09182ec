"""The table of a frontier: the same, however many designs are evaluated together."""

import numpy as np
import pytest

from dse.api import Study
from dse.errors import ModelError
from dse.run.result import tables
from dse.run.result.tables import frontier_table


def all_designs(name):
    """Return every design of a study in a random order, with its objectives."""
    study = Study.load(name)
    problem = study.compiled
    numbers = np.random.default_rng(0).permutation(problem.space.size)
    values = np.empty((len(numbers), len(problem.objectives)))
    for record in problem.quantities(numbers):
        for column, objective in enumerate(problem.objectives):
            values[record["positions"], column] = record["values"][objective.quantity].reshape(-1)
    return study, numbers, values


@pytest.mark.parametrize("name", ["ska-correlator", "hybrid-xeon-sp", "graph500-262144-radix-64"])
def test_the_table_does_not_depend_on_how_many_designs_are_evaluated_together(name, tmp_path, monkeypatch):
    study, numbers, values = all_designs(name)
    also = study.spec.also
    written = []
    for together in (tables._PIECE, 50, 7):
        monkeypatch.setattr(tables, "_PIECE", together)
        frame = frontier_table(study.compiled, also, numbers, values)
        frame.to_parquet(tmp_path / "frontier.parquet", index=False)
        written.append((tmp_path / "frontier.parquet").read_bytes())
    assert written[0] == written[1] == written[2]


def test_a_value_that_is_not_that_of_the_search_is_refused_wherever_it_stands(monkeypatch):
    study, numbers, values = all_designs("hybrid-xeon-sp")
    monkeypatch.setattr(tables, "_PIECE", 50)
    for row in (0, 49, 50, len(numbers) - 1):
        wrong = values.copy()
        wrong[row, 0] *= 1.001
        with pytest.raises(ModelError, match=f"design {numbers[row]} "):
            frontier_table(study.compiled, study.spec.also, numbers, wrong)
