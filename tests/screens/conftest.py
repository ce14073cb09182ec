"""`screens`, importable by that name, as `regenerate.py` imports it."""

import importlib.util
import sys
from pathlib import Path

if "screens" not in sys.modules:
    spec = importlib.util.spec_from_file_location("screens", Path(__file__).with_name("screens.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["screens"] = module
    spec.loader.exec_module(module)
