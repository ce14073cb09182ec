"""Laws kept for later: where nobody knows what growth to expect, it is that of the last time (regression tests).

They stand in ``expectations/NAME.toml``, which is meant to be put under version control, and are written only when one
asks for it.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.errors import InputError
from dse.models.measured_laws.kinds.expectations.expectation import Expectation, default_deviation
from dse.models.measured_laws.kinds.expectations.fitted import FittedSeries, growth_of_term
from dse.models.measured_laws.kinds.expectations.growth import Growth, leading
from dse.models.measured_laws.kinds.expectations.language import parse_growth

__all__ = ["LEVEL_LIMIT", "StoredLaw", "read_status_quo", "status_quo_file", "write_status_quo"]

LEVEL_LIMIT = 1.25
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FORMAT, _LARGEST = "dse-status-quo/1", 5_000_000


@dataclass(frozen=True)
class StoredLaw:
    """The law of a function at an earlier time.

    Attributes
    ----------
    terms : tuple of (float, Growth)
    largest : float
        The largest size that was measured.
    unit : str
    larger_is_better : bool
    reduced : str
        What had become of repetitions.
    """

    terms: tuple[tuple[float, Growth], ...]
    largest: float
    unit: str
    larger_is_better: bool = False
    reduced: str = "median"

    @property
    def growth(self) -> Growth:
        """The growth of the fastest term."""
        return leading(growth for _, growth in self.terms)

    def expectation(self, variable: str) -> Expectation:
        """Return the expectation that it goes on like this."""
        growth = self.growth
        deviation = default_deviation(growth)
        return Expectation(growth, deviation, variable, "status quo", self.larger_is_better)

    def at(self, size: float) -> float:
        """Return the value of the law [unit]."""
        return sum(coefficient * float(growth.at(size)) for coefficient, growth in self.terms)

    def level(self, series: FittedSeries) -> float | None:
        """Return a law over this one at the largest size common to both, None where this one is no positive number."""
        if series.law.unit != self.unit:
            raise InputError(f"is in {series.law.unit}, what is stored in {self.unit}")
        size = min(self.largest, series.sizes[-1])
        kept = self.at(size)
        return series.law.at({series.variable: size}) / kept if kept > 0 else None


def status_quo_file(name: str, folder: Path = Path("expectations")) -> Path:
    """Return the file of a name."""
    if not _NAME.fullmatch(name):
        raise InputError(f"the name {name!r}", allowed="letters, digits, '.', '_' and '-', such as mpi-4.1")
    return folder / f"{name}.toml"


def write_status_quo(
    file: Path, series: Mapping[str, FittedSeries], *, sha256: str, date: str, larger_is_better: Sequence[str] = ()
) -> None:
    """Write laws to a file, in place of what was there.

    Parameters
    ----------
    file : Path
    series : mapping of str to FittedSeries
        What is compared of each function.
    sha256 : str
        Of what the laws were fitted to.
    date : str
    larger_is_better : sequence of str
    """
    import tomlkit

    document = tomlkit.document()
    document["format"] = _FORMAT
    document["date"] = date
    document["commit"] = _commit()
    document["sha256"] = sha256
    functions = tomlkit.table(is_super_table=True)
    for name, fitted in series.items():
        entry = tomlkit.table()
        entry["law"] = str(fitted.law)
        entry["variable"] = fitted.variable
        entry["unit"] = fitted.law.unit
        entry["range"] = [fitted.sizes[0], fitted.sizes[-1]]
        entry["reduced"] = fitted.reduced
        if name in larger_is_better:
            entry["larger_is_better"] = True
        terms = tomlkit.array().multiline(True)
        for term, coefficient in zip(fitted.law.terms, fitted.law.coefficients, strict=True):
            growth = growth_of_term(term, fitted.law.parameters)
            terms.append({"coefficient": coefficient, "growth": growth.text(fitted.variable)})
        entry["terms"] = terms
        functions[name] = entry
    document["functions"] = functions
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.new")
    beside.write_text(tomlkit.dumps(document), encoding="utf-8")
    beside.replace(file)


def read_status_quo(file: Path) -> dict[str, StoredLaw]:
    """Read the laws of a file.

    Raises
    ------
    InputError
        No such file, or one that was not written by `write_status_quo`.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError("is too long", file=file, allowed=f"at most {_LARGEST:,} bytes")
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = sorted(path.stem for path in file.parent.glob("*.toml"))
        raise InputError(
            "no such status quo",
            file=file,
            allowed=kept or "nothing is recorded yet: dse expect FILE --record NAME",
            wrong=file.stem,
            candidates=kept,
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=file) from None
    if document.get("format") != _FORMAT or not isinstance(document.get("functions"), dict):
        raise InputError("is no status quo", file=file, key="format", allowed=f'"{_FORMAT}"')
    laws = {}
    for name, entry in document["functions"].items():
        try:
            laws[name] = _stored(entry)
        except InputError as error:
            raise error.within(file=file, key=f"functions.{name}") from None
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError("is damaged", file=file, key=f"functions.{name}") from None
    return laws


def _stored(entry: Mapping[str, Any]) -> StoredLaw:
    variable = str(entry["variable"])
    terms = tuple((float(term["coefficient"]), parse_growth(term["growth"], variable)[0]) for term in entry["terms"])
    if not terms:
        raise ValueError
    reduced = str(entry.get("reduced", "median"))
    better = bool(entry.get("larger_is_better", False))
    return StoredLaw(terms, float(entry["range"][1]), str(entry["unit"]), better, reduced)


def _commit() -> str:
    """Return the commit of the current folder, empty where there is none."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
