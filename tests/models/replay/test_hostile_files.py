"""Files of strangers: whatever stands in them, they are read or refused in one message."""

import random
import warnings

import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Network, analyse, read_trace, write_trace

from .runs import as_trace, random_run

NETWORK = Network(2e-6, 0.5e-6, 10e9)
TOKENS = (
    "-1", "1e308", "1e400", "nan", "inf", "", "0", "99999999999999999999", "x", "\x00", '"', "#", "0.5", "٣", "true",
    "1_0", "wait", "collective", "allreduce", "2",
)  # fmt: skip


def spoilt(text, chance, between):
    lines = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        place, what = chance.randrange(len(lines)), chance.random()
        if what < 0.6:
            cells = lines[place].split(between)
            cells[chance.randrange(len(cells))] = chance.choice(TOKENS)
            lines[place] = between.join(cells)
        elif what < 0.75:
            lines.insert(place, chance.choice(lines))
        elif what < 0.9 and len(lines) > 1:
            del lines[place]
        else:
            lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]
    return "\n".join(lines)


@pytest.mark.parametrize(("ending", "between"), [(".csv", ","), (".ti", " ")])
def test_spoilt_files(tmp_path, ending, between):
    read = refused = 0
    for seed in range(max(40, examples(240))):  # fewer would not do, of either kind
        chance = random.Random(seed)
        path = tmp_path / f"x{ending}"
        try:
            write_trace(as_trace(random_run(seed, length=12)), path)
        except InputError:  # waits that text has no words for
            continue
        path.write_text(spoilt(path.read_text(encoding="utf-8"), chance, between), encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                analyse(read_trace(path, flop_rate=1e9), NETWORK)
                read += 1
            except InputError as error:
                assert "\n" not in str(error)  # noqa: PT017
                refused += 1
    assert read > 2
    assert refused > 2
