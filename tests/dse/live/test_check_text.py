"""The faults of a study's text stand at their lines, and no model file runs that is only typed."""

import json
from importlib.resources import files

import pytest

from dse import Study
from dse.live.check_text import checked_text, line_of

TEXT = (files("dse.studies") / "ska-correlator.toml").read_text()


def lines_with(text, words):
    return [number for number, line in enumerate(text.split("\n"), 1) if words in line]


def test_a_sound_text_has_no_fault_and_a_size():
    checked = checked_text(TEXT, ".", "ska-correlator")
    assert checked == {"faults": [], "designs": Study.load("ska-correlator").space.size, "name": "ska-correlator"}


@pytest.mark.parametrize(
    ("before", "after", "words", "said"),
    [
        ("question =", "question ", "question ", "not valid TOML"),
        ('minimize = "node_power"', 'minimise = "node_power"', "minimise", "did you mean 'minimize'"),
        ('minimize = "total_power"', 'minimize = "total_powr"', "total_powr", "did you mean 'total_power'"),
        ("run_time <= 0.52 s", "run_time <= 0.52 W", "0.52 W", "constraints[0]"),
        ("set = { channels = 4 }", "set = { channls = 4 }", "channls", "did you mean 'channels'"),
        ('models = ["ska.correlator"]', 'models = ["ska.corelator"]', "corelator", "did you mean"),
    ],
)
def test_a_fault_stands_at_its_line(before, after, words, said):
    text = TEXT.replace(before, after, 1)
    (fault,) = checked_text(text, ".", "")["faults"]
    assert fault["line"] in lines_with(text, words)
    assert said in fault["message"]


def test_several_faults_of_the_schema_are_told_at_once():
    text = TEXT.replace("minimize =", "minimise =").replace("question", "qestion")
    checked = checked_text(text, ".", "")
    assert sorted({fault["line"] for fault in checked["faults"]}) == sorted(
        [*lines_with(text, "minimise"), *lines_with(text, "qestion")]
    )
    json.dumps(checked)


def test_an_entry_of_a_list_of_several_lines_is_found():
    text = 'name = "x"\nconstraints = [\n  "a <= 1", # one, two\n  "b <= [2]",\n\n  "c <= 3"]\n[space]\n'
    assert [line_of(f"constraints[{place}]", text) for place in range(3)] == [3, 4, 6]
    assert line_of("space.axes.nodes", text) == 7
    assert line_of("nowhere", text) == 1


def test_a_model_file_is_not_run_while_it_is_typed(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('ran')\n")
    text = TEXT.replace('models = ["ska.correlator"]', 'models = ["ska.correlator", "mine.py"]')
    checked = checked_text(text, str(tmp_path), "")
    assert checked["faults"] == []
    assert "saved" in checked["notes"][0]
