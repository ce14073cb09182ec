"""`dse collectives`: algorithms by rising cost, JSON, and what is refused."""

import json

import pytest

from dse.cli.main import main
from dse.models.collectives import COLLECTIVES, best


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["collectives", *arguments])
    return ended.value.code, capsys.readouterr()


def test_all_algorithms_by_their_time(capsys):
    code, shown = run(capsys, "allreduce", "--processes", "1000", "--size", "8 B", "--json")
    assert code == 0
    told = json.loads(shown.out)
    times = [row["time"] for row in told["algorithms"]]
    assert times[-1] is None
    assert times[:-1] == sorted(times[:-1])
    assert {row["algorithm"] for row in told["algorithms"]} == set(COLLECTIVES["allreduce"])
    found = best("allreduce", 1000, 8)
    assert (told["best"]["algorithm"], told["best"]["time"]) == (str(found.algorithm), float(found.time))


def test_the_best_and_what_is_not_defined_are_said(capsys):
    code, shown = run(capsys, "allreduce", "--processes", "1000", "--size", "8 B")
    assert code == 0
    assert "best by time: butterfly, 169.5 µs" in shown.out
    assert "not defined: for powers of" in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("barier", "--processes", "8"), "did you mean 'barrier'?"),
        (("bcast", "--processes", "0"), "processes: 0; allowed: a whole number from 1 to 2^40"),
        (("bcast", "--processes", "8", "--size", "8 s"), "--size: unit 's' does not fit 'B'"),
        (("bcast", "--processes", "8", "--network", "infinband"), "did you mean 'infiniband'?"),
        (("bcast", "--processes", "8", "--metric", "tme"), "metric: 'tme'"),
        (("barrier", "--processes", "8", "--size", "8 B"), "a barrier carries nothing"),
    ],
)
def test_wrong_input_ends_with_2(capsys, arguments, message):
    code, shown = run(capsys, *arguments)
    assert code == 2
    assert message in shown.err
