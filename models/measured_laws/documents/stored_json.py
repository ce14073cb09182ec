"""Documents of our own as JSON: checked by their model as they are read, and written where no file stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from dse.errors import InputError

__all__ = ["validated", "write_new"]

Model = TypeVar("Model", bound=BaseModel)


def validated(document: Any, model: type[Model], *, file: Path, allowed: str) -> Model:
    """Return a document as its model.

    Raises
    ------
    InputError
        The first fault in it, by its key, and what is `allowed`.
    """
    try:
        return model.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(message, file=file, key=key or None, allowed=allowed) from None


def write_new(text: str, file: Path) -> None:
    """Write a file; one that exists is not overwritten.

    Raises
    ------
    InputError
        There is such a file, or it cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name") from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=file) from None
