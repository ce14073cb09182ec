"""The parts of Rich that commands print with; a tenth of a second to load, so they wait until something is printed."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

__all__ = ["BarColumn", "Console", "Progress", "ProgressColumn", "Table", "Task", "Text", "TextColumn"]
__all__ += ["TimeRemainingColumn", "Tree", "box"]
