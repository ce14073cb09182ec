"""A user's own part catalogues and baselines with every kind of mistake: the whole message, and exit code 2."""

import pytest
from toy import STUDY, edited, write_toy

from dse.library import load_model

PARTS = "name,frequency [GHz],source\nslow,1,me\nfast,2,you\n"
WITH_PARTS = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))

CATALOGUES = {
    "empty": "",
    "only a heading": "name,frequency [GHz],source\n",
    "no unit": PARTS.replace(" [GHz]", ""),
    "unknown unit": PARTS.replace("GHz", "gigahurz"),
    "unit of another dimension": PARTS.replace("GHz", "W"),
    "open bracket": PARTS.replace("[GHz]", "[GHz"),
    "a column twice": "name,frequency [GHz],frequency [GHz],source\nslow,1,1,me\n",
    "a word for a number": PARTS.replace("slow,1", "slow,one"),
    "an empty cell": PARTS.replace("slow,1", "slow,"),
    "not a number": PARTS.replace("slow,1", "slow,nan"),
    "infinite": PARTS.replace("slow,1", "slow,inf"),
    "zero": PARTS.replace("slow,1", "slow,0"),
    "a cell too many": PARTS.replace("slow,1,me", "slow,1,me,too"),
    "a cell too few": PARTS.replace("slow,1,me", "slow"),
    "two of one name": PARTS.replace("fast", "slow"),
    "no name column": PARTS.replace("name,", "label,"),
    "a name without text": PARTS.replace("fast,2", ",2"),
    "no UTF-8": "name,frequency [GHz],source\ncaf\xe9,1,me\n",
    "a decimal comma": PARTS.replace("slow,1,me", 'slow,"1,5",me'),
    "a quantity a model computes": PARTS.replace("frequency [GHz]", "power [W]"),
}
"""The text of parts.csv, by what is wrong with it."""

BASELINES = "system,program,cores,useful cycles\n"
