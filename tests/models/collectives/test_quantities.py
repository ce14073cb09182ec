"""Collective operations as quantities of a study: every component gives what `cost` and `best` give."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.models.collectives import ALGORITHMS, COLLECTIVES, INFINIBAND, best, cost
from dse.models.collectives.quantities import BEST, NAMES
from dse.search.driver import SearchOptions, search

MODEL = load_model("collectives")
FUNCTIONS = {function.name: function for function in MODEL.functions}
COMPONENTS = [(c, name) for c, found in COLLECTIVES.items() for name in (*BEST, *found)]
RANKS, SIZES = np.array([1.0, 7.0, 16.0, 63.0])[:, None], np.array([0.0, 8.0, 70000.0])


def test_declarations(check_declarations):
    check_declarations(MODEL)


def values(function, **given):
    known = {name: np.array([one.value]) for name, one in MODEL.assumptions.items()}
    known["collective_interfaces"] = np.array([1.0])
    return [(known | given)[name] for name in function.needs]


@pytest.mark.parametrize(("collective", "name"), COMPONENTS)
def test_components_give_what_the_functions_give(collective, name):
    """In the shape of their arguments, without changing them."""
    function = FUNCTIONS[f"{collective}_by_{name}"]
    ranks = RANKS
    if name in COLLECTIVES[collective]:
        ranks = RANKS[COLLECTIVES[collective][name].is_defined(RANKS.astype(int)).ravel()]
    given = {"collective_processes": ranks, "collective_message_size": SIZES}
    for one in given.values():
        one.setflags(write=False)
    found = function.function(*values(function, **given))
    sizes = SIZES * 0 if collective == "barrier" else SIZES
    if name in BEST:
        expected = best(collective, ranks, sizes, metric=BEST[name], static_scope="single")
    else:
        expected = cost(name, collective, ranks, sizes)
    assert list(function.gives) == list(NAMES[collective][1:6])
    parts = ("time", "messages", "bytes")
    for part, result in zip(parts, found, strict=False):
        np.testing.assert_array_equal(result, getattr(expected, part))
        assert result.shape == (len(ranks), 3)
    np.testing.assert_array_equal(found[3] * 32, expected.memory)
    np.testing.assert_array_equal([[ALGORITHMS[int(n)] for n in row] for row in found[4]], expected.algorithm)


def test_a_number_of_pieces_is_taken_as_given_and_zero_is_the_fastest():
    function = FUNCTIONS["bcast_by_chain"]
    given = {"collective_processes": np.array([9.0]), "collective_message_size": np.array([1e6])}
    found = function.function(*values(function, **given, collective_pieces=np.array([0.0, 1.0, 5.0])))[0]
    expected = [cost("chain", "bcast", 9, 1e6, pieces=n).time for n in (None, 1, 5)]
    np.testing.assert_array_equal(found, expected)


def test_totals_have_ranges_that_contain_them(check_ranges):
    for function in MODEL.functions:
        if not function.points_only:
            plain = function.function
            by_name = lambda needs=function.needs, plain=plain, **given: plain(*(given[name] for name in needs))  # noqa: E731
            check_ranges(replace(function, function=by_name), limits={}, tables={})


def _study(**keys):
    document = {"name": "collectives-test", "models": ["collectives"], **keys}
    return Study.from_text(json.dumps(document), folder=".")


SPACE = {
    "alternatives": {
        "trees": {
            "use": {"collective_algorithm_allreduce": "kary_twice"},
            "axes": {"collective_arity": {"values": [2, 3, 4, 5, 8, 16]}},
        },
        "butterfly": {"use": {"collective_algorithm_allreduce": "butterfly"}, "axes": {}},
        "best": {"use": {"collective_algorithm_allreduce": "best"}, "axes": {}},
    },
    "axes": {
        "collective_processes": {"values": [16, 100, 1024]},
        "collective_message_size": {"values": ["8 B", "4 kB"]},
        "loggp_byte_energy": {"values": ["8.1e-12 J/B", "8.1e-9 J/B"]},
        "loggp_static_power": {"values": ["0.5 W", "1 W"]},
    },
}
OBJECTIVES = [{"minimize": f"allreduce_{name}"} for name in ("time", "energy", "memory")]


def test_every_method_finds_the_same():
    problem = _study(objectives=OBJECTIVES, space=SPACE, constraints=["collective_processes >= 100"]).problem()
    whole = search(problem, SearchOptions(method="exhaustive"))
    assert len(whole.numbers) > 1
    for method in ("bundles", "groups"):
        found = search(problem, SearchOptions(method=method))
        assert {tuple(row) for row in found.values} == {tuple(row) for row in whole.values}


def test_all_operations_in_one_study():
    """Each with its slot; the winner of `best` is a number of the list."""
    also = [name for names in NAMES.values() for name in (names.choice, names.memory, names.energy)]
    axes = {"collective_processes": {"values": [1024]}, "collective_message_size": {"values": ["8 B", "1e6 B"]}}
    objectives = [{"minimize": "bcast_time"}, {"maximize": "collective_message_size"}]
    problem = _study(objectives=objectives, also=also, space={"axes": axes}).problem()
    found = problem.quantities(np.arange(problem.space.size))[0]["values"]
    for collective in COLLECTIVES:
        for row, size in enumerate((8, 1e6)):
            expected = best(collective, 1024, 0 if collective == "barrier" else size)
            assert ALGORITHMS[int(found[f"{collective}_choice"][row])] == expected.algorithm
            assert found[f"{collective}_energy"][row] == pytest.approx(float(expected.energy), rel=1e-12)


def test_an_algorithm_outside_its_domain_is_refused():
    function = FUNCTIONS["allreduce_by_rabenseifner"]
    given = {"collective_processes": np.array([12.0]), "collective_message_size": np.array([8.0])}
    with pytest.raises(InputError, match="processes: 12; allowed: for rabenseifner, powers of two"):
        function.function(*values(function, **given))
    assert float(INFINIBAND.static_power) == MODEL.assumptions["loggp_static_power"].value


def test_defaults_are_those_of_the_python_functions():
    for name in ("latency", "overhead", "receiver_overhead", "gap", "byte_time", "reduction_time", "message_energy"):
        assert MODEL.assumptions[f"loggp_{name}"].value == float(getattr(INFINIBAND, name))
    for name in ("byte_energy", "static_power", "descriptor_size"):
        assert MODEL.assumptions[f"loggp_{name}"].value == float(getattr(INFINIBAND, name))
