"""The guide is true: its commands and its code run, and its items are those of a price list."""

import re
import shlex
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from dse.authoring.library.library import load_model
from dse.authoring.table import read_table
from dse.cli.main import main
from dse.errors import InputError
from dse.units import CURRENCIES, parse_quantity

GUIDE = (Path(__file__).parents[3] / "docs/guide/facility.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(capsys):
    for line in blocks("sh")[0].splitlines():
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()


def test_a_model_file_of_another_currency(tmp_path):
    (tmp_path / "in_francs.py").write_text(blocks("python")[0], encoding="utf-8")
    model = load_model("in_francs.py", tmp_path)
    units = {unit for function in model.functions for unit in function.gives.values()}
    assert units == {"CHF", "CHF/B", "CHF/J", "CHF/s", "1"}
    assert model.tables["price_list"].columns["price"].unit == "CHF"


def test_the_units_of_money_are_those_it_names():
    (named,) = re.findall(r"\*\*Money has units\*\*: (.*), with prefixes", GUIDE)
    assert re.findall(r"`(\w+)`", named) == [*CURRENCIES]
    for written in ("12 MEUR", "0.15 EUR/kWh", "90 kEUR/year"):
        assert written in GUIDE
    assert parse_quantity("12 MEUR", "EUR") == 12e6
    with pytest.raises(InputError, match="currencies are not converted"):
        parse_quantity("12 MEUR", "USD")


def test_every_quantity_it_names_is_one():
    models = [load_model(name) for name in ("facility", "facility.in_euros", "facility.euro_prices")]
    known = {name for model in models for function in model.functions for name in function.gives}
    known |= {name for model in models for name in (*model.parameters, *model.assumptions, *model.tables)}
    (table,) = re.findall(r"^\| quantity \| formula \|\n(.*?)\n\n", GUIDE, flags=re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", table)) <= known


def test_the_grids_are_as_many_as_it_says():
    years = Counter(read_table(Path(str(files("dse.spaces"))) / "facility" / "grids.csv")["year"])
    assert years == {2021: 30, 2024: 13}
    assert "has 30 grids of 2021" in GUIDE
    assert "13 of 2024" in GUIDE
