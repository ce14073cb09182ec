"""Run folders of an adversary: every command refuses them by name or shows them as what they are, and ends soon."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from example_counts import sampled_product

sys.path.insert(0, str(Path(__file__).parents[3]))  # benchmarks/ is not part of the package

from benchmarks.attack.commands import ON_RUNS, in_this_process
from benchmarks.attack.forged_folders import FORGERIES, SMALL

SHOWN_AS_IT_IS = {  # what is whole, and of somebody else
    "as it was, unsealed", "designs left out", "axis is a text", "no rows", "a cell that is a formula",
    "objective of no unit", "units that are none", "certificate of negative counts", "no alternatives",
    "tables from a device",
}  # fmt: skip
DEALT: dict[str, list[str]] = {}
for _folder, _label in sampled_product(list(FORGERIES), list(ON_RUNS), each=5):
    DEALT.setdefault(_folder, []).append(_label)
OF_THIS_USER = {"trust is a pipe", "decision without values", "decision of an empty axis"}
OF_THIS_USER |= {
    "trust of designs that are none",
    "trust of NaN",
    "no ledger",
    "sample is a pipe",
    "designs is a link out",
}
WORDS = {
    "frontier is a pipe": "frontier.parquet: is a named pipe; allowed: a regular file",
    "frontier is a socket": "frontier.parquet: cannot be read: ",
    "frontier is a device": "frontier.parquet: is a link out of its folder",
    "manifest is a pipe": "manifest.json: is a named pipe",
    "manifest is a link out": "manifest.json: is a link out of its folder; allowed: a file inside it",
    "manifest of a terabyte": "manifest.json: has 1099511627776 bytes; allowed: at most 64000000",
    "frontier of a terabyte": "frontier.parquet: has 1099511627776 bytes",
    "manifest nested deeply": "manifest.json: cannot be read: ",
    "frontier of many rows": "frontier.parquet: has 1000000 rows of 60 columns; allowed: at most 50000000 cells",
    "objective is NaN": "'time' is nan in row 0; the file is damaged",
    "objective is infinite": "'time' is inf in row 0; the file is damaged",
    "objective is a text": "the column 'time' holds what is no number; the file is damaged",
    "design beyond the space": "there is no design 1000000000000 in the space; allowed: 0 to 35",
    "design below 0": "there is no design -1 in the space; allowed: 0 to 35",
    "no axis column": "the column 'nodes' is missing; the file is damaged",
    "a column of lists": "has cells that are neither numbers nor texts; the file is damaged",
    "no objectives": "'objectives' is []; the file is damaged",
    "objective without quantity": "'objectives[0].quantity' is missing; the file is damaged",
    "objective of no sense": "'objectives[0].sense' is \"most\"; the file is damaged",
    "reference of texts": "'references[0].values' is \"none\"; the file is damaged",
    "reference without limits' words": "'references[0].constraints[0].text' is missing; the file is damaged",
    "pick that is no rule": "'pick.order' is 3; the file is damaged",
    "certificate with a broken gap": "'certificate.gap.open' is missing; the file is damaged",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of `SMALL`, its trust stored."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "small.toml").write_text(SMALL)
        for command in (("run", "small.toml", "--out", "run"), ("trust", "run", "--draws", "50")):
            assert in_this_process(command).code == 0
    return folder


@pytest.fixture
def forged(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(finished / "small.toml", tmp_path)

    def forge(name):
        for old in ("work", ".old"):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(finished / "run", "work")
        FORGERIES[name](Path("work"))

    return forge


def run_command(label):
    return in_this_process(tuple(word.replace("RUN", "work") for word in ON_RUNS[label]))


@pytest.mark.parametrize("name", WORDS)
def test_S3_S4_S5_a_broken_folder_is_refused_by_name(forged, name):
    """A named pipe hung four commands; NaN, infinities, texts and missing keys ended in exit code 70."""
    forged(name)
    for label in ("show", "report", "compare", "pick"):
        ending = run_command(label)
        assert not ending.faults
        assert (ending.code, ending.out) == (2, "")
        assert WORDS[name] in ending.err


@pytest.mark.parametrize("name", sorted(SHOWN_AS_IT_IS - {"no rows"}))
def test_S2_a_whole_folder_of_a_stranger_is_shown_as_the_folder_says(forged, name):
    forged(name)
    for label in ("show", "pick", "compare"):
        ending = run_command(label)
        assert not ending.faults
        assert ending.out.count("exact") == ending.out.count("exact, as the folder says")


@pytest.mark.parametrize("name", sorted(OF_THIS_USER))
def test_S3_S5_what_stands_beside_a_manifest_does_not_end_a_command(forged, name):
    """`report` ended with a ValueError for a decision without values."""
    forged(name)
    for label in ("show", "report"):
        ending = run_command(label)
        assert not ending.faults
        assert ending.code in (0, 2)
        assert ending.code == 0 or "is damaged" in ending.err or "is a link out" in ending.err or "pipe" in ending.err


@pytest.mark.parametrize("name", ["a forged ledger", "a ledger with a view", "ledger is a pipe", "designs left out"])
def test_S1_S2_a_forged_folder_is_never_called_exact_by_run(forged, name):
    forged(name)
    plain = run_command("run")
    assert not plain.faults
    if plain.code == 0:
        assert "searched anew" in plain.err
        assert '"exact": true' in plain.out
    forged(name)
    accepted = run_command("run --accept-ledger")
    assert not accepted.faults
    assert accepted.code == 2 or '"exact": false' in accepted.out


def test_every_forgery_is_expected_to_end_in_some_way():
    names = set(WORDS) | SHOWN_AS_IT_IS | OF_THIS_USER
    names |= {"a forged ledger", "a ledger with a view", "ledger is a pipe", "a study that is none"}
    assert set(FORGERIES) == names


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERIES)
def test_every_command_ends_well_on_every_forged_folder(forged, name):
    """Five commands on each folder, dealt out so that each meets folders of all kinds; with all examples, all."""
    for label in DEALT[name]:
        forged(name)
        ending = run_command(label)
        assert not ending.faults, (label, ending.faults)
