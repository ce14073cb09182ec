"""What `make check` runs and leaves out, by rules that a new test falls under without being named anywhere."""

import itertools
import shutil
from pathlib import Path

import example_counts
import lanes
import pytest
from example_counts import sampled, sampled_product

HERE = Path(__file__).parent
ROOT = HERE.parent

GRID = """
import pytest

@pytest.mark.parametrize("number", range(9))
def test_of_nine(number):
    assert number in (0, 4, 8)

@pytest.mark.parametrize("number", range(2))
def test_of_two(number):
    pass

def test_dear():
    assert False

@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_slow(number):
    assert False
"""
CLOSED = """
import nowhere
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("some")]

def test_one():
    pass

class TestMore:
    def test_two(self):
        pass
"""


@pytest.mark.parametrize(("count", "chosen"), [(1, [0]), (3, [0, 1, 2]), (4, [0, 2, 3]), (9, [0, 4, 8])])
def test_cases_are_the_first_the_last_and_those_between(count, chosen):
    assert lanes.chosen_cases(count, 3) == chosen


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", None),
        ("import pytest\npytestmark = pytest.mark.xdist_group('some')", None),
        ("import pytest\npytestmark = pytest.mark.slow", "slow"),
        ("import pytest\npytestmark = [pytest.mark.slow, pytest.mark.kills]", "kills"),
        ("# pytestmark = pytest.mark.slow\nTEXT = 'pytestmark = pytest.mark.slow'", None),
    ],
)
def test_the_kind_of_a_file_is_read_from_its_marks(text, kind):
    assert lanes.kind_of_file(text) == kind


def test_every_kind_is_a_mark_of_the_project(pytestconfig):
    marks = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert marks >= set(lanes.KINDS)


def test_a_dear_test_is_known_after_its_file_has_been_moved(tmp_path):
    (tmp_path / "test_here.py").touch()
    dear = lanes.DearTests("# a comment\n0.3 test_here.py::test_a\n0.2 gone/test_there.py::test_b\n", tmp_path)
    assert "test_here.py::test_a" in dear
    assert "other/test_here.py::test_a" not in dear
    assert "other/test_there.py::test_b" in dear
    assert "test_here.py::test_new" not in dear


def test_names_have_no_case_and_no_group():
    assert lanes.name_of_test("a/test_b.py::TestC::test_d[1-a::b]@some") == "a/test_b.py::TestC::test_d"
    assert lanes.name_of_test("a/test_b.py::test_d@some") == "a/test_b.py::test_d"


@pytest.fixture
def project(pytester):
    """A folder whose tests have lanes, with one dear test."""
    for name in ("conftest.py", "lanes.py"):
        shutil.copy(HERE / name, pytester.path / name)
    conftest = (pytester.path / "conftest.py").read_text()
    start, end = conftest.index("pytest_plugins ="), conftest.index("def pytest_addoption")
    loaded = "sys.path.insert(0, str(Path(__file__).parent))\nimport lanes\nsys.path.pop(0)\n\n\n"
    last = conftest.index('@pytest.fixture(scope="session"')
    (pytester.path / "conftest.py").write_text(conftest[:start] + loaded + conftest[end:last])
    (pytester.path / "dear_tests.txt").write_text("0.5 test_grid.py::test_dear\n")
    pytester.makeini("[pytest]\nmarkers =\n    slow\n    browser\n    kills\n    packaging\n    xdist_group\n")
    pytester.makepyfile(test_grid=GRID, test_closed=CLOSED)
    return pytester


SAID = [
    "6 further cases of 1 tests of which 3 cases ran",
    "browser: 2 tests in 1 files that were not opened",
    "slow: 5 cases",
    "dear: 1 cases",
]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["-n", "2"]], ids=["one", "two"])
def test_the_lane_says_what_it_left_out(project, workers):
    done = project.runpytest_subprocess("-q", "-p", "no:cacheprovider", "--lane", "check", *workers)
    assert done.ret == 0
    done.assert_outcomes(passed=5, deselected=12 if "-n" not in workers else 0)
    lines = done.outlines[next(i for i, line in enumerate(done.outlines) if "left to `make test`" in line) + 1 :]
    assert lines[: len(SAID)] == SAID


@pytest.mark.slow
def test_without_a_lane_everything_runs(project):
    done = project.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_grid.py")
    done.assert_outcomes(passed=5, failed=12)


@pytest.mark.slow
def test_measuring_writes_the_file_and_counts_a_shared_fixture_for_each(project):
    project.makepyfile(
        test_grid="""
        import time
        import pytest

        def busy():
            start = time.process_time()
            while time.process_time() - start < 0.3:
                pass

        @pytest.fixture(scope="module")
        def shared():
            busy()

        def test_a(shared): pass
        def test_b(shared): pass
        def test_c(): pass
        def test_d(): busy()
        """
    )
    done = project.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-n", "1", "--lane", "measure")
    done.assert_outcomes(passed=4)
    names = names_in(project)
    assert set(names) >= {f"test_grid.py::test_{letter}" for letter in "abd"}
    assert names == sorted(names)


@pytest.mark.slow
def test_measuring_more_keeps_what_is_known(project):
    project.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--lane", "more")
    assert "test_grid.py::test_dear" in names_in(project)


def names_in(project):
    return [line.split()[1] for line in (project.path / "dear_tests.txt").read_text().splitlines()[1:]]


@pytest.fixture
def sampling(monkeypatch):
    """Samples, even where this run takes all examples."""
    monkeypatch.setattr(example_counts, "ALL_EXAMPLES", False)


def test_a_sample_holds_the_first_and_the_last_in_order_and_is_always_the_same(sampling):
    drawn = sampled(range(100), 10)
    assert drawn == sampled(range(100), 10) == sorted(set(drawn))
    assert (len(drawn), drawn[0], drawn[-1]) == (10, 0, 99)
    assert sampled("abc", 3) == list("abc")


@pytest.mark.parametrize("each", [1, 2, 3])
def test_a_sampled_product_has_every_subject_and_every_value(sampling, each):
    rows = sampled_product(["a", "b", ("c", "d"), "e", "f", "g"], [1, 2], ["x", "y", "z"], each=each)
    spread = [("c d", *row[2:]) if row[:2] == ("c", "d") else row for row in rows]
    assert len(set(spread)) == len(rows) == 6 * each
    assert {row[0] for row in spread} == {"a", "b", "c d", "e", "f", "g"}
    assert {row[1:] for row in spread} == set(itertools.product([1, 2], ["x", "y", "z"]))


def test_all_examples_are_all(monkeypatch):
    monkeypatch.setattr(example_counts, "ALL_EXAMPLES", True)
    assert sampled(range(100), 10) == list(range(100))
    assert sampled_product("ab", [1, 2], "xy", each=1) == list(itertools.product("ab", [1, 2], "xy"))
