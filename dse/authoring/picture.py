"""Pictures: what a design looks like, drawn from its own quantities.

A model declares a picture beside its functions; argument names are quantities, here the numbers (or texts) of one
design, and the result is a `Drawing`, which is plain data::

    @picture(title="The ring", slot="network", provider="ring")
    def ring(stations):
        "Stations on a circle."
        ...
        return Drawing(400, 300, shapes, kinds, caption="Ring of 8 stations", description="…")

A picture applies to an alternative of a study when its component fills the slot (or it names none) and every argument
without a default is a quantity of that alternative's graph; else the alternative has no such picture.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple

from typing_extensions import ParamSpec

from dse.authoring.houses import label_of
from dse.errors import InputError, ModelError

__all__ = ["MOST_SHAPES", "TONES", "Box", "Curve", "Dot", "Drawing", "Kind", "Line", "Picture", "Shape", "Text"]
__all__ += ["draw", "picture"]

MOST_SHAPES = 1_500  # of a drawing: what is larger is to be drawn schematically
TONES = ("ink", "quiet", "rule", "blue", "orange", "green", "pink", "grey", "yellow", "violet", "red")


class Kind(NamedTuple):
    """How shapes of a kind look, and what they are: `label` stands in the legend (a kind without one does not).

    `tone` is one of `TONES`, which look well on light and on dark paper. `width` is that of lines and outlines; `soft`
    makes lines faint and boxes an outline with a tint, `dashed` lines dashed.
    """

    tone: str
    label: str = ""
    width: float = 1.0
    soft: bool = False
    dashed: bool = False


class Dot(NamedTuple):
    """A disc round (x, y)."""

    x: float
    y: float
    radius: float
    kind: str


class Box(NamedTuple):
    """A rectangle round (x, y)."""

    x: float
    y: float
    width: float
    height: float
    kind: str


class Line(NamedTuple):
    """A straight line."""

    x0: float
    y0: float
    x1: float
    y1: float
    kind: str


class Curve(NamedTuple):
    """A chain of cubic Bézier curves: the first point, then two control points and an end for each piece."""

    points: tuple[tuple[float, float], ...]
    kind: str


class Text(NamedTuple):
    """A line of text on the baseline y; `anchor` tells which part of it stands at x: "start", "middle" or "end"."""

    x: float
    y: float
    text: str
    kind: str
    anchor: str = "middle"
    size: float = 11.0


Shape = Dot | Box | Line | Curve | Text


@dataclass(frozen=True)
class Drawing:
    """A picture as data; x goes right and y down from the upper left corner, a unit is about a pixel.

    Attributes
    ----------
    width, height : float
    shapes : tuple of Dot, Box, Line, Curve or Text
        In the order in which they are painted; at most `MOST_SHAPES`.
    kinds : dict of str to Kind
        How each kind of shape looks; the legend is in the order of this mapping.
    caption : str
        What it is, with its sizes, and which part of it is drawn.
    description : str
        The same for who cannot see it.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    kinds: Mapping[str, Kind]
    caption: str
    description: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be painted, or not in reasonable size."""
        if len(self.shapes) > MOST_SHAPES:
            raise ModelError(f"{len(self.shapes)} shapes in a drawing; draw more than {MOST_SHAPES} schematically")
        for kind in self.kinds.values():
            if kind.tone not in TONES:
                raise ModelError(f"no tone '{kind.tone}' for a drawing: {', '.join(TONES)}")
        for shape in self.shapes:
            if shape.kind not in self.kinds:
                raise ModelError(f"a shape of the kind '{shape.kind}', which the drawing has not")
            if isinstance(shape, Curve):
                numbers = [coordinate for point in shape.points for coordinate in point]
                if len(shape.points) < 4 or len(shape.points) % 3 != 1:
                    raise ModelError(f"a curve of {len(shape.points)} points; it needs 4, 7, 10 …")
            else:
                numbers = [value for value in shape if isinstance(value, (int, float))]
            if not all(map(math.isfinite, (self.width, self.height, *numbers))):
                raise ModelError(f"a shape at no finite place: {shape}")


_P = ParamSpec("_P")
_Needs = ParamSpec("_Needs", default=...)


@dataclass(frozen=True)
class Picture(Generic[_Needs]):
    """A function that draws a design.

    Attributes
    ----------
    name : str
    function : callable
        From the quantities of one design, as plain numbers or texts, to a `Drawing`.
    needs : tuple of str
        The quantities it reads, by its arguments.
    optional : tuple of str
        Those it can do without: they have a default, for systems whose graph lacks them.
    title : str
        What it shows.
    slot : str, optional
    providers : tuple of str
        The components of the slot it is for.
    explains : bool
        Whether the lines of its description are what an explanation of a design says first.
    when : callable, optional
        From what it reads, whether there is anything to draw; left out, there always is.
    """

    name: str
    function: Callable[_Needs, Drawing]
    needs: tuple[str, ...]
    title: str
    optional: tuple[str, ...] = ()
    slot: str | None = None
    providers: tuple[str, ...] = ()
    doc: str = ""
    module: str = ""
    explains: bool = False
    when: Callable[..., bool] | None = None

    def __call__(self, *args: _Needs.args, **kwargs: _Needs.kwargs) -> Drawing:
        """Call the plain function."""
        return self.function(*args, **kwargs)

    @property
    def label(self) -> str:
        """The name with its module, as messages show it."""
        return f"{self.module}.{self.name}" if self.module else self.name

    def applies(self, components: Mapping[str, str], units: Mapping[str, str]) -> bool:
        """Tell whether it is for a system with these components by slot and these quantities (with their units)."""
        if self.slot is not None and components.get(self.slot) not in self.providers:
            return False
        return all(units.get(name, "table") != "table" for name in self.needs)

    def arguments(self, quantities: Container[str]) -> tuple[str, ...]:
        """Return what it reads of a system with these quantities."""
        return (*self.needs, *(name for name in self.optional if name in quantities))


def picture(
    *,
    title: str,
    slot: str | None = None,
    provider: str | tuple[str, ...] | list[str] | None = None,
    when: Callable[..., bool] | None = None,
) -> Callable[[Callable[_P, Drawing]], Picture[_P]]:
    """Make a function of quantities a picture of designs: of all, or of those with a component (or one of several).

    With `when`, of the same arguments, it is drawn where that is true.
    """

    def decorate(function: Callable[_P, Drawing]) -> Picture[_P]:
        where = f"{function.__module__}.{function.__qualname__}"
        if not title:
            raise ModelError(f"{where}: 'title' is empty")
        if (slot is None) != (not provider):
            raise ModelError(f"{where}: 'slot' and 'provider' go together")
        needs: list[str] = []
        optional: list[str] = []
        for argument in inspect.signature(function).parameters.values():
            if argument.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
                raise ModelError(f"{where}: argument '{argument.name}' must be a plain positional argument")
            (needs if argument.default is inspect.Parameter.empty else optional).append(argument.name)
        return Picture(
            name=function.__name__,
            function=function,
            needs=tuple(needs),
            optional=tuple(optional),
            title=title,
            slot=slot,
            providers=(provider,) if isinstance(provider, str) else tuple(provider or ()),
            doc=inspect.cleandoc(function.__doc__ or ""),
            module=label_of(function.__module__),
            when=when,
        )

    return decorate


def draw(picture: Picture, values: Mapping[str, object]) -> Drawing:
    """Draw one design from its quantities (numbers, texts or arrays with one entry).

    Raises
    ------
    ModelError
        The picture fails, or returns something else.
    """
    given = {name: _plain(values[name]) for name in picture.arguments(values)}
    try:
        drawing = picture.function(**given)
    except (InputError, ModelError) as error:
        raise ModelError(f"the picture {picture.label} fails: {error}") from error
    except SystemExit as error:
        raise ModelError(f"the picture {picture.label} ends the program") from error
    except Exception as error:
        raise ModelError(f"the picture {picture.label} fails: {type(error).__name__}: {error}") from error
    if not isinstance(drawing, Drawing):
        raise ModelError(
            f"the picture {picture.label} must return a dse.authoring.picture.Drawing, not {type(drawing).__name__}"
        )
    return drawing


def _plain(value: object) -> object:
    reshape = getattr(value, "reshape", None)  # of an array, or a NumPy number
    return value if reshape is None else reshape(-1)[:1].tolist()[0]
