"""A search without a bound whose designs are evaluated by several processes: the same bytes for any number."""

from contextlib import contextmanager

import numpy as np
import pytest
from example_counts import ALL_EXAMPLES

from dse import Study
from dse.errors import InputError
from dse.search.driver import SearchOptions, search
from dse.search.evolve.evolve import evolve
from dse.search.schedule.pool import evaluating_processes
from dse.search.start.visited import look_at


def in_parts(problem, count):
    """Stand in for several processes: every part is evaluated alone."""

    def evaluate(numbers):
        parts = [look_at(problem, part) for part in np.array_split(numbers, min(count, len(numbers)))]
        return (
            np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            sum(part[2] for part in parts),
        )

    return evaluate


@pytest.mark.parametrize("name", ["hybrid-xeon-sp", "topology-break-even", "exascale"])
def test_whoever_evaluates_the_designs_the_same_is_found(name):
    problem, evaluations = Study.load(name).compiled, 1_500 if ALL_EXAMPLES else 500
    whole = evolve(problem, evaluations)
    for count in (2, 7):
        found = evolve(problem, evaluations, look_at=in_parts(problem, count))
        assert found.numbers.tobytes() == whole.numbers.tobytes()
        assert found.points.tobytes() == whole.points.tobytes()
        assert found.account == whole.account


def test_processes_are_begun_once_and_only_where_they_are_asked_for(monkeypatch):
    study, begun = Study.load("ska-correlator"), []

    @contextmanager
    def here(factory, count):
        begun.append(count)
        yield in_parts(factory.compiled, count)

    monkeypatch.setattr("dse.search.schedule.generations.evaluating_processes", here)
    results = [
        search(study.compiled, SearchOptions("evolve", jobs=jobs, evaluations=500), factory=study) for jobs in (1, 3, 0)
    ]
    assert begun == [3]  # 0: a design takes microseconds, for which no process is begun
    assert [result.counters["jobs"] for result in results] == [1, 3, 1]
    assert len({result.values.tobytes() for result in results}) == 1
    monkeypatch.setattr("dse.search.evolve.evolve._SLOW", 0.0)
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert search(study.compiled, SearchOptions("evolve", evaluations=500, jobs=0), factory=study).counters["jobs"] == 5


MODEL = """
from dse import parameter, quantity
nodes = parameter(unit="1", doc="Nodes", minimum=1)

@quantity(unit="s", source="invented")
def duration(nodes):
    "Time, negative for some."
    return LEAST + 60.0 / nodes

@quantity(unit="W", source="invented")
def draw(nodes):
    "Power."
    return nodes * 3.0
"""
STUDY = """
name = "sent"
models = ["mine.py"]
objectives = [{minimize = "duration"}, {minimize = "draw"}]
[space.axes]
nodes = {range = [1, 4000]}
"""


@pytest.mark.slow
def test_two_processes_give_the_same_and_tell_the_same_fault(tmp_path, own_workers):
    (tmp_path / "mine.py").write_text(MODEL.replace("LEAST", "0.0"))
    (tmp_path / "study.toml").write_text(STUDY)
    study = Study.load(tmp_path / "study.toml")
    one, two = (
        search(study.compiled, SearchOptions("evolve", jobs=jobs, evaluations=900), factory=study) for jobs in (1, 2)
    )
    assert one.values.tobytes() == two.values.tobytes()
    assert one.certificate == two.certificate
    assert two.counters["jobs"] == 2
    (tmp_path / "mine.py").write_text(MODEL.replace("LEAST", "-1.0"))
    study = Study.load(tmp_path / "study.toml")
    numbers = np.arange(0, 4000, 3)
    with evaluating_processes(study, 2) as evaluate:
        with pytest.raises(InputError) as there:
            evaluate(numbers)
        points, _, _ = evaluate(numbers[:10])
    with pytest.raises(InputError) as here:
        look_at(study.compiled, numbers)
    assert str(there.value) == str(here.value)
    assert points.tobytes() == look_at(study.compiled, numbers[:10])[0].tobytes()
