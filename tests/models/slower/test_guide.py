"""The guide is true: its commands and its code run, its picture is that of the model, and it names what there is."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path

import pytest

from dse.authoring.library.library import load_model
from dse.cli.main import main

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/guide/slower.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 3
    for line in lines[:2]:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, capsys.readouterr()
    said = capsys.readouterr().out
    assert "63.555" in said
    assert Path("slower.html").is_file()


def test_the_code_runs(capsys):
    (block,) = blocks("python")
    exec(compile(block, "guide", "exec"), {})
    assert "many-tasking" in capsys.readouterr().out


def test_the_picture_is_up_to_date():
    spec = importlib.util.spec_from_file_location("docs_slower", ROOT / "docs/scripts/slower_pictures.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.FILE.read_text(encoding="utf-8") == module.picture(), "run docs/scripts/slower_pictures.py"


def test_every_slot_is_named():
    for name in ("slower", "slower.instruction_mix", "slower.modelled_nodes", "slower.simple_power"):
        assert f"`{name}`" in GUIDE
        for function in load_model(name).functions:
            if function.slot:
                assert f"`{function.slot}`" in GUIDE or f"`{function.slot} = " in GUIDE
                assert f"`{function.provider}`" in GUIDE or f'"{function.provider}"' in GUIDE
