"""What tests of searches share."""

import os

import pytest
from joblib.externals.loky import get_reusable_executor

ALONE = "DSE_TESTS_FORK"  # set in the process that `test_forks.py` begins


def pytest_collection_modifyitems(config, items):
    """Leave tests that fork to a process of their own.

    A fork beside threads of others may hang, and holds what they have open: the pipe, say, by whose end a browser
    knows that it is to end. So one failed test, whose processes its traceback kept, once kept a whole run from ending.
    """
    left = [item for item in items if item.get_closest_marker("forks") and ALONE not in os.environ]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


@pytest.fixture
def own_workers(monkeypatch):
    """Worker processes of this test alone, in which it changes settings; none is forked, whatever threads there are."""
    monkeypatch.setattr("dse.search.schedule.pieces.forks_safely", lambda: False)
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)
