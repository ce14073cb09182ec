"""What tests share: the profile of hypothesis, signals, and `engine_problems`, importable by that name."""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("dse", deadline=None, derandomize=True, database=None)
settings.load_profile("dse")

# Output is as wide here as into a file, whatever terminal the tests run in.
os.environ.pop("COLUMNS", None)

# A background shell has it ignored, and a process hands that down to its children, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if "engine_problems" not in sys.modules:
    spec = importlib.util.spec_from_file_location("engine_problems", Path(__file__).with_name("engine_problems.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["engine_problems"] = module
    spec.loader.exec_module(module)


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory):
    """A place for the key of this user and what was told him, which is not his own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield
