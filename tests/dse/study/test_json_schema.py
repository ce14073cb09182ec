"""JSON Schemas for editors: every key has words, and no unit that a study may write is refused."""

import inspect
import re

import pytest
from example_counts import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

import dse.models.workload.profile.schema as of_profiles
import dse.study.file.schema as of_studies
from dse import Study
from dse.authoring.declare.declaration import Assumption, Parameter
from dse.errors import InputError
from dse.models.workload.profile.json_schema import KEYS as PROFILE_KEYS
from dse.models.workload.profile.json_schema import profile_schema
from dse.study.edit.variant_schema import VariantSpec, variant_schema
from dse.study.file.json_schema import study_schema
from dse.study.file.key_descriptions import KEYS
from dse.study.file.unit_patterns import pattern_of
from dse.units import base_unit, parse_quantity, registry, unit_names

UNITS = ["1", "s", "Hz", "B", "B/s", "flop/s", "J", "W", "K", "V", "m^2", "J/B", "EUR", "kg/J", "1/s"]


def keys_of(module):
    """Return the keys of each model of a module, as documents write them."""
    models = [item for _, item in inspect.getmembers(module, inspect.isclass) if issubclass(item, BaseModel)]
    own = [model for model in models if model.__module__ == module.__name__ and not model.__name__.startswith("_")]
    return {model.__name__: {field.alias or name for name, field in model.model_fields.items()} for model in own}


@pytest.mark.parametrize(
    ("module", "words"), [(of_studies, KEYS), (of_profiles, PROFILE_KEYS)], ids=["study", "profile"]
)
def test_every_key_has_words_and_no_other(module, words):
    """Whoever adds a key says in `key_descriptions.py` what it is: an editor shows it."""
    assert {name: set(keys) for name, keys in words.items()} == keys_of(module)
    assert all(text.endswith(".") for keys in words.values() for text in keys.values())


def described(schema):
    """Yield the properties of a schema and of its definitions."""
    for name, part in {"": schema, **schema["definitions"]}.items():
        for key, own in part.get("properties", {}).items():
            yield name, key, own


@pytest.mark.parametrize(
    "schema", [study_schema(), variant_schema(), profile_schema()], ids=["study", "variant", "profile"]
)
def test_every_property_is_described_and_no_reference_leads_nowhere(schema):
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["additionalProperties"] is False
    assert [(name, key) for name, key, own in described(schema) if "description" not in own] == []
    text = str(schema)
    used = set(re.findall(r"#/definitions/(\w+)", text))
    assert used <= set(schema["definitions"])
    assert "'null'" not in text, "TOML has none"
    assert not re.search(r"'\$ref': '[^']*[ \[\]]", text), "a reference is the address of a part"


def test_what_models_declare_is_known_by_name_unit_and_words():
    clock = Parameter(unit="Hz", doc="Clock of the cores.", name="clock")
    price = Assumption(value=0.25, unit="EUR", source="s", doc="Price", name="price")
    kind = Parameter(unit="text", doc="Kind", name="kind")
    schema = study_schema([clock, price, kind])["definitions"]
    assert schema["Set"]["properties"] == {
        "clock": {"description": "Clock of the cores [Hz].", "allOf": [{"$ref": "#/definitions/Value_in_Hz"}]},
        "kind": {"type": "string", "description": "Kind"},
        "price": {
            "description": "Price [EUR]. Without it 0.25 EUR.",
            "allOf": [{"$ref": "#/definitions/Value_in_EUR"}],
        },
    }
    assert schema["Value_in_Hz"]["type"] == "string", "a plain number has no unit"
    assert "GHz" in schema["Value_in_Hz"]["description"]
    axes = schema["Axes"]["properties"]
    assert axes["clock"]["allOf"] == [{"$ref": "#/definitions/Axis_in_Hz"}]
    assert axes["kind"]["allOf"] == [{"$ref": "#/definitions/AxisSpec"}]


WORDS = [*sorted(unit_names()), "€", "$", "£", "%", "‰"]
PREFIXES = ["", *sorted(str(prefix) for prefix in registry()._prefixes if prefix)]
one_unit = st.builds("{}{}{}".format, st.sampled_from(PREFIXES), st.sampled_from(WORDS), st.sampled_from(["", "s"]))
power = st.sampled_from(["", "", "", "^2", "**2", "²", "^-1"])
units = st.lists(st.builds("{}{}".format, one_unit, power), min_size=1, max_size=2).flatmap(
    lambda own: st.sampled_from(["/", "*", " ", " / ", " per ", "·"]).map(lambda sign: sign.join(own))
)
number = st.sampled_from(["1", "2.6", "-3", "1e9", ".5", "1_000", "4.", "+2E-3", " 7"])
separator = st.sampled_from([" ", "", "  "])


@settings(max_examples=examples(600))
@example(figure="4e-13", between=" ", unit="1/B")
@example(figure="3", between="", unit="(s)")
@example(figure="5", between=" ", unit="k€")
@given(figure=number, between=separator, unit=units)
def test_a_pattern_accepts_whatever_a_study_may_write(figure, between, unit):
    """A number in any unit there is, where a value of the dimension of that unit is wanted."""
    try:
        wanted = base_unit(unit)
        parse_quantity(f"{figure}{between}{unit}", wanted)
    except InputError:
        return
    assert re.search(pattern_of(wanted), f"{figure}{between}{unit}")


@pytest.mark.parametrize("wanted", UNITS)
def test_a_pattern_accepts_every_unit_of_its_dimension(wanted):
    """Every word with every prefix, alone: none that the reader of studies takes is refused."""
    pattern = re.compile(pattern_of(wanted))
    read = 0
    for word in WORDS:
        try:
            parse_quantity(f"3 {word}", wanted)
        except InputError:
            continue
        read += 1
        assert [prefix for prefix in PREFIXES if not pattern.search(f"3 {prefix}{word}s")] == []
    assert read or wanted in ("B/s", "J/B", "kg/J", "m^2", "1/s", "flop/s")


REFUSED = [
    ("3 GHx", "Hz"),
    ("3 s", "Hz"),
    ("3", "Hz"),
    ("100 GB", "B/s"),
    ("100 Gbs", "B/s"),
    ("5 W", "1"),
    ("20 MWh", "W"),
    ("20 USD", "EUR"),
    ("fast", "s"),
    ("2.6 G", "Hz"),
]


@pytest.mark.parametrize(("text", "wanted"), REFUSED)
def test_a_pattern_refuses_what_is_written_wrong_most(text, wanted):
    assert not re.search(pattern_of(wanted), text)
    with pytest.raises(InputError):
        parse_quantity(text, wanted)


def test_a_variant_that_the_schema_describes_is_one():
    document = {
        "set": {"frequency": "2.4 GHz"},
        "where": ["node_power <= 300 W"],
        "also": ["memory_time"],
        "minimize": ["total_power"],
        "without": {"cores": [96]},
        "name": "small",
    }
    assert VariantSpec.model_validate(document)
    assert set(document) <= set(variant_schema()["properties"])
    assert Study.load("ska-correlator").with_(**document).name == "ska-correlator@small"
    parameters = set(inspect.signature(Study.with_).parameters) - {"self"}
    assert set(variant_schema()["properties"]) == parameters
    with pytest.raises(ValidationError):
        VariantSpec.model_validate({"sett": {}})
