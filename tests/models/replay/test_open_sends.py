"""Which wait completes which send, beside a queue that is gone through call by call."""

from collections import deque

import numpy as np
import pytest
from example_counts import examples

from dse.models.replay.formats.paraver.open_sends import completed_by_number, completed_by_rule
from dse.models.replay.trace import requests
from dse.models.replay.trace.requests import requests_of

from .runs import as_trace, random_run


def by_queue(calls):
    """Each wait takes the oldest open send, a waitall all; -1 of those that stay open."""
    completed, waiting = {}, deque()
    for call, kind in enumerate(calls):
        if kind == "send":
            waiting.append(call)
        elif kind == "wait" and waiting:
            completed[waiting.popleft()] = call
        elif kind == "waitall":
            completed |= dict.fromkeys(waiting, call)
            waiting.clear()
    return [completed.get(call, -1) for call, kind in enumerate(calls) if kind == "send"]


@pytest.mark.parametrize("seed", range(examples(600)))
def test_the_rule_is_a_queue(seed):
    rng = np.random.default_rng(seed)
    kinds = ["send", "wait", "waitall", "other"]
    calls = rng.choice(kinds, size=int(rng.integers(0, 60)), p=rng.dirichlet([2, 2, 0.5, 1])).tolist()
    sends, waits, waits_for_all = (
        np.array([call for call, kind in enumerate(calls) if kind == wanted], dtype=np.int64) for wanted in kinds[:3]
    )
    assert completed_by_rule(sends, waits, waits_for_all).tolist() == by_queue(calls)


@pytest.mark.parametrize("seed", range(examples(300)))
def test_a_named_request_is_completed_by_the_next_wait_that_names_it(seed):
    """Numbers come again after their wait; a wait may name several, and those of receives."""
    rng = np.random.default_rng(seed)
    start, time, number, waits, expected, sends = [], [], [], [], [], []
    waiting = {}
    for call in range(int(rng.integers(0, 60))):
        start.append(3 * call + 1)
        if rng.random() < 0.5 and len(waiting) < 7:
            named = int(rng.choice([value for value in range(1, 9) if value not in waiting]))
            waiting[named] = len(sends)
            sends.append(call)
            expected.append(-1)
            time.append(start[-1])
            number.append(named)
        else:
            waits.append(call)
            for named in rng.permutation([*waiting, 77])[: int(rng.integers(0, 4))].tolist():
                time.append(start[-1])
                number.append(named)
                if named in waiting:
                    expected[waiting.pop(named)] = call
    arrays = [np.array(values, dtype=np.int64) for values in (sends, start, waits, time, number)]
    assert completed_by_number(*arrays).tolist() == expected


@pytest.mark.parametrize("seed", range(examples(30)))
def test_requests_are_the_same_in_parts_of_any_size(seed, monkeypatch):
    trace = as_trace(random_run(seed))
    whole = requests_of(trace)
    monkeypatch.setattr(requests, "_AT_ONCE", 3)
    parts = requests_of(trace)
    assert np.array_equal(parts.made, whole.made)
    assert np.array_equal(parts.closed, whole.closed)
