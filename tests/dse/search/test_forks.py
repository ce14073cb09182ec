"""Processes forked from the one that planned: the same bytes, and no process is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from engine_problems import random_case

from dse.errors import ClusterError
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, search
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Worker
from dse.search.schedule import forks, pieces
from dse.search.schedule.forks import ForkedProcesses, forks_safely

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
FOLDER = Path(__file__).parent


def test_those_that_fork_pass_in_a_process_of_their_own():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "forks",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        str(FOLDER),
    ]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")} | {
        "DSE_TESTS_FORK": "1"
    }
    done = subprocess.run(command, env=alone, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1]


@pytest.fixture
def small(monkeypatch):
    """Several chunks of small problems, always forked."""
    monkeypatch.setattr(pieces, "forks_safely", lambda: True)
    monkeypatch.setattr(forks, "_ALONE", 0.0)
    monkeypatch.setitem(ExhaustiveProduct.__init__.__kwdefaults__, "chunk", 20)


@pytest.mark.forks
@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_what_forks_find_is_the_frontier_by_definition(method, small):
    used = 0
    for seed in range(4):
        case = random_case(np.random.default_rng(seed), largest=300)
        alone = search(case.problem(), SearchOptions(method, block=5))
        result = search(case.problem(), SearchOptions(method, block=5, jobs=2), factory=case)
        case.answer().assert_equals(result.numbers, result.values)
        assert result.certificate == alone.certificate
        used += result.counters["jobs"] == 2
    assert used > 1


def planned(seed=3):
    """A worker that has planned a problem, and its chunks."""
    case = random_case(np.random.default_rng(seed), largest=300)
    worker = Worker(case.problem(), Strategy("exhaustive", "asked for", 5))
    return worker, worker.chunks()


@pytest.mark.forks
def test_a_search_that_is_given_up_leaves_no_process_behind(small):
    worker, chunks = planned()
    assert len(chunks) > 4
    before = multiprocessing.active_children()
    with closing(ForkedProcesses(worker, 2).map(worker.strategy, worker.seeds, chunks, lambda *_: None)) as results:
        next(results)
        own = [child for child in multiprocessing.active_children() if child not in before]
        assert len(own) == 2
    for child in own:
        child.join(60)
        assert child.exitcode is not None
    assert not forks._PLANNED


@pytest.mark.forks
def test_a_process_that_is_killed_ends_the_search_and_what_is_finished_is_kept(small, monkeypatch):
    worker, chunks = planned()
    parent, run, kept = os.getpid(), worker.run, []

    def killed(chunk):
        if chunk == chunks[3]:
            assert os.getpid() != parent
            os.kill(os.getpid(), signal.SIGKILL)
        return run(chunk)

    monkeypatch.setattr(worker, "run", killed)
    results = ForkedProcesses(worker, 1).map(worker.strategy, worker.seeds, chunks, lambda chunk, _: kept.append(chunk))
    with pytest.raises(ClusterError, match="ended from outside"):
        list(results)
    assert set(kept) <= set(chunks[:3])


@pytest.mark.forks
def test_a_fault_of_a_model_comes_back_as_it_is(small, monkeypatch):
    worker, chunks = planned()

    def broken(chunk):
        raise ValueError("a fault of the model")

    monkeypatch.setattr(worker, "run", broken)
    with pytest.raises(ValueError, match="a fault of the model"):
        list(ForkedProcesses(worker, 2).map(worker.strategy, worker.seeds, chunks, lambda *_: None))


def test_nothing_is_forked_beside_threads_of_others():
    ready, done = threading.Event(), threading.Event()

    def wait():
        ready.set()
        done.wait(60)

    other = threading.Thread(target=wait)
    other.start()
    assert ready.wait(60)
    try:
        assert not forks_safely()
    finally:
        done.set()
        other.join(60)


def test_no_process_is_begun_for_a_search_that_is_soon_over(small, monkeypatch):
    monkeypatch.setattr(forks, "_ALONE", float("inf"))
    case = random_case(np.random.default_rng(3), largest=300)
    for method, processes in (("bundles", 1), ("groups", 1), ("exhaustive", 2)):
        result = search(case.problem(), SearchOptions(method, block=5, jobs=2), factory=case)
        case.answer().assert_equals(result.numbers, result.values)
        assert result.counters["chunks"] > 1 or method != "exhaustive"
        assert result.counters["jobs"] == processes
