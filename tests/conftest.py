"""What tests share: the profile of hypothesis, signals, `engine_problems` and `odd_problems`, importable by name."""

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

for made_up in ("engine_problems", "odd_problems"):
    if made_up not in sys.modules:
        spec = importlib.util.spec_from_file_location(made_up, Path(__file__).with_name(f"{made_up}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[made_up] = module
        spec.loader.exec_module(module)


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory):
    """A place for the key of this user and what was told him, which is not his own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield
