"""What tests of searches share."""

import pytest
from joblib.externals.loky import get_reusable_executor


@pytest.fixture
def own_workers():
    """Worker processes of this test alone: it changes settings in them."""
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)
