"""What a study leaves out: of all its alternatives at once, and which models would give it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dse.authoring.library import Model, models_giving
from dse.errors import InputError, MissingQuantityError, one_of
from dse.evaluation.problem import System

__all__ = ["LeftOut", "with_providers"]


class LeftOut:
    """The quantities that the systems of some alternatives lack."""

    def __init__(self) -> None:
        self.first: MissingQuantityError | None = None
        self.alternatives: dict[str, list[str]] = {}
        self.words: dict[str, str] = {}

    def made(self, alternative: str, make: Callable[[], System]) -> System | None:
        """Return the system of an alternative; None, and a note, where quantities are missing.

        Whatever else is wrong with a later alternative comes to light when nothing is missing any more.
        """
        try:
            return make()
        except MissingQuantityError as error:
            if not error.missing:
                raise
            self.first = self.first or error
            for name, words in error.missing.items():
                self.words.setdefault(name, words)
                self.alternatives.setdefault(name, []).append(alternative)
        except InputError:
            if self.first is None:
                raise
        return None

    def refuse(self, alternatives: Sequence[str]) -> None:
        """Raise the error for everything that was missing, with the alternatives where only some lack it."""
        if self.first is None:
            return
        places = {
            name: "" if len(lacking) == len(alternatives) else f"in {one_of(repr(one) for one in lacking)}"
            for name, lacking in self.alternatives.items()
        }
        first = next(iter(self.first.missing))
        if places[first]:
            self.first.only_in(places[first])
        raise self.first.joined(
            {name: f"{words} ({places[name]})" if places[name] else words for name, words in self.words.items()}
        )


def with_providers(error: MissingQuantityError, models: Sequence[Model]) -> MissingQuantityError:
    """Return the error with the models of the library that would give what is missing.

    The library is loaded here, where the study is refused anyway, and nowhere before.
    """
    return error.given_by(models_giving(error.missing, besides=[model.name for model in models]))
