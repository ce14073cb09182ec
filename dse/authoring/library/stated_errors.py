"""What the models of the library state of their own errors, family by family; and which state none.

Three places hold them: a function (`RelativeError`), an input that carries the error of a law (`LawError`), and a file
of errors beside a catalogue of parts. An answer that rests on a family without any says that no error is known, and
gives no probability of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from dse.authoring.declare.declaration import RelativeError
from dse.authoring.houses import families
from dse.authoring.library.library import Model, load_model
from dse.authoring.library.listing import available_models
from dse.authoring.table import read_table

__all__ = ["StatedError", "library_errors"]


class StatedError(NamedTuple):
    """An error that a family states: the mean, ± its standard deviation; σ of a law, the same for all designs; or ends.

    Ends are the widest of all parts. Without a quantity the family states none.
    """

    family: str
    quantity: str
    error: str
    source: str


def library_errors() -> list[StatedError]:
    """Return what every family states, in the order of their names."""
    by_family: dict[str, dict[tuple[str, str], StatedError]] = {}
    for name in sorted(available_models()):
        family, model = name.partition(".")[0], load_model(name)
        own = by_family.setdefault(family, {})
        for stated in (*_of_model(family, model), *_of_catalogues(family)):
            own.setdefault((stated.quantity, stated.error), stated)
    return [
        stated
        for family, own in by_family.items()
        for stated in (own.values() or [StatedError(family, "", "none", "")])
    ]


def _of_model(family: str, model: Model) -> Iterator[StatedError]:
    known = families()
    for function in model.functions:
        other = function.module.partition(".")[0]
        if other != family and other in known:  # handed on by a family that joins others
            continue
        errors = (
            function.error if isinstance(function.error, Mapping) else dict.fromkeys(function.gives, function.error)
        )
        for quantity, error in errors.items():
            if isinstance(error, RelativeError):
                spread = "" if error.std is None else f" ± {_percent(error.std)}"
                yield StatedError(family, quantity, f"{_percent(error.mean)}{spread}", error.of)
    for name, assumption in model.assumptions.items():
        law = assumption.law_error
        if law is not None:
            yield StatedError(family, name, f"σ {_percent(law.spread)}", f"{law.law}: {law.source}")


def _of_catalogues(family: str) -> Iterator[StatedError]:
    """Yield the widest interval of each column of which a file beside a catalogue says how far it may be off."""
    folder = Path(str(files("dse.spaces"))) / family
    for path in sorted(folder.glob("*-errors.csv")) if folder.is_dir() else ():
        table = read_table(path, name=f"{family}/{path.name}")
        cells = (table[name].tolist() for name in ("quantity", "low", "high", "source"))
        widest: dict[str, tuple[float, float, str]] = {}
        for quantity, low, high, source in zip(*cells, strict=True):
            before = widest.get(quantity, (0.0, 0.0, str(source)))
            widest[quantity] = (min(before[0], low), max(before[1], high), before[2])
        for quantity, (low, high, source) in widest.items():
            words = f"{100.0 * low:+.3g} to {100.0 * high:+.3g} %"
            yield StatedError(family, quantity, words, f"{table.name}: {source}")


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"
