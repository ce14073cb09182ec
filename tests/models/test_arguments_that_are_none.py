"""Siblings of row M5: what is no number, no text or no object of the library is refused by name by every function."""

import importlib
import inspect
import warnings

import pytest

from dse.errors import InputError

FAMILIES = ("resilience", "collectives", "slower", "data_machine")
OBJECTS = {"profile", "machine", "trace", "round_", "algorithm", "view", "found", "rounds"}
"""Arguments that other functions of the library give."""
VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def functions():
    for family in FAMILIES:
        module = importlib.import_module(f"dse.models.{family}")
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function) and not inspect.isclass(function) and not name.startswith("draw"):
                parameters = inspect.signature(function).parameters.values()
                needed = [one.name for one in parameters if one.default is one.empty and one.kind not in VARIABLE]
                if needed and not OBJECTS & set(needed) and name != "flows_of_round":
                    yield pytest.param(function, needed, id=f"{family}.{name}")


@pytest.mark.parametrize(("function", "needed"), list(functions()))
def test_M5_what_is_no_number_ends_in_no_bare_error(function, needed):
    for place in range(len(needed)):
        for value in ("60 s", None, [[1], [1, 2]]):
            arguments = [value if at == place else 1.0 for at in range(len(needed))]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(InputError):
                    function(**dict(zip(needed, arguments, strict=True)))
