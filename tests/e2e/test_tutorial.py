"""docs/guide/which-machine.md is followed word by word: files are saved, commands run, and what is shown is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/guide/which-machine.md"
BLOCK = re.compile(r"(?:`(?P<file>[\w.]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def plain(text: str) -> str:
    """Return the text on one line."""
    return re.sub(r"\s+", " ", text).strip()


def test_the_tutorial_does_what_it_says(toy, dse):
    printed, shown = "", 0
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        text = block["text"]
        match block["language"]:
            case "sh":
                printed = ""
                for line in text.splitlines():
                    command, *arguments = shlex.split(line, comments=True)
                    assert command == "dse"
                    result = dse(*arguments)
                    assert result.code == 0, (line, result)
                    printed += plain(result.out) + " "
            case "text":
                for line in text.splitlines():
                    assert plain(line) in printed, line
                    shown += 1
            case _:
                with Path(block["file"]).open("a", encoding="utf-8") as file:  # what is added to a file follows it
                    file.write(text if file.tell() == 0 else "\n" + text)
    assert shown >= 14
    assert Path("runs/forecast/report.html").is_file()
