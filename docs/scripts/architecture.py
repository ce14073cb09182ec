"""The pictures, tables and numbers of docs/architecture.md, drawn from the imports.

    .venv/bin/python docs/scripts/architecture.py            # writes docs/images/*.svg and the tables of the page
    .venv/bin/python docs/scripts/architecture.py FOLDER     # only prints the numbers of the tree in FOLDER

A *room* of the engine is what stands directly in ``dse/``: a folder, or a module on its own (``dse`` itself, the public
names, is one). An *arrow* is drawn where a module of one room imports from another room, at the top of a file, inside a
function or under ``TYPE_CHECKING``; its number counts pairs of modules. The *floors* are the rooms of the longest chain
in which each imports the next and none stands twice. A *circle* is a set of modules that reach one another by imports.
A *room inside* a room is a folder in it that holds modules of its own.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import grimp

from dse.authoring.library.model_files import is_aside

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
DATA = ("dse.models", "dse.spaces", "dse.studies")

Arrows = dict[tuple[str, str], int]


@dataclass(frozen=True)
class Picture:
    """Rooms from the ground up, how many modules each has, and the arrows between them; `aside` are dashed ones."""

    floors: Mapping[str, int]
    sizes: Mapping[str, int]
    arrows: Arrows
    aside: Arrows


def imports_of(folder: Path) -> dict[str, set[str]]:
    """Return what each module of ``dse`` in a folder imports from ``dse``."""
    sys.path.insert(0, str(folder))
    loaded = sys.modules.pop("dse")  # or grimp would look where this one came from
    try:
        graph = grimp.build_graph("dse", cache_dir=None)
    finally:
        sys.modules["dse"] = loaded
        sys.path.remove(str(folder))
    return {module: set(graph.find_modules_directly_imported_by(module)) for module in sorted(graph.modules)}


def engine_room(module: str) -> str:
    """Return the room of a module of the engine: ``dse.search.schedule.pool`` is in ``search``."""
    return module.split(".")[1] if "." in module else "dse"


def family(module: str) -> str:
    """Return the family of a module of ``dse.models``."""
    return module.split(".")[2]


def inside(module: str, parent: str) -> str:
    """Return what a module belongs to of what stands directly in a folder: a room inside, or a module on its own."""
    return module.removeprefix(parent + ".").split(".")[0]


def folder_sizes(modules: Iterable[str]) -> dict[str, int]:
    """Return how many modules stand in each folder, its ``__init__`` counted."""
    names = set(modules)
    folders = {name.rpartition(".")[0] for name in names} & names
    return Counter(name if name in folders else name.rpartition(".")[0] for name in names)


def of_engine(module: str) -> bool:
    """Tell whether a module is one of the engine's."""
    return not module.startswith(DATA)


def of_families(module: str) -> bool:
    """Tell whether a module belongs to a family of models."""
    return module.startswith("dse.models.")


def arrows_between(
    imports: Mapping[str, set[str]],
    member: Callable[[str], bool],
    room: Callable[[str], str],
    importer: Callable[[str], bool] = lambda _: True,
) -> Arrows:
    """Count the pairs of modules behind each arrow between two rooms."""
    return Counter(
        (room(above), room(below))
        for above in imports
        if member(above) and importer(above)
        for below in imports[above]
        if member(below) and room(below) != room(above)
    )


def circles(successors: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the sets of two or more that reach one another, the largest first."""
    reached: dict[str, set[str]] = {}
    for start in successors:
        reached[start], waiting = set(), [start]
        while waiting:
            for following in successors[waiting.pop()] - reached[start]:
                reached[start].add(following)
                waiting.append(following)
    rings = {frozenset(other for other in reached[name] if name in reached[other]) for name in successors}
    return sorted((set(ring) for ring in rings if len(ring) > 1), key=lambda ring: (-len(ring), sorted(ring)))


def levels(rooms: Iterable[str], arrows: Arrows) -> dict[str, int]:
    """Return the length of the longest chain of rooms below each, where none stands twice."""
    successors = {room: {below for above, below in arrows if above == room} for room in rooms}
    ring = {room: frozenset(others) for others in circles(successors) for room in others}

    @cache
    def below(room: str, passed: frozenset[str] = frozenset()) -> int:
        lengths = [0]
        for following in successors[room]:
            inside = following in ring.get(room, ())
            if not inside:
                lengths.append(1 + below(following))
            elif following not in passed:
                lengths.append(1 + below(following, passed | {room}))
        return max(lengths)

    return {room: below(room) for room in successors}


def numbers(imports: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the numbers of the engine: rooms, floors, arrows, circles."""
    modules = {
        module: {other for other in imports[module] if of_engine(other)} for module in imports if of_engine(module)
    }
    rooms = {engine_room(module) for module in modules}
    arrows = arrows_between(imports, of_engine, engine_room)
    successors = {room: {below for above, below in arrows if above == room} for room in rooms}
    sizes = folder_sizes(modules)
    return {
        "rooms": len(rooms),
        "floors": 1 + max(levels(rooms, arrows).values()),
        "arrows": len(arrows),
        "circles": len(circles(modules)),
        "rooms in a circle": sum(map(len, circles(successors))),
        "rooms inside": sum(folder.count(".") == 2 for folder in sizes),
        "largest folder": max(sizes.values()),
        "of `models/`": max(folder_sizes(filter(of_families, imports)).values(), default=0),
    }


def engine_picture(imports: Mapping[str, set[str]]) -> Picture:
    """Return the rooms of the engine on the floors that the contract in pyproject.toml gives them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    sizes = Counter(engine_room(module) for module in imports if of_engine(module))
    # Units stand on messages, and both are the ground floor.
    declared = {
        room.strip(): max(0, place - 1) for place, layer in enumerate(reversed(layers)) for room in layer.split("|")
    }
    arrows = arrows_between(imports, of_engine, engine_room)
    top = {room: 12 + level for level, room in enumerate(["dse", "__main__"])}
    floors = {**declared, **top}
    steps = levels(sizes, arrows)
    ordered = sorted(sizes, key=lambda room: (floors[room], steps[room], room))
    return Picture({room: floors[room] for room in ordered}, sizes, arrows, {})


def families_picture(imports: Mapping[str, set[str]]) -> Picture:
    """Return the families of models, each as high as the longest chain of families below it."""

    def aside(module: str) -> bool:
        return any(map(is_aside, module.split(".")[3:]))

    sizes = Counter(family(module) for module in imports if of_families(module))
    arrows = arrows_between(imports, of_families, family, lambda module: not aside(module))
    beside = arrows_between(imports, of_families, family, aside)
    steps = levels(sizes, arrows | beside)
    ordered = sorted(sizes, key=lambda name: (steps[name], name))
    return Picture({name: steps[name] for name in ordered}, sizes, arrows, beside)


ASIDE = {"claims", "cli"}  # in many families, and drawn in none


def room_picture(imports: Mapping[str, set[str]], parent: str, loose: bool) -> Picture:
    """Return what stands in a folder, each as high as the longest chain below it; `loose` modules are drawn or not."""
    rooms = set(rooms_inside(imports, parent))

    def member(module: str) -> bool:
        return module.startswith(parent + ".") and (loose or inside(module, parent) in rooms)

    def room(module: str) -> str:
        return inside(module, parent)

    sizes = Counter(room(module) for module in imports if member(module))
    arrows = arrows_between(imports, member, room)
    steps = levels(sizes, arrows)
    ordered = sorted(sizes, key=lambda name: (steps[name], name))
    return Picture({name: steps[name] for name in ordered}, sizes, arrows, {})


def rooms_inside(imports: Mapping[str, set[str]], parent: str) -> list[str]:
    """Return the names of the rooms in a folder; what every family has beside its physics is none."""
    start = parent.count(".") + 1
    packages = {module.rpartition(".")[0] for module in imports}
    names = {package.split(".")[start] for package in packages if package.startswith(parent + ".")}
    return sorted(names - ASIDE if parent.startswith("dse.models.") else names)


def parents(imports: Mapping[str, set[str]], picture: Picture, package: str) -> list[str]:
    """Return the folders of a picture, from the top, that hold rooms."""
    return [
        f"{package}.{room}"
        for room in reversed(picture.floors)
        if room != package and rooms_inside(imports, f"{package}.{room}")
    ]


PITCH, ROW, MARGIN, BOX, HEIGHT = 47, 38, 128, 118, 24
NARROW, SIDE, WIDEST = 40, 10, 1100  # of pictures that stand side by side
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1b2733}.small{font-size:10px}.count{font-size:10px;text-anchor:middle}"
    ".floor{fill:#5b6b7b}.wire{stroke:#8fa3b5;fill:none}.up{stroke:#c0392b}.aside{stroke-dasharray:3 3}"
    ".dot{fill:#fff;stroke:#8fa3b5}.dot.up{stroke:#c0392b}.box{fill:#dcebf7;stroke:#3b6e99}.head{fill:#3b6e99}"
    ".loose{fill:#fff;stroke:#8fa3b5}.name{font-weight:600}"
)


def drawn(picture: Picture, title: str, ground: str) -> str:
    """Draw rooms on the diagonal: to the right of a room what it imports, whose arrows come down on it from above."""
    width, height, parts = diagram(picture, MARGIN, PITCH, ground)
    return page_of(title, width, height, parts)


def drawn_beside(pictures: Mapping[str, Picture], title: str) -> str:
    """Draw pictures side by side, in rows from the largest to the smallest, each under the name of its room."""
    parts: list[str] = []
    left, top, tallest, width = 0, 0, 0, 0
    for name, picture in sorted(pictures.items(), key=lambda item: -len(item[1].floors)):
        wide, high, inner = diagram(picture, SIDE, NARROW, "")
        if left and left + wide > WIDEST:
            left, top, tallest = 0, top + tallest + 24, 0
        heading = f'<text class="name" x="{SIDE}" y="20">{escape(name)}</text>'
        parts += [
            f'<g transform="translate({left} {top})">{heading}<g transform="translate(0 22)">',
            *inner,
            "</g></g>",
        ]
        left, tallest, width = left + wide + 24, max(tallest, high + 22), max(width, left + wide)
    return page_of(title, width, top + tallest, parts)


def page_of(title: str, width: int, height: int, parts: list[str]) -> str:
    """Return an SVG of what was drawn, on white."""
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
                f"<title>{escape(title)}</title><style>{STYLE}</style>",
                f'<rect width="{width}" height="{height}" fill="#fff"/>',
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def diagram(picture: Picture, margin: int, pitch: int, ground: str) -> tuple[int, int, list[str]]:
    """Return width, height and elements of a picture; without a name for its ground, levels are not labelled."""
    rooms = list(reversed(picture.floors))
    place = {room: number for number, room in enumerate(rooms)}

    def column(room: str) -> int:
        return margin + BOX + place[room] * pitch

    def row(room: str) -> int:
        return 30 + place[room] * ROW

    width, height = margin + BOX + (len(rooms) - 1) * pitch + 36, 30 + len(rooms) * ROW
    parts = []
    for number, level in enumerate(sorted(set(picture.floors.values()), reverse=True)):
        there = [room for room in rooms if picture.floors[room] == level]
        top = row(there[0]) - ROW // 2
        shade = "#f4f7fa" if number % 2 else "#fff"
        parts.append(f'<rect y="{top}" width="{width}" height="{len(there) * ROW}" fill="{shade}"/>')
        label = f"{ground} {level}" if level < 12 else "top"
        if ground:
            parts.append(f'<text class="floor small" x="8" y="{top + ROW // 2 + 4}">{label}</text>')
    both = {**picture.arrows, **{pair: 0 for pair in picture.aside if pair not in picture.arrows}}
    crossings = []
    for (above, below), count in sorted(both.items(), key=lambda item: (place[item[0][0]], place[item[0][1]])):
        down = place[below] > place[above]
        kind = ("" if count else " aside") + ("" if down else " up")
        x, y = column(below) - (0 if down else BOX - 10), row(above)
        edge = column(above) + (14 if down else -BOX)
        end = row(below) + (-HEIGHT // 2 if down else HEIGHT // 2)
        parts.append(f'<path class="wire{kind}" d="M{edge} {y}H{x}V{end}"/>')
        more = picture.aside.get((above, below), 0)
        text = (f"{count}" if count else "") + (f"+{more}" if more else "")
        said = f"{above} → {below}: {count} imports" + (f", and {more} of claims or commands" if more else "")
        crossings.append(
            f"<g><title>{escape(said)}</title>"
            f'<ellipse class="dot{kind}" cx="{x}" cy="{y}" rx="{7 + 3 * len(text)}" ry="8"/>'
            f'<text class="count" x="{x}" y="{y + 3.5}">{text}</text></g>'
        )
    parts += crossings
    reached = {below for above, below in both if place[below] > place[above]}
    for room in rooms:
        x, y = column(room), row(room)
        box = "box" if ground or picture.sizes[room] > 1 else "box loose"
        if room in reached:
            tip = y - HEIGHT // 2
            parts.append(f'<path class="head" d="M{x - 4} {tip - 6}h8l-4 6z"/>')
        parts.append(
            f'<rect class="{box}" x="{x - BOX}" y="{y - HEIGHT // 2}" width="{BOX + 14}" height="{HEIGHT}" rx="4"/>'
        )
        parts.append(f'<text x="{x - BOX + 8}" y="{y + 4}">{escape(room)}</text>')
        parts.append(
            f'<text class="floor small" x="{x + 8}" y="{y + 4}" text-anchor="end">{picture.sizes[room]}</text>'
        )
    return width, height, parts


def first_line(module: str) -> str:
    """Return the first line of the documentation of a module, without importing it."""
    stem = ROOT.joinpath(*module.split("."))
    path = stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def engine_table(imports: Mapping[str, set[str]]) -> str:
    """Return the floors as a table of the page."""
    picture = engine_picture(imports)
    lines = ["| floor | room | what lives there |", "|---|---|---|"]
    for room in reversed(picture.floors):
        home = {"dse": "dse", "__main__": "dse.__main__"}.get(room, f"dse.{room}")
        path = (
            "dse/__init__.py" if room == "dse" else f"dse/{room}" + ("/" if (ROOT / "dse" / room).is_dir() else ".py")
        )
        floor = picture.floors[room]
        lines.append(f"| {floor if floor < 12 else 'top'} | `{path}` | {first_line(home)} |")
    return "\n".join(lines)


def families_table(imports: Mapping[str, set[str]]) -> str:
    """Return the families as a table of the page: what they stand on, in `models/` and in the engine."""
    picture = families_picture(imports)
    lines = ["| in `models/` | what | physics stands on | claims and commands also on |", "|---|---|---|---|"]
    for name in reversed(picture.floors):
        there = "/" if (ROOT / "models" / name).is_dir() else ".py"
        physics = sorted(below for above, below in picture.arrows if above == name)
        others = sorted({below for above, below in picture.aside if above == name} - set(physics))
        doc = first_line(f"dse.models.{name}")
        lines.append(f"| `{name}{there}` | {doc} | {', '.join(physics)} | {', '.join(others)} |")
    return "\n".join(lines)


def rooms_table(imports: Mapping[str, set[str]], folders: Iterable[str]) -> str:
    """Return the rooms inside the rooms of the engine, or of the families, as a table of the page."""
    lines = ["| room | modules | what lives there |", "|---|--:|---|"]
    for parent in folders:
        picture = room_picture(imports, parent, loose=False)
        for name in reversed(picture.floors):
            path = f"{parent}.{name}".removeprefix("dse.").removeprefix("models.").replace(".", "/")
            lines.append(f"| `{path}/` | {picture.sizes[name]} | {first_line(f'{parent}.{name}')} |")
    return "\n".join(lines)


# In the order of `numbers`, from the trees of 1668b96 and de7e972.
BEFORE = {"one floor": [42, 18, 174, 3, 8, 0, 35, 37], "rooms": [19, 13, 94, 0, 0, 0, 54, 47]}


def numbers_table(imports: Mapping[str, set[str]]) -> str:
    """Return the numbers as a table of the page, beside those of earlier trees."""
    now = numbers(imports)
    lines = ["| | " + " | ".join(now) + " |", "|---|" + "--:|" * len(now)]
    lines += [
        "| " + " | ".join([label, *map(str, row)]) + " |" for label, row in {**BEFORE, "now": now.values()}.items()
    ]
    return "\n".join(lines)


def documents() -> dict[Path, str]:
    """Return every file this script keeps true, with its content."""
    imports = imports_of(ROOT)
    page = PAGE.read_text(encoding="utf-8")
    engine, families = engine_picture(imports), families_picture(imports)
    rooms, houses = parents(imports, engine, "dse"), parents(imports, families, "dse.models")
    parts = {
        "engine": engine_table(imports),
        "rooms": rooms_table(imports, rooms),
        "families": families_table(imports),
        "family-rooms": rooms_table(imports, houses),
        "numbers": numbers_table(imports),
    }
    for name, text in parts.items():
        pattern = rf"(?s)(<!-- {name} -->\n).*?(<!-- end -->)"
        page, count = re.subn(pattern, lambda place, text=text: f"{place[1]}\n{text}\n\n{place[2]}", page)  # type: ignore[misc]
        assert count == 1, name
    return {
        ROOT / "docs/images/engine.svg": drawn(engine, "The floors of the engine", "floor"),
        ROOT / "docs/images/rooms.svg": drawn_beside(
            {parent.replace(".", "/") + "/": room_picture(imports, parent, loose=True) for parent in rooms},
            "The rooms inside the rooms of the engine",
        ),
        ROOT / "docs/images/families.svg": drawn(families, "The families of models", "level"),
        ROOT / "docs/images/family-rooms.svg": drawn_beside(
            {parent[4:].replace(".", "/") + "/": room_picture(imports, parent, loose=False) for parent in houses},
            "The rooms inside the families of models",
        ),
        PAGE: page,
    }


def main(arguments: list[str]) -> None:
    """Write the documents, or print the numbers of another tree."""
    if arguments:
        print(", ".join(f"{value} {name}" for name, value in numbers(imports_of(Path(arguments[0]).resolve())).items()))
        return
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")
    print(", ".join(f"{value} {name}" for name, value in numbers(imports_of(ROOT)).items()))


if __name__ == "__main__":
    main(sys.argv[1:])
