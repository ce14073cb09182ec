"""Tables on narrow terminals: words stay whole as long as there is room, and no cell is cut."""

import pytest

from dse.cli.text import output

HEADINGS = ["quantity", "runs/one:0", "runs/one:1"]
ROWS = [
    ["system_mean_time_between_failures", "medium (rate); low (area)", "low"],
    ["machine_power (min)", "16.34 MW (1×)", "17.74 MW (1.09×)"],
]


def printed(monkeypatch, capsys, width):
    monkeypatch.setattr(output.console(), "_width", width)
    output.table(HEADINGS, ROWS, right=[1, 2])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [120, 70, 62, 56])
def test_no_word_is_broken_while_all_words_fit(monkeypatch, capsys, width):
    """The longest words have 33, 10 and 10 characters: with blanks between them 56 are enough."""
    lines = printed(monkeypatch, capsys, width)
    words = [word for line in lines for word in line.split()]
    for cell in [cell for row in (HEADINGS, *ROWS) for cell in row]:
        assert all(word in words for word in cell.split())
    assert max(len(line.rstrip()) for line in lines) <= width


def test_where_they_do_not_the_names_stay_whole_and_nothing_is_lost(monkeypatch, capsys):
    lines = printed(monkeypatch, capsys, 48)
    assert any("system_mean_time_between_failures" in line for line in lines)
    assert max(len(line.rstrip()) for line in lines) <= 48
    told = "".join("".join(lines).split())
    for character in "16.34MW(1×)17.74MW(1.09×)":
        assert character in told
