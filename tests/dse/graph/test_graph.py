"""Resolution by name: what is missing, twice there, circular or of the wrong unit is an error that names it."""

import shutil
import subprocess
import weakref

import numpy as np
import pytest
from engine_problems import SOURCE, function, model

from dse import Study
from dse.authoring.declare.declaration import Assumption, ModelFunction, Parameter
from dse.authoring.library.library import Model
from dse.errors import InputError, ModelError
from dse.graph.graph import Input
from dse.graph.resolve import resolve


def given(*names, unit="1", kind="axis"):
    return {name: Input(name, unit, kind, "study") for name in names}


def refused(*args, error=InputError, **kwargs):
    with pytest.raises(error) as caught:
        resolve(*args, **kwargs)
    return str(caught.value)


def simple(name, needs, **rest):
    return function(name, needs, lambda *values: sum(values), **rest)


def component(name, provider, needs="a", slot="network", gives="hops", **rest):
    return simple(name, needs, gives=gives, slot=slot, provider=provider, **rest)


def test_functions_come_after_what_they_need_and_only_what_is_wanted_is_taken():
    functions = [simple("x", "y z"), simple("z", "y a"), simple("y", "b"), simple("unused", "nowhere")]
    graph = resolve(["x"], models=[model(functions)], supplied=given("a", "b", "spare"))
    assert [one.name for one in graph.functions] == ["y", "z", "x"]
    assert list(graph.inputs) == ["b", "a"]
    values = graph.evaluate({"a": np.array([2.0]), "b": np.array([3.0])})
    assert {name: float(value[0]) for name, value in values.items()} == {"a": 2, "b": 3, "y": 3, "z": 5, "x": 8}
    assert graph.below(["z"]) == {"z", "y", "a", "b"}
    assert graph.units == {"a": "1", "b": "1", "x": "1", "y": "1", "z": "1"}


def test_quantities_that_are_not_wanted_are_let_go_after_their_last_use():
    made, gone = {}, {}

    def noted(name):
        def compute(*values):
            gone[name] = sorted(other for other, held in made.items() if held() is None)
            result = sum(values) + 1.0
            made[name] = weakref.ref(result)
            return result

        return compute

    chain = {"p": "a", "q": "p", "r": "q p", "s": "r", "x": "s a"}
    functions = [function(name, needs, noted(name)) for name, needs in chain.items()]
    graph = resolve(["x"], models=[model(functions)], supplied=given("a"))
    values = graph.evaluate({"a": np.zeros(5)}, ["x", "q", "a"])
    assert list(values) == ["x", "q", "a"]
    assert gone == {"p": [], "q": [], "r": [], "s": ["p"], "x": ["p", "r"]}
    whole = graph.evaluate({"a": np.zeros(5)})
    assert set(whole) == {"a", *chain}
    assert all(np.array_equal(value, whole[name]) for name, value in values.items())


def test_a_target_may_be_an_input():
    graph = resolve(["a"], models=[model([simple("x", "a")])], supplied=given("a"))
    assert (graph.functions, list(graph.inputs)) == ((), ["a"])


def test_assumptions_fill_in_and_the_study_replaces_them():
    power = Assumption(100.0, "W", "book", "Power of a switch", name="power", module="network")
    system = model([simple("x", "power")], {"power": power})
    assert resolve(["x"], models=[system], supplied={}).inputs["power"] == Input(
        "power", "W", "assumption", "book", "Power of a switch"
    )
    supplied = given("power", unit="W", kind="set")
    assert resolve(["x"], models=[system], supplied=supplied).inputs["power"].kind == "set"


def test_a_function_of_several_quantities_is_called_once():
    calls = []

    def both(a):
        calls.append(1)
        return a, a + 1

    functions = [function("both", "a", both, gives="p q"), simple("x", "p q")]
    graph = resolve(["x", "q"], models=[model(functions)], supplied=given("a"))
    assert graph.evaluate({"a": np.array([1.0])})["x"].tolist() == [3.0]
    assert len(calls) == 1


def test_one_function_in_two_models_is_one_provider():
    shared = simple("x", "a")
    graph = resolve(["x"], models=[model([shared], name="one"), model([shared], name="two")], supplied=given("a"))
    assert len(graph.functions) == 1


REMEDIES = "; allowed: one; give the other another name, or put both into a slot (slot = …, provider = …)"


# --- errors -------------------------------------------------------------------------------------------------------


def test_a_missing_quantity_names_who_needs_it_and_the_nearest_name():
    functions = [simple("x", "frequensy"), simple("y", "a")]
    assert refused(["x"], models=[model(functions)], supplied=given("a", "frequency")) == (
        "missing quantity 'frequensy', needed by 'x' (x): no model gives it; did you mean 'frequency'?"
    )
    assert refused(["yy"], models=[model(functions)], supplied=given("a")) == (
        "unknown quantity 'yy'; allowed: a, x, y; did you mean 'y'?"
    )


def test_a_declared_parameter_that_is_missing_says_how_to_give_it():
    clock = Parameter("Hz", "Clock", name="clock", module="cpu")
    system = Model("test", "", (simple("x", "clock"),), {"clock": clock}, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("a")) == (
        "missing quantity 'clock', needed by 'x' (x): give it as an axis, a part column, a table or under [set] "
        "(Clock [Hz])"
    )


def test_all_declared_parameters_that_are_missing_are_told_at_once():
    declared = {
        name: Parameter(unit, name, name=name, module="cpu") for name, unit in (("clock", "Hz"), ("width", "1"))
    }
    system = Model("test", "", (simple("x", "clock y"), simple("y", "width a")), declared, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("a", "widht")) == (
        "missing quantity 'clock', needed by 'x' (x): give it as an axis, a part column, a table or under [set] "
        "(clock [Hz]); also missing: width [1]"
    )
    system = Model("test", "", (simple("x", "clock y"), simple("y", "width odd")), declared, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("a")).endswith("(clock [Hz]); also missing: width [1], odd")
    system = Model("test", "", (simple("x", "clock y"), simple("y", "width a")), declared, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("a", "clok")).endswith("did you mean 'clok'?")
    assert refused(["x"], models=[system], supplied=given("a", "clock")).startswith(
        "missing quantity 'width', needed by"
    )


def test_two_functions_that_give_one_quantity_are_refused():
    functions = [simple("x", "a"), simple("other", "a", gives="x")]
    assert refused(["x"], models=[model(functions)], supplied=given("a")) == (
        f"two providers of 'x': x, other{REMEDIES}"
    )


@pytest.mark.parametrize("targets", [["p", "q"], ["q", "p"], ["sum"]])
def test_two_providers_are_found_in_any_order_where_one_gives_several_quantities(targets):
    functions = [simple("both", "a", gives="p q"), simple("q", "a"), simple("sum", "p q")]
    assert refused(targets, models=[model(functions)], supplied=given("a")) == (
        f"two providers of 'q': both, q{REMEDIES}"
    )
    functions.pop(1)
    assert refused(targets, models=[model(functions)], supplied=given("a", "q")) == (
        "two providers of 'q': the study gives it (axis: study) and both computes it; "
        "allowed: one of the two: the study may leave it out"
    )


def test_a_quantity_the_study_gives_and_a_function_computes_is_refused():
    assert refused(["x"], models=[model([simple("x", "a")])], supplied=given("a") | given("x", kind="set")) == (
        "two providers of 'x': the study gives it (set: study) and x computes it; "
        "allowed: one of the two: the study may leave it out"
    )


def test_what_the_caller_supplies_takes_the_place_of_the_functions_that_would_give_it():
    functions = [simple("x", "y a"), simple("y", "b"), simple("z", "x")]
    graph = resolve(["z"], models=[model(functions)], supplied=given("a", "y"), given=["y"])
    assert [function.name for function in graph.functions] == ["x", "z"]
    assert set(graph.inputs) == {"a", "y"}


def test_a_function_that_gives_something_else_too_is_left_out_as_a_whole():
    functions = [simple("both", "a", gives="p q"), simple("sum", "p q")]
    with pytest.raises(InputError, match="'q'"):
        resolve(["sum"], models=[model(functions)], supplied=given("a", "p"), given=["p"])
    assert set(resolve(["sum"], models=[model(functions)], supplied=given("p", "q"), given="pq").inputs) == {"p", "q"}


def test_a_cycle_is_shown_as_the_path_that_closes_it():
    functions = [simple("x", "y"), simple("y", "a z"), simple("z", "w"), simple("w", "y")]
    assert refused(["x"], models=[model(functions)], supplied=given("a")) == (
        "the quantities need each other in a cycle: y → z → w → y (each needs the next)"
    )
    assert refused(["x"], models=[model([simple("x", "x")])], supplied={}) == (
        "the quantities need each other in a cycle: x → x (each needs the next)"
    )


def test_a_cycle_through_a_function_of_several_quantities_is_found():
    functions = [simple("both", "x", gives="p q"), simple("x", "q")]
    assert refused(["p"], models=[model(functions)], supplied={}) == (
        "the quantities need each other in a cycle: x → q → x (each needs the next)"
    )


def test_units_that_do_not_fit_a_declaration_are_refused():
    clock = Parameter("Hz", "Clock", name="clock", module="cpu")
    system = Model("test", "", (simple("x", "clock"),), {"clock": clock}, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("clock", unit="W")) == (
        "unit mismatch for 'clock': study gives it in 'W', cpu needs it in 'Hz'"
    )
    system = Model("test", "", (simple("x", "clock"), simple("clock", "a")), {"clock": clock}, {}, {}, ())
    assert refused(["x"], models=[system], supplied=given("a")) == (
        "unit mismatch for 'clock': clock gives it in '1', cpu needs it in 'Hz'"
    )


def test_two_models_that_declare_one_name_in_different_units_are_refused():
    power = Assumption(3.0, "W", "book", "d", name="power", module="one")
    other = Parameter("J", "d", name="power", module="two")
    models = [
        model([simple("x", "power")], {"power": power}),
        Model("two", "", (simple("y", "a"),), {"power": other}, {}, {}, ()),
    ]
    assert refused(["x"], models=models, supplied={}) == (
        "unit mismatch for 'power': book gives it in 'W', two needs it in 'J'"
    )


def test_a_function_whose_unit_is_not_coherent_si_is_the_fault_of_the_model():
    system = model([ModelFunction("x", lambda a: a, ("a",), {"x": "GHz"}, SOURCE, module="cpu")])
    assert refused(["x"], models=[system], supplied=given("a"), error=ModelError) == (
        "cpu.x gives 'x': unit 'GHz' is not coherent SI (it is 1e+09 base units)"
    )


def test_a_declaration_whose_unit_is_not_coherent_si_is_the_fault_of_the_model():
    """A default of 1 kW would count as 1 W."""
    power = Assumption(1.0, "kW", "book", "d", name="power", module="net")
    assert refused(["x"], models=[model([simple("x", "power")], {"power": power})], supplied={}, error=ModelError) == (
        "net declares 'power': unit 'kW' is not coherent SI (it is 1000 base units)"
    )


# --- slots --------------------------------------------------------------------------------------------------------

NETWORK = [
    component("torus", "torus", "a", default=True),
    component("tree", "tree", "b", gives="hops levels"),
    simple("x", "hops"),
]


def test_a_slot_is_filled_by_the_default_or_by_choice():
    graph = resolve(["x"], models=[model(NETWORK)], supplied=given("a", "b"))
    assert (graph.slots, graph.functions[0].name) == ({"network": ("torus", False)}, "torus")
    graph = resolve(["x"], models=[model(NETWORK)], supplied=given("a", "b"), use={"network": "tree"})
    assert (graph.slots, graph.functions[0].name) == ({"network": ("tree", True)}, "tree")
    graph = resolve(["x"], models=[model(NETWORK)], supplied=given("a", "b"), use={"network": "torus"})
    assert graph.slots == {"network": ("torus", True)}


def test_a_slot_nobody_needs_needs_no_component():
    functions = [component("torus", "torus"), component("tree", "tree"), simple("x", "a")]
    assert resolve(["x"], models=[model(functions)], supplied=given("a")).slots == {}


def test_a_slot_of_one_component_needs_no_choice():
    graph = resolve(["hops"], models=[model([component("torus", "torus")])], supplied=given("a"))
    assert graph.slots == {"network": ("torus", False)}


def test_a_slot_without_a_default_needs_a_choice():
    functions = [component("torus", "torus"), component("tree", "tree"), simple("x", "hops")]
    assert refused(["x"], models=[model(functions)], supplied=given("a")) == (
        "use.network: the slot 'network' needs a component; allowed: torus, tree"
    )


def test_unknown_slots_and_components_are_refused():
    assert refused(["x"], models=[model(NETWORK)], supplied=given("a"), use={"netwrk": "torus"}) == (
        "use: unknown slot 'netwrk'; allowed: network; did you mean 'network'?"
    )
    assert refused(["x"], models=[model(NETWORK)], supplied=given("a"), use={"network": "tre"}) == (
        "use.network: no component 'tre' for the slot 'network'; allowed: torus, tree; did you mean 'tree'?"
    )
    assert refused(["y"], models=[model([simple("y", "a")])], supplied=given("a"), use={"s": "t"}) == (
        "use: unknown slot 's'; allowed: none"
    )


def test_a_quantity_of_another_component_is_missing():
    functions = [*NETWORK, simple("y", "levels")]
    assert refused(["y"], models=[model(functions)], supplied=given("a", "b")) == (
        "use.network: the component 'torus' of the slot 'network' does not give 'levels', needed by 'y'; allowed: tree"
    )
    assert resolve(["y"], models=[model(functions)], supplied=given("b"), use={"network": "tree"}).slots == {
        "network": ("tree", True)
    }


# --- listing and drawing ------------------------------------------------------------------------------------------


def test_the_listing_has_one_record_per_quantity_inputs_first():
    both = ModelFunction("both", None, ("a",), {"p": "s", "q": "W"}, "Eq. 1", doc="First line.\nMore.", module="net")
    graph = resolve(["q"], models=[model([both])], supplied=given("a", unit="B"))
    assert graph.listing() == [
        {"name": "a", "unit": "B", "from": "axis", "needs": [], "source": "study", "doc": ""},
        {"name": "p", "unit": "s", "from": "net.both", "needs": ["a"], "source": "Eq. 1", "doc": "First line."},
        {"name": "q", "unit": "W", "from": "net.both", "needs": ["a"], "source": "Eq. 1", "doc": "First line."},
    ]


def test_the_drawing_has_every_quantity_and_every_need():
    graph = resolve(["x"], models=[model([simple("x", "y a"), simple("y", "a")])], supplied=given("a", unit="B"))
    lines = graph.draw().splitlines()
    assert (lines[0], lines[-1]) == ("digraph system {", "}")
    assert '  "a" [label="a [B]", style=rounded, color=gray];' in lines
    assert '  "x" [label="x [1]", penwidth=2];' in lines
    assert [line.strip() for line in lines if "->" in line] == ['"a" -> "y";', '"y" -> "x";', '"a" -> "x";']


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_the_drawing():
    graph = resolve(["x"], models=[model([simple("x", "a")])], supplied=given("a"))
    subprocess.run(["dot", "-Tsvg"], input=graph.draw(), text=True, check=True, capture_output=True, timeout=120)


def test_a_quantity_of_another_component_names_those_that_give_it():
    with pytest.raises(InputError) as caught:
        Study(
            {
                "name": "printed",
                "models": ["network"],
                "objectives": [{"minimize": "shift_links"}],
                "use": {"topology": "torus-as-printed"},
                "set": {"nodes_per_switch": 1, "shift_step": 3},
                "space": {"axes": {"dimension_1": {"values": [4, 8]}}},
            }
        ).run()
    told = str(caught.value)
    assert "the component 'torus-as-printed' of the slot 'topology' does not give 'shift_links'" in told
    assert "allowed: dragonfly, fat-tree-2-level" in told
