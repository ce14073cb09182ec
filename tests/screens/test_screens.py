"""Every screen shows what its golden file holds; `regenerate.py` takes them anew, all or some."""

from pathlib import Path

import pytest
import screens
from screens import GOLDEN, Place, Screen, difference, golden, normal

pytestmark = pytest.mark.xdist_group("screens")  # what they share is made once

TABLE = screens.screens()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("screens"))


@pytest.mark.parametrize("screen", TABLE, ids=lambda screen: screen.name)
def test_a_screen_is_as_it_was(place, screen):
    now = place.take(screen)
    if now != golden(screen):
        pytest.fail(difference(screen, now), pytrace=False)


def test_every_screen_has_a_golden_file_and_every_golden_file_a_screen():
    assert {file.name for file in GOLDEN.iterdir()} == {screen.file.name for screen in TABLE}


def test_every_folder_is_typed_in():
    assert {screen.folder for screen in TABLE} == set(screens.FOLDERS)


def test_another_word_is_shown_as_a_diff_with_the_command_that_takes_it():
    screen = next(screen for screen in TABLE if screen.name == "error-unknown-key")
    shown = difference(screen, golden(screen).replace("unknown key", "strange key"))
    assert "-error: unknown-key.toml: constraint: unknown key 'constraint'" in shown
    assert "+error: unknown-key.toml: constraint: strange key 'constraint'" in shown
    assert shown.endswith("tests/screens/regenerate.py error-unknown-key")


def test_a_screen_leaves_nothing_behind_for_the_next(place):
    """A file that it writes would be refused the second time: it is not overwritten."""
    screen = Screen("twice", ("dse init mine.toml",), "toy")
    assert [place.take(screen).splitlines()[1] for _ in range(2)] == ["exit code 0"] * 2


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("method: auto (why), 0.02 s; ties: all", "method: auto (why), SECONDS; ties: all\n"),
        ("a run takes about 1.2 ms, 1\u202f024 MiB", "a run takes about SECONDS, MEMORY\n"),
        ("run_time 0.02 s, 3 MiB of it   ", "run_time 0.02 s, 3 MiB of it\n"),
        ("there/a.toml: no", "FOLDER/a.toml: no\n"),
    ],
)
def test_only_what_may_differ_is_left_out(text, without):
    assert normal(text, Path("there")) == without
