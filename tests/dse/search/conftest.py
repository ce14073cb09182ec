"""What tests of searches share."""

import pytest
from joblib.externals.loky import get_reusable_executor


@pytest.fixture
def own_workers(monkeypatch):
    """Worker processes of this test alone, in which it changes settings; none is forked, whatever threads there are."""
    monkeypatch.setattr("dse.search.schedule.pieces.forks_safely", lambda: False)
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)
