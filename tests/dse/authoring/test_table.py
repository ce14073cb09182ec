"""Tables: headings with units, SI inside, refusals that name file, line and column, and interpolation."""

import itertools

import numpy as np
import pytest
from engine_problems import same_bits

from dse.authoring.declare.declaration import Column
from dse.authoring.table import Table, read_table
from dse.errors import InputError


@pytest.fixture
def read(tmp_path):
    def make(text, **settings):
        path = tmp_path / "parts.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, name="parts.csv", **settings)

    return make


PARTS = """# processors, made up
name,clock [GHz],memory [GiB],cores,source

a,2.6,32,8,book
# a remark between
b,1.5,64,-3/4,web
"""


def test_empty_cells_where_they_are_allowed(read):
    """A number that is not known is NaN; a column without any is one of numbers only where it has a unit."""
    text = "name,clock [GHz],cores,memory [GiB],rank,source\na,,8,,,x\nb,1.5,,,,\n"
    with pytest.raises(InputError, match="line 2, column 'clock': '' is not a finite number"):
        read(text)
    table = read(text, empty=True)
    assert np.isnan(table["clock"]).tolist() == [True, False]
    assert np.isnan(table["cores"]).tolist() == [False, True]
    assert np.isnan(table["memory"]).all()
    assert dict(table.units) == {
        "name": "text", "clock": "Hz", "cores": "1", "memory": "B", "rank": "text", "source": "text",
    }  # fmt: skip
    assert table.where(cores=8)["name"].tolist() == ["a"]
    for cell in ("x", "nan", "inf", "-"):
        with pytest.raises(InputError, match=f"column 'clock': '{cell}' is not a finite number"):
            read(text.replace("1.5", cell), empty=True)


@pytest.mark.parametrize("column", ["source", "confidence", "validation", "note"])
def test_a_column_of_texts_is_no_quantity(read, column):
    """Neither by a unit in its heading nor by a declaration: it would be read as text without a word."""
    assert read(f"name,{column}\na,3\n")[column].tolist() == ["3"]
    message = (
        f"the column '{column}' is a text with a meaning of its own, and a number here; allowed: the heading '{column}'"
    )
    for text, columns in ((f"name,{column} [s]\na,3\n", {}), (f"name,{column}\na,3\n", {column: Column("1")})):
        with pytest.raises(InputError, match=message):
            read(text, columns=columns)


def test_columns_are_si_numbers_or_texts(read):
    table = read(PARTS)
    assert table["clock"].tolist() == [2.6e9, 1.5e9]
    assert table["memory"].tolist() == [32 * 2.0**30, 64 * 2.0**30]
    assert table["cores"].tolist() == [8.0, -0.75]
    assert table["name"].tolist() == ["a", "b"]
    assert dict(table.units) == {"name": "text", "clock": "Hz", "memory": "B", "cores": "1", "source": "text"}
    assert table.lines.tolist() == [4, 6]
    assert table.sources == ["book", "web"]
    assert len(table) == 2
    assert not table.synthetic


@pytest.mark.parametrize("change", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(read, change):
    plain = read(PARTS)
    other = read(b"\xef\xbb\xbf" + PARTS.removeprefix("# processors, made up\n").replace("\n", change).encode())
    assert list(other.columns) == list(plain.columns)
    assert all(other[name].tolist() == plain[name].tolist() for name in plain.columns)
    assert other.sha256 != plain.sha256


def test_cells_may_be_quoted_and_padded(read):
    table = read('name , rate [ GB/s ]\n"x, y" , 1.5 \n"z ""q""",2\n')
    assert table["rate"].tolist() == [1.5e9, 2e9]
    assert table["name"][1] == 'z "q"'


def test_units_of_wanted_columns_are_converted_to_what_is_wanted(read):
    table = read("time [ms],heat [degC]\n1,25\n2,-1.5\n", columns={"time": Column("s"), "heat": Column("K")})
    assert table["time"].tolist() == [0.001, 0.002]
    assert table["heat"].tolist() == pytest.approx([298.15, 271.65], rel=1e-15)


def test_aliases_stand_for_a_column_and_bring_their_unit(read):
    column = Column("Hz", aliases={"f_GHz": "GHz", "freq": "MHz"})
    for text in ("f_GHz,n\n1.2,1\n", "freq,n\n1200,1\n", "clock [Hz],n\n1.2e9,1\n", "freq [kHz],n\n1.2e6,1\n"):
        assert read(text, columns={"clock": column})["clock"].tolist() == [1.2e9]


def test_optional_columns_may_be_missing(read):
    table = read("a\n1\n", columns={"a": Column("1"), "b": Column("s", optional=True)})
    assert list(table.columns) == ["a"]


def test_the_mark_of_synthetic_rows_can_be_set(read):
    assert read("a,synthetic\n1,no\n2,yes\n").synthetic
    assert not read("a,synthetic\n1,no\n").synthetic
    assert read("a\n1\n", synthetic=True).synthetic
    assert not read("a,synthetic\n1,yes\n", synthetic=False).synthetic


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows (a heading line and at least one row are needed)"),
        ("# only a remark\n", "has no rows (a heading line and at least one row are needed)"),
        ("a,b\n", "has no rows (a heading line and at least one row are needed)"),
        ("a,b\n1,2\n1,2,3\n", "line 3 has 3 cells, the heading 2"),
        ("# x\na,b\n\n1\n", "line 4 has 1 cells, the heading 2"),
        ("a,a [s]\n1,2\n", "the column 'a' stands twice"),
        ("a b,c\n1,2\n", "the heading 'a b' is not 'name' or 'name [unit]'"),
        ("a [s,c\n1,2\n", "the heading 'a [s' is not 'name' or 'name [unit]'"),
        ("a [parsek]\n1\n", "column 'a': unknown unit 'parsek'"),
        ("a [s]\nfast\n", "line 2, column 'a': 'fast' is not a finite number"),
        ("a [s]\n1\nnan\n", "line 3, column 'a': 'nan' is not a finite number"),
        ("a [s]\n1/0\n", "line 2, column 'a': '1/0' is not a finite number"),
        ("a [s]\n1e999\n", "line 2, column 'a': '1e999' is not a finite number"),
        ('a [s]\n""\n', "line 2, column 'a': '' is not a finite number"),
        ('a,b\n"one\ntwo",3\n', "line 2 has 1 cells, the heading 2"),
        ("# x\na;b [s]\n1;2\n", "line 2: separated by semicolons?; allowed: cells separated by commas"),
        ("a;b [s]\n1,5;2,5\n", "line 1: separated by semicolons?; allowed: cells separated by commas"),
        ("a\tb [s]\n1\t2\n", "line 1: separated by tabs?; allowed: cells separated by commas"),
        (f"a\n{'x' * 131_073}\n", "line 2 has a cell that is too long; allowed: at most 131072 characters"),
        (f"a\n1\n{'9' * 200_000}\n", "line 3 has a cell that is too long; allowed: at most 131072 characters"),
        (
            "a [Gflop/s]\n20 Tflop/s\n",
            "line 2, column 'a': '20 Tflop/s' has a unit, which belongs into the heading; allowed: a [Tflop/s]",
        ),
        ("a [s]\n20 fast\n", "line 2, column 'a': '20 fast' is not a finite number"),
    ],
)
def test_wrong_files_are_refused_with_line_and_column(read, text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == f"parts.csv: {message}"


@pytest.mark.parametrize("cell", ["1_000", "١٢", "１２", "٣/٤", "1_0/2", "infinit_y"])
@pytest.mark.parametrize("heading", ["a", "a [s]"])
def test_what_only_python_reads_as_a_number_is_refused(read, heading, cell):
    if cell in ("1_0/2", "infinit_y"):  # no number to Python either: a text, where the heading has no unit
        if heading == "a":
            assert read(f"{heading}\n1\n{cell}\n").units["a"] == "text"
            return
        told = f"'{cell}' is not a finite number"
    else:
        told = f"'{cell}' is not written as a number; allowed: digits 0 to 9, such as 1000, 2.5e9 or 1/3"
    with pytest.raises(InputError) as caught:
        read(f"{heading}\n1\n{cell}\n")
    assert str(caught.value) == f"parts.csv: line 3, column 'a': {told}"


def test_numbers_are_written_as_ever(read):
    cells = ["1", "-1.5", "+.5", "5.", "1e3", "1.5E-3", "1/4", "-2/3", "007"]
    assert read("a\n" + "\n".join(cells))["a"].tolist() == [1, -1.5, 0.5, 5, 1e3, 1.5e-3, 0.25, -2 / 3, 7]


def test_texts_may_look_like_numbers_with_units(read):
    assert read("a,b\n64 bit,x\n32 bit,y\n")["a"].tolist() == ["64 bit", "32 bit"]


def test_a_nul_in_a_name_is_refused(read):
    with pytest.raises(InputError, match=r"^parts\.csv: line 2 has the control character U\+0000"):
        read("name,n\na\0b,1\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\n", "the column 'time' is missing; allowed: a, time [s]"),
        ("a,time\n1,2\n", "column 'time': unit '1' does not fit 's' (a pure number where [time] is needed)"),
        ("a,time [ms],t [s]\n1,2,3\n", "the column 'time' stands twice"),
        ("a,time [s]\nx,2\n", "line 2, column 'a': 'x' is not a finite number"),
        (
            "a,time [s]\n3 ms,2\n",
            "line 2, column 'a': '3 ms' has a unit, which belongs into the heading; allowed: a [ms]",
        ),
    ],
)
def test_wrong_columns_are_refused(read, text, message):
    with pytest.raises(InputError) as caught:
        read(text, columns={"a": Column("1"), "time": Column("s", aliases={"t": "s"})})
    assert str(caught.value) == f"parts.csv: {message}"


def test_a_missing_or_unreadable_file_is_named(tmp_path, read):
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "none.csv", name="none.csv")
    assert str(caught.value) == "none.csv: no such file"
    with pytest.raises(InputError, match=r"^parts\.csv: cannot be read: 'utf-8' codec can't decode byte 0xff"):
        read(b"a,b\n\xff\xfe,1\n")


# --- rows ---------------------------------------------------------------------------------------------------------


def test_rows_are_chosen_by_texts_and_by_values_with_units(read):
    table = read("name,clock [GHz],n\na,1.2,1\nb,1.2,2\nb,2.4,3\n")
    assert table.where(name="b")["n"].tolist() == [2, 3]
    assert table.where(clock="1.2 GHz", name=["a", "b"])["n"].tolist() == [1, 2]
    chosen = table.where(name="b").where(clock="2.4 GHz")
    assert (chosen["n"].tolist(), chosen.lines.tolist()) == ([3], [4])
    assert chosen.where_clause == {"name": "b", "clock": "2.4 GHz"}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"nome": "a"}, "no column 'nome'; allowed: name, clock; did you mean 'name'?"),
        ({"name": "aa"}, "no row with name = 'aa'; allowed: a, b; did you mean 'a'?"),
        ({"name": ["a", "c"]}, "no row with name = 'c'; allowed: a, b"),
        ({"name": "a", "clock": "2 GHz"}, "no row with name = 'a', clock = '2 GHz'"),
    ],
)
def test_rows_that_are_not_there_are_refused(read, wanted, message):
    with pytest.raises(InputError) as caught:
        read("name,clock [GHz]\na,1\nb,2\n").where(**wanted)
    assert str(caught.value) == f"parts.csv: {message}"


# --- interpolation ------------------------------------------------------------------------------------------------


def _grid(levels, values):
    """A table over the full grid of levels, rows in a shuffled order."""
    rows = np.array(list(itertools.product(*levels)))
    order = np.random.default_rng(0).permutation(len(rows))
    columns = {name: rows[order, i] for i, name in enumerate("uv"[: len(levels)])}
    columns["w"] = np.asarray(values, dtype=float).reshape(-1)[order]
    return Table("t.csv", columns, dict.fromkeys(columns, "1"), np.arange(len(rows)), "")


def bilinear(levels, values, u, v):
    """By hand: the weights of the four corners."""
    i = max(k for k in range(len(levels[0]) - 1) if levels[0][k] <= u)
    j = max(k for k in range(len(levels[1]) - 1) if levels[1][k] <= v)
    s = (u - levels[0][i]) / (levels[0][i + 1] - levels[0][i])
    t = (v - levels[1][j]) / (levels[1][j + 1] - levels[1][j])
    return (
        values[i][j] * (1 - s) * (1 - t)
        + values[i + 1][j] * s * (1 - t)
        + values[i][j + 1] * (1 - s) * t
        + values[i + 1][j + 1] * s * t
    )


LEVELS = ([1.0, 2.0, 4.0, 8.0], [0.1, 0.5, 0.7])
VALUES = np.random.default_rng(1).uniform(-5, 5, (4, 3))


def test_two_columns_are_interpolated_bilinearly():
    rng = np.random.default_rng(2)
    u, v = rng.uniform(1, 8, (40, 1)), rng.uniform(0.1, 0.7, (1, 30))
    found = _grid(LEVELS, VALUES).interpolate("w", u=u, v=v)
    assert found.shape == (40, 30)
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == pytest.approx(bilinear(LEVELS, VALUES, u[i, 0], v[0, j]), rel=1e-12, abs=1e-12)


def test_points_of_the_grid_give_the_tabulated_bits():
    u, v = np.array(LEVELS[0])[:, None], np.array(LEVELS[1])[None, :]
    assert same_bits(_grid(LEVELS, VALUES).interpolate("w", u=u, v=v), VALUES)
    assert same_bits(_grid(LEVELS, VALUES).interpolate("w", v=v, u=u), VALUES)
    assert same_bits(_grid(LEVELS[:1], VALUES[:, 0]).interpolate("w", u=np.array(LEVELS[0])), VALUES[:, 0])


def test_one_column_is_interpolated_as_numpy_does():
    u = np.linspace(1, 8, 97)
    found = _grid(LEVELS[:1], VALUES[:, 1]).interpolate("w", u=u)
    assert found == pytest.approx(np.interp(u, LEVELS[0], VALUES[:, 1]), rel=1e-12)


@pytest.mark.parametrize("shape", [(1, 3), (4, 1), (1, 1)])
def test_a_column_of_one_level_needs_that_level(shape):
    levels = (LEVELS[0][: shape[0]], LEVELS[1][: shape[1]])
    values = VALUES[: shape[0], : shape[1]]
    u, v = np.array(levels[0])[:, None], np.array(levels[1])[None, :]
    assert same_bits(_grid(levels, values).interpolate("w", u=u, v=v), values)
    with pytest.raises(InputError) as caught:
        _grid(levels, values).interpolate("w", u=np.array([9.0]), v=np.array([0.1]))
    assert str(caught.value) == (
        f"t.csv: 'u' = 9 is outside the table; allowed: 1 to {levels[0][-1]:g} (no extrapolation)"
    )


@pytest.mark.parametrize("value", [0.999, 8.001, np.nan, np.inf])
def test_points_outside_are_refused(value):
    with pytest.raises(InputError) as caught:
        _grid(LEVELS, VALUES).interpolate("w", u=np.array([2.0, value]), v=np.array([0.5]))
    assert str(caught.value) == f"t.csv: 'u' = {value:g} is outside the table; allowed: 1 to 8 (no extrapolation)"


def test_rows_that_are_no_full_grid_are_refused():
    table = _grid(LEVELS, VALUES)
    message = "t.csv: the rows are no full grid over u × v (or one stands twice)"
    for rows in (np.arange(11), np.array([*range(12), 0]), np.array([*range(11), 0])):
        with pytest.raises(InputError) as caught:
            table.rows(rows).interpolate("w", u=np.array([2.0]), v=np.array([0.5]))
        assert str(caught.value) == message
