"""`dse find`: quantities, models, catalogues and studies by word."""

import json

from dse.study.file.finding import KINDS, Found, find


def names(kind, *words):
    return [item.name for item in find(words) if item.kind == kind]


def test_a_word_finds_what_has_it_in_its_name_its_description_or_its_unit():
    assert "switch_power" in names("assumption", "switch")
    assert "switch_power" in names("assumption", "power of one switch")
    assert "network_power" in names("quantity", "network power")
    assert "network.ports" in names("requirement", "ports")
    assert "torus" in names("component", "torus")
    assert "network/switches.csv" in names("catalogue", "switch_latency")
    assert "MI300A" in names("part", "mi300a")
    assert "ska-correlator" in names("study", "correlator")
    assert {item.unit for item in find(["J/B"]) if item.kind != "catalogue"} == {"J/B"}


def test_all_words_must_fit_and_what_is_called_so_stands_first():
    assert set(names("quantity", "network", "power")) <= set(names("quantity", "power"))
    assert find(["network_power"])[0].name == "network_power"
    assert all(item.kind in KINDS for item in find(["a"]))
    item = Found("quantity", "run_time", "toy", "s", "How long it takes", "")
    fits = [item.matches(word) for word in ("run time", "RUN", "s", "long", "W", "J", "energy")]
    assert fits == [3, 2, 1, 1, 0, 0, 0]


def test_the_command_lists_and_says_where_to_look(dse):
    result = dse("find", "network_power")
    assert result.code == 0
    document = json.loads(dse("find", "switch", "power", "--json").out)
    assert document["words"] == ["switch", "power"]
    assert {"kind", "name", "place", "unit", "doc", "see"} == set(document["found"][0])
    assert "more: --all" in dse("find", "power").out
    assert "more: --all" not in dse("find", "power", "--all").out


def test_nothing_found_is_the_answer_no_with_the_nearest_name(dse):
    result = dse("find", "netwrk_power")
    assert result.code == 1
    assert json.loads(dse("find", "netwrk_power", "--json").out)["nearest"] == "network_power"
    assert dse("find").code == 2


def test_what_people_read_leads_to_the_name(dse):
    """The page and the answer say "HPL rate"; a condition needs the name."""
    found = dse.good("find", "HPL rate", "--json").json
    assert "linpack_flop_rate" in {item["name"] for item in found["found"]}
