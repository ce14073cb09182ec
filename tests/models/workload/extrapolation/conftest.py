"""`synthetic_runs`, importable by that name."""

import importlib.util
import sys
from pathlib import Path

if "synthetic_runs" not in sys.modules:
    spec = importlib.util.spec_from_file_location("synthetic_runs", Path(__file__).with_name("synthetic_runs.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["synthetic_runs"] = module
    spec.loader.exec_module(module)
