"""Results kept between runs: what is recalled is what was computed, and all else is computed anew."""

from __future__ import annotations

import io
import os
import threading

import numpy as np
import pytest

from dse import Study
from dse.authoring.watch.kept_results import recalled, results_kept_by
from dse.models.collectives import machine
from dse.models.network.topologies import COMPONENTS
from dse.run.disk import result_cache
from dse.run.disk.result_cache import NO_CACHE, ResultCache, cache_folder, results_kept

ARGUMENTS = [np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25, -0.0])]
RESULT = np.array([[1.0, np.nan, np.inf], [-0.0, 5e-324, 2.0]])
SHAPE = RESULT.shape


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.delenv(NO_CACHE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return ResultCache(cache_folder())


def kept(cache):
    cache.keep("product", ARGUMENTS, RESULT)
    (entry,) = cache.folder.iterdir()
    return entry


def test_what_is_recalled_has_the_bits_of_what_was_kept(own_cache):
    kept(own_cache)
    again = ResultCache(own_cache.folder).recall("product", ARGUMENTS, SHAPE)
    assert again.tobytes() == RESULT.tobytes()


@pytest.mark.parametrize(
    ("name", "arguments", "shape"),
    [
        ("sum", ARGUMENTS, SHAPE),
        ("product", ARGUMENTS[::-1], SHAPE),
        ("product", [ARGUMENTS[0], np.array([0.5, 0.25, 0.0])], SHAPE),  # +0 is not -0
        ("product", [np.concatenate(ARGUMENTS)], SHAPE),
        ("product", ARGUMENTS, (3, 2)),
    ],
)
def test_another_question_has_no_answer(own_cache, name, arguments, shape):
    kept(own_cache)
    assert own_cache.recall(name, arguments, shape) is None
    assert not own_cache.faults


def test_other_code_has_no_answer(own_cache, monkeypatch):
    kept(own_cache)
    monkeypatch.setattr(result_cache, "code_identity", lambda: "another")
    assert ResultCache(own_cache.folder).recall("product", ARGUMENTS, SHAPE) is None


def test_a_changed_entry_is_computed_anew_wherever_it_is_changed(own_cache):
    content = kept(own_cache).read_bytes()
    for place in {*range(0, len(content), 7), len(content) - 1}:
        entry = kept(own_cache)
        entry.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        cache = ResultCache(own_cache.folder)
        assert cache.recall("product", ARGUMENTS, SHAPE) is None, place
        assert cache.faults == ["an entry is damaged or bears no seal of this user: computed anew"]
        assert not entry.exists()


@pytest.mark.parametrize("length", [0, 5, 40, 100, -1])
def test_an_entry_cut_short_is_computed_anew(own_cache, length):
    entry = kept(own_cache)
    entry.write_bytes(entry.read_bytes()[:length])
    assert own_cache.recall("product", ARGUMENTS, SHAPE) is None


def test_an_entry_under_another_name_is_not_believed(own_cache):
    other = own_cache._entry("sum", ARGUMENTS, SHAPE)
    kept(own_cache).rename(own_cache.folder / other)
    assert own_cache.recall("sum", ARGUMENTS, SHAPE) is None
    assert own_cache.faults


def test_an_entry_of_another_user_is_not_believed(own_cache, monkeypatch, tmp_path):
    kept(own_cache)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "stranger"))
    stranger = ResultCache(own_cache.folder)
    assert stranger.recall("product", ARGUMENTS, SHAPE) is None
    assert stranger.faults


def test_no_object_is_unpickled(own_cache):
    entry = kept(own_cache)
    buffer = io.BytesIO()
    np.save(buffer, np.array([print], dtype=object), allow_pickle=True)
    numbers = buffer.getvalue()
    seal = own_cache._sealer.seal(result_cache._sealed_text(entry.name, numbers))
    entry.write_bytes(result_cache._MAGIC + seal.encode() + numbers)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        own_cache.recall("product", ARGUMENTS, SHAPE)


def test_where_nothing_can_be_written_it_is_said_once(own_cache, capsys):
    own_cache.folder.parent.mkdir(parents=True)
    own_cache.folder.write_text("a file where the folder should be")
    with results_kept() as cache:
        for number in range(3):
            assert recalled("square", [np.full(1, number)], (1,), lambda n=number: np.full(1, n**2.0)) == number**2
    assert len(cache.faults) == 1
    assert capsys.readouterr().err.count("nothing can be kept") == 1


def test_a_half_written_file_is_nobodys_answer(own_cache):
    entry = kept(own_cache)
    (own_cache.folder / f".{entry.name}.1.aa").write_bytes(entry.read_bytes()[:50])
    entry.unlink()
    assert own_cache.recall("product", ARGUMENTS, SHAPE) is None
    assert not own_cache.faults


def test_two_that_keep_the_same_at_once_leave_one_whole_entry(own_cache):
    own_cache.keep("other", ARGUMENTS, RESULT)  # so that both have the key
    caches = [ResultCache(own_cache.folder) for _ in range(2)]
    threads = [threading.Thread(target=lambda c=c: [kept_again(c) for _ in range(20)]) for c in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len([*own_cache.folder.iterdir()]) == 2
    assert own_cache.recall("product", ARGUMENTS, SHAPE).tobytes() == RESULT.tobytes()


def kept_again(cache):
    cache.keep("product", ARGUMENTS, RESULT)
    assert cache.recall("product", ARGUMENTS, SHAPE) is not None


def test_what_was_not_used_for_longest_goes_first(own_cache, monkeypatch):
    for number in range(4):
        own_cache.keep(str(number), ARGUMENTS, RESULT)
        entry = own_cache.folder / own_cache._entry(str(number), ARGUMENTS, SHAPE)
        os.utime(entry, (number, number))
    size = entry.stat().st_size
    monkeypatch.setattr(result_cache, "_MOST_BYTES", 2 * size)
    own_cache.thin()
    left = [number for number in range(4) if own_cache.recall(str(number), ARGUMENTS, SHAPE) is not None]
    assert left == [2, 3]


def test_nothing_is_kept_unless_it_is_wanted(own_cache, monkeypatch):
    with results_kept(wanted=False) as cache:
        assert cache is None
    monkeypatch.setenv(NO_CACHE, "1")
    with results_kept() as cache:
        assert cache is None
        assert recalled("square", [np.ones(1)], (1,), lambda: np.ones(1)) == 1.0
    assert not own_cache.folder.exists()


def test_costs_of_collectives_are_the_same_with_the_cache_and_without(own_cache, monkeypatch):
    monkeypatch.setattr(machine, "_MANY", 2)
    component = next(component for component in COMPONENTS if component.provider == "fat-tree-2-level")
    study = Study.load("exascale").compiled
    index = next(i for i, product in enumerate(study.space.products) if "fat-tree-2-level" in product.name)
    numbers = study.space.offsets[index] + np.arange(0, study.space.products[index].size, 9973)[:400]
    ((record),) = study.quantities(numbers)
    answers = []
    for keeper in (None, own_cache, own_cache):
        function = machine._on_topology(component)
        with results_kept_by(keeper):
            answers.append(np.array(function.function(*(record["values"][need] for need in function.needs))))
    assert answers[0].tobytes() == answers[1].tobytes() == answers[2].tobytes()
    assert (own_cache.recalled, own_cache.kept) == (1, 1)


def test_who_keeps_results_is_asked_before_anything_is_computed(own_cache):
    with results_kept_by(own_cache):
        recalled("product", ARGUMENTS, SHAPE, lambda: RESULT)
        again = recalled("product", ARGUMENTS, SHAPE, pytest.fail)
    assert again.tobytes() == RESULT.tobytes()
    assert (own_cache.recalled, own_cache.kept) == (1, 1)
