"""The frontier in terminals of several widths: whole words, nothing twice, a short list where a table has no room."""

import os
import re
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
from toy import command

from dse.api import Run, Study
from dse.cli.text import output
from dse.cli.text.frontier_table import frontier_table
from dse.report.words import shortlist
from dse.report.words.shortlist import figure_texts, short_list
from dse.run.result.design_names import name_of

pytestmark = pytest.mark.slow

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
NAMES = [f"quite_a_long_parameter_{word}" for word in WORDS]
MODEL = f'''"""Many choices."""

from dse import parameter, quantity

{chr(10).join(f'{name} = parameter(unit="1", doc="A choice", above=0)' for name in NAMES)}
free_choice = parameter(unit="1", doc="More is better and costs nothing", above=0)
clock_rate = parameter(unit="Hz", doc="Clock", above=0)


@quantity(unit="s", source="invented")
def run_time({", ".join(NAMES)}, free_choice, clock_rate):
    """Time."""
    return 1e12 / clock_rate / free_choice / ({" + ".join(NAMES)})


@quantity(unit="W", source="invented")
def machine_power({", ".join(NAMES)}, clock_rate):
    """Power."""
    return 1e-6 * clock_rate * ({" + ".join(f"{at + 1} * {name}" for at, name in enumerate(NAMES))})


@quantity(unit="J", source="invented")
def machine_energy(run_time, machine_power):
    """Energy."""
    return run_time * machine_power
'''
STUDY = """name = "wide"
models = ["model.py"]
also = ["machine_energy"]

[[objectives]]
minimize = "run_time"

[[objectives]]
minimize = "machine_power"

[space.axes]
free_choice = { values = [1, 2] }
chip = { part = "chips.csv" }
"""
CHIPS = "name,clock_rate [GHz],source,confidence\nan old chip with a long name,1,me,high\na new chip,2,a talk,low\n"
SPACE = "".join(f"{name} = {{ values = [1, 2] }}\n" for name in NAMES)
SPLIT = """
[space.alternatives.{0}.axes]
{1} = {{ values = [1, 2] }}
[space.alternatives.{0}.set]
{2} = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with fourteen axes, and one of two alternatives, each with an axis of its own."""
    made = tmp_path_factory.mktemp("wide")
    (made / "model.py").write_text(MODEL)
    (made / "chips.csv").write_text(CHIPS)
    (made / "wide.toml").write_text(STUDY + SPACE)
    few = STUDY.replace('name = "wide"', 'name = "two"') + SPLIT.format("left", *NAMES[:2])
    few += SPLIT.format("right", NAMES[1], NAMES[0])
    rest = "".join(f"{name} = 1\n" for name in NAMES[2:])
    (made / "two.toml").write_text(few.replace("[space.axes]", f"[set]\n{rest}\n[space.axes]", 1))
    for name in ("wide", "two"):
        Study.load(str(made / f"{name}.toml")).run(made / name)
    return made


@pytest.fixture
def show(folder):
    def told(run, width, *more):
        done = command("show", run, *more, folder=folder, width=width)
        assert done.code == 0, done
        return done.out.replace("\u202f", " ")

    return told


@pytest.mark.parametrize("width", [80, 200])
def test_a_process_of_its_own_is_as_wide_as_its_terminal(folder, width):
    environment = {**os.environ, "COLUMNS": str(width), "PYTHONIOENCODING": "utf-8"}
    whole = [sys.executable, "-m", "dse", "show", "wide"]
    done = subprocess.run(whole, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == command("show", "wide", folder=folder, width=width).out


def squeezed(text):
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_folded(show, width):
    printed = show("wide", width)
    listed = printed[printed.index("\n") : printed.index("all: ")]
    assert all(len(line.rstrip()) <= width for line in listed.splitlines())
    words = set(re.findall(r"[a-z]+", listed.replace("kW", "")))
    known = {"row", "the", "best", "of", "each", "objective", "and", "knee", "whole", "frontier", "has", "designs"}
    known |= {"lowest", "run", "time", "machine", "power", "energy", "s", "k", "W", "M", "J", "chip"}
    known |= set(re.findall(r"[a-z]+", "an old chip with a long name high a new chip low"))
    known |= {word for name in NAMES for word in name.split("_")}
    assert words <= known


@pytest.mark.parametrize("width", [80, 120])
def test_the_short_list_stands_for_a_table_that_does_not_fit(show, folder, width):
    run = Run.load(folder / "wide")
    printed = squeezed(show("wide", width))
    fast = run.frontier["run_time"].idxmin()
    times = " ".join(line for line in printed if line.startswith("run time [s] "))
    assert f"{run.frontier['run_time'].iloc[fast]:.2f}" in times
    rows = " ".join(line for line in printed if re.fullmatch(r"name( A\d+)+", line))
    assert name_of(run, fast) in rows.split()
    assert any(line.startswith("machine energy [MJ] ") for line in printed)
    assert f"the best of each objective and the knee; the whole frontier has {len(run.frontier)} designs:" in printed
    assert any("dse show wide --all" in line and "--csv FILE" in line for line in printed)


def test_what_all_have_is_said_once(show):
    printed = squeezed(show("wide", 80))
    (common,) = [line for line in printed if line.startswith("all: ")]
    assert "free choice 2" in common
    assert not any(line.startswith("free choice") for line in printed)


def test_confidence_stands_beside_the_part(show):
    for width, more in ((80, ()), (120, ()), (200, ()), (80, ("--all",))):
        text = " ".join(squeezed(show("wide", width, *more)))
        assert "·" in text, width
        assert "confidence" not in text


def test_all_rows_on_lines_of_their_own(show, folder):
    run = Run.load(folder / "wide")
    printed = show("wide", 80, "--all").splitlines()
    rows = [line for line in printed if re.match(r" *A\d+ (an old|a new) chip", line)]
    assert len(rows) == len(run.frontier)
    assert min(map(len, rows)) > 80


def test_the_table_where_it_fits(show, folder):
    """Many columns fit in very wide terminals: then it is the table, with all rows up to the limit."""
    run = Run.load(folder / "wide")
    printed = show("wide", 200).splitlines()
    rows = [line for line in printed if re.match(r" *A\d+ (an old|a new) chip", line)]
    assert len(rows) == min(20, len(run.frontier))


def test_no_empty_columns_of_other_alternatives(show, folder):
    """Each alternative has a table with its own axes."""
    printed = squeezed(show("two", 120))
    left, right = printed.index("left"), printed.index("right")
    first, second = " ".join(printed[left:right]), " ".join(printed[right:])
    assert ("one" in first, "two" in first) == (True, False)
    assert ("one" in second.split("all:")[0], "two" in second.split("all:")[0]) == (False, True)
    names = [line.split()[0] for line in printed if re.match(r"A\d+ (an old|a new) chip ", line)]
    assert sorted(int(name[1:]) for name in names) == list(range(1, len(Run.load(folder / "two").frontier) + 1))


def test_only_the_rows_that_are_printed_are_written_out(folder, monkeypatch, capsys):
    """A long frontier is printed as quickly as a short one."""
    run = Run.load(folder / "two")
    run.frontier = pd.concat([run.frontier] * 50, ignore_index=True)
    written = Counter()

    def count(module, name):
        plain = getattr(module, name)

        def counted(*given, **options):
            written[name] += 1
            return plain(*given, **options)

        monkeypatch.setattr(module, name, counted)

    count(shortlist, "spelled")
    count(output, "format_number")
    frontier_table(run)
    assert f"… {len(run.frontier) - 20} more rows" in capsys.readouterr().out
    several = 25 * len(run.frontier.columns)  # twenty rows, and what all have alike
    assert written["spelled"]
    assert max(written.values()) <= several < len(run.frontier) * 2


def test_R5_different_designs_look_different_in_every_table(folder, show):
    (folder / "near.toml").write_text(
        'name = "near"\nmodels = ["near.py"]\n[[objectives]]\nminimize = "time"\n[[objectives]]\nminimize = "cost"\n'
        "[space.axes]\nx = { values = [1, 1.00001, 1.00002, 3] }\n"
    )
    (folder / "near.py").write_text(
        'from dse import parameter, quantity\nx = parameter(unit="1", doc="x")\n\n\n'
        '@quantity(unit="s", source="invented")\ndef time(x):\n    return 7.0 * x\n\n\n'
        '@quantity(unit="1", source="invented")\ndef cost(x):\n    return 20.0 / x\n'
    )
    run = Study.load(str(folder / "near.toml")).run(folder / "near")
    rows = [line.split()[1:] for line in show("near", 80).splitlines() if re.match(r" *A\d+ +[13]", line)]
    assert len(rows) == 4
    for column in zip(*rows, strict=True):
        assert len(set(column)) == 4
    assert {row[1] for row in rows} == {"7", "7.00007", "7.00014", "21"}
    for column in short_list(run).objectives:
        texts = figure_texts(short_list(run).lines, column)
        assert len(set(texts)) == len(texts)
    assert "7.00007" in run.frontier._repr_html_()
