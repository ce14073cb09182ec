"""Compressors on files of one's own: ratios that can be known, sampling, rows that a study takes, and what is wrong."""

import json

import numpy as np
import pytest

from dse import Study
from dse.cli.main import main
from dse.errors import InputError
from dse.models.resilience.measured_compression import measure_compression, sampled_blocks


def written(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def by_name(measured):
    return {entry.name: entry for entry in measured}


def test_zeros_shrink_and_noise_does_not(tmp_path):
    zeros = by_name(measure_compression([written(tmp_path, "zeros", bytes(1 << 18))], block=1 << 16)[0])
    noise = np.random.default_rng(0).bytes(1 << 18)
    random = by_name(measure_compression([written(tmp_path, "noise", noise)], block=1 << 16)[0])
    for name, entry in zeros.items():
        assert entry.ratio > 100.0, name
        assert random[name].ratio == pytest.approx(1.0, abs=0.01), name
        assert entry.bytes == 1 << 18
        assert entry.error == "exact"
        assert entry.compress_bandwidth > 0.0 < entry.decompress_bandwidth
    assert "zlib 6" in zeros


def test_the_ratio_is_that_of_the_compressor_on_the_same_blocks(tmp_path):
    import zlib

    data = np.sin(np.arange(1 << 15) / 100.0).tobytes()
    measured = by_name(measure_compression([written(tmp_path, "a", data)], block=1 << 16, budget=1e3)[0])
    held = sum(len(zlib.compress(data[place : place + (1 << 16)], 6)) for place in range(0, len(data), 1 << 16))
    assert measured["zlib 6"].ratio == pytest.approx(len(data) / held, rel=1e-12)
    assert measured["zlib 6"].blocks == 4


def test_zstd_and_lz4_are_tried_where_they_are_installed(tmp_path):
    pytest.importorskip("zstandard", reason="the package zstandard is not installed (extra formats)")
    pytest.importorskip("lz4", reason="the package lz4 is not installed (extra formats)")
    measured = by_name(measure_compression([written(tmp_path, "a", bytes(1 << 16))])[0])
    assert {"lz4", "zstd 1", "zstd 3", "zstd 9"} <= set(measured)


def test_zfp_keeps_its_bound(tmp_path):
    pytest.importorskip("zfpy", reason="the package zfpy is not installed")
    data = np.sin(np.arange(1 << 14) / 50.0)
    measured = by_name(measure_compression([written(tmp_path, "a", data.tobytes())], values="float64")[0])
    assert measured["zfp reversible"].error == "exact"
    assert measured["zfp relative"].kind == "lossy"
    assert measured["zfp relative"].ratio > measured["zfp reversible"].ratio


def test_blocks_are_spread_over_all_files_and_their_ends(tmp_path):
    files = [written(tmp_path, "a", bytes(1000)), written(tmp_path, "b", bytes(9050))]
    places = sampled_blocks(files, 100, 11)
    assert len(places) == 11
    assert places[0] == (files[0], 0, 100)
    assert places[-1] == (files[1], 9000, 50)
    assert len(sampled_blocks(files, 100, 1000)) == 10 + 91


def test_the_budget_ends_it_after_two_blocks(tmp_path):
    measured, _ = measure_compression([written(tmp_path, "a", bytes(1 << 16))], block=1 << 10, budget=1e-12)
    assert {entry.blocks for entry in measured} == {2}


@pytest.mark.parametrize(
    ("name", "data", "values", "message"),
    [
        ("a", b"", "", "is empty"),
        ("a", b"x" * 3, "float64", "no block of whole float64"),
        ("a", b"x", "int9", "'int9'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, name, data, values, message):
    with pytest.raises(InputError, match=message):
        measure_compression([written(tmp_path, name, data)], values=values)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        measure_compression([tmp_path / "nothing"])
    with pytest.raises(InputError, match="is no plain file"):
        measure_compression([tmp_path])


def test_rows_of_the_command_are_what_a_study_takes(tmp_path, monkeypatch, capsys):
    """The best of two compressors of a study is that with the larger S (1 - 1/rho): here the one that shrinks zeros."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "state.bin", bytes(1 << 18))
    with pytest.raises(SystemExit) as ended:
        main(["compression", "state.bin", "--cores", "4", "--out", "rows.csv", "--json"])
    assert ended.value.code == 0
    document = json.loads(capsys.readouterr().out)
    row = document["rows"][-1]
    assert row["pays_below"] == pytest.approx(
        row["node_compress_bandwidth [B/s]"] * (1.0 - 1.0 / row["measured_ratio"])
    )
    assert any(entry["scheme"] == "FPC" for entry in document["published"])
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\nmodels = ["resilience"]\n[[objectives]]\nminimize = "wall_time"\n[set]\nnodes = 100\n'
        'checkpoint_bytes = "6.4 TB"\nuseful_time = "10 day"\nstore_write_bandwidth = "10 GB/s"\n'
        '[use]\ncheckpoint_compression = "serial"\n'
        '[space.axes]\ncompressor = { part = "rows.csv" }\n',
        encoding="utf-8",
    )
    run = Study.load("mine.toml").run(trust=False)
    assert len(run.frontier) == 1
    with pytest.raises(SystemExit) as ended:
        main(["compression", "state.bin", "--out", "rows.csv"])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "rows.txt"], "--out: 'rows.txt'; allowed: a name that ends in .csv"),
        (["--block", "0.5 B"], "--block: blocks of 0 bytes"),
        (["--values", "float16"], "--values: 'float16'; allowed: float32, float64"),
    ],
)
def test_options_of_the_command_are_refused_as_typed(tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "checkpoint.bin", bytes(4096))
    with pytest.raises(SystemExit) as ended:
        main(["compression", "checkpoint.bin", *options])
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "rows.txt").exists()
