"""What a study leaves out: of all its alternatives at once, and which models would give it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dse.authoring.library.library import Model, models_giving
from dse.errors import InputError, MissingQuantityError, one_of
from dse.evaluation.problem import System

__all__ = ["LeftOut", "with_providers", "with_way_out"]


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
            name: ""
            if len(lacking) == len(alternatives)
            else f"in {one_of(repr(alternative) for alternative in lacking)}"
            for name, lacking in self.alternatives.items()
        }
        first = next(iter(self.first.missing))
        if places[first]:
            self.first.only_in(places[first])
        raise self.first.joined(
            {name: f"{words} ({places[name]})" if places[name] else words for name, words in self.words.items()}
        )


def with_way_out(
    error: MissingQuantityError, axes: Collection[str], choices: Collection[str], command: str = ""
) -> InputError:
    """Return the error, where a condition reads what tells parts, members or alternatives apart, with what does that.

    Parameters
    ----------
    error : MissingQuantityError
    axes, choices : collection of str
        Names of axes and of choices of the study.
    command : str
        What stands before the options that are the way out.
    """
    for name in error.missing:
        options: tuple[str, ...]
        if name in axes:
            what, options = "an axis of parts or shapes", ("--set", "--without")
        elif name in choices or name == "alternative":
            what, options = "a choice" if name in choices else "what alternatives are called by", ("--without",)
        else:
            continue
        refusal = InputError(
            f"'{name}' is {what}, and a condition reads numbers",
            allowed=" or ".join(f"{command}{option} {name}=…" for option in options),
        )
        return refusal.within(file=error.file, key=error.key)
    return error


def with_providers(error: MissingQuantityError, models: Sequence[Model]) -> MissingQuantityError:
    """Return the error with what would give what is missing: other components of its models, models of the library.

    The library is loaded here, where the study is refused anyway, and nowhere before.
    """
    components = {
        name: f"the component '{function.provider}' of the slot '{function.slot}' gives it"
        for model in models
        for function in model.functions
        for name in function.gives
        if function.slot and name in error.missing
    }
    others = models_giving(error.missing, besides=[model.name for model in models])
    return error.given_by(others, components)
