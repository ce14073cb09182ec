"""What every model function must keep to, as fixtures: shapes, no mutation, and range forms that contain the points."""

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.authoring.declare.declaration import TableParameter
from dse.authoring.table import Table

SHAPES = [(3, 1, 1), (1, 4, 1), (1, 1, 2)]


def draw(limits, shape, rng, name):
    """Values of one argument of the wanted shape, between its limits."""
    low, high = limits.get(name, (0.5, 2.0))
    values = rng.uniform(low, high, shape)
    return np.round(values) if name in ("nodes", "cores", "channels", "subbands", "taps") else values


@pytest.fixture
def check_contract():
    """Check one function on arrays of different shapes."""

    def check(function, *, limits, tables):
        rng = np.random.default_rng(7)
        for turn in range(3):
            arguments, shapes = {}, []
            for position, name in enumerate(function.needs):
                if name in tables:
                    arguments[name] = tables[name]
                    continue
                shape = SHAPES[(position + turn) % 3]
                arguments[name] = draw(limits, shape, rng, name)
                shapes.append(shape)
            before = {name: value.copy() for name, value in arguments.items() if not isinstance(value, Table)}
            with np.errstate(all="raise"):
                result = function(**arguments)
            results = result if isinstance(result, tuple) else (result,)
            assert len(results) == len(function.gives)
            for one in results:
                assert isinstance(one, np.ndarray), f"{function.label} gives {type(one).__name__}"
                assert one.shape == (np.broadcast_shapes(*shapes) if shapes else (1,)), function.label
                assert one.dtype == float
                assert np.isfinite(one).all()
                assert not any(np.shares_memory(one, values) for values in before.values())
                for name, values in arguments.items():
                    if not isinstance(values, Table):
                        assert not np.shares_memory(one, values), f"{function.label} hands back its argument {name}"
            for name, values in before.items():
                np.testing.assert_array_equal(arguments[name], values, err_msg=f"{function.label} changes {name}")

    return check


@pytest.fixture
def check_ranges():
    """Check that the range form of a function contains its values at points."""

    def check(function, *, limits, tables):
        rng = np.random.default_rng(11)
        one, other = (
            {name: draw(limits, 200, rng, name) for name in function.needs if name not in tables} for _ in range(2)
        )
        if not one:
            return
        bounds = {name: Range(np.minimum(one[name], other[name]), np.maximum(one[name], other[name])) for name in one}
        given = {name: tables[name] for name in function.needs if name in tables}
        bounded = function(**bounds, **given)
        for weight in (0.0, 0.25, 0.5, 1.0):
            points = {name: one[name] * (1 - weight) + other[name] * weight for name in one}
            points = {name: np.clip(values, bounds[name].low, bounds[name].high) for name, values in points.items()}
            result = function(**points, **given)
            assert np.all(bounded.low <= result), function.label
            assert np.all(result <= bounded.high), function.label

    return check


@pytest.fixture
def check_declarations():
    """Check that each argument of a model's functions is declared or given, and that all have a text."""

    def check(model):
        given = {name for function in model.functions for name in function.gives}
        declared = {**model.parameters, **model.assumptions, **model.tables}
        for function in model.functions:
            assert function.doc.endswith("."), function.label
            for name in function.needs:
                assert name in given or name in declared, f"{function.label} needs {name}"
            for part in (*function.sum_of, *function.max_of):
                assert part in given, f"{function.label} names {part}"
        for name, item in declared.items():
            assert item.doc, name
            assert isinstance(item, TableParameter) or item.unit, name
        assert not given & set(declared)

    return check
