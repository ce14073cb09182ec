"""The command `dse compression`: ratio and speed of compressors on one's own checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 4
_COLUMNS = [
    *("name", "scheme", "kind", "case", "compression_ratio", "node_compress_bandwidth [B/s]"),
    *("node_decompress_bandwidth [B/s]", "error_bound", "transformation", "back_end", "source", "confidence", "note"),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse compression checkpoint-*.bin --cores 64 --out compressors.csv")(compression)


def compression(
    files: Annotated[list[Path], typer.Argument(help="Checkpoints, as the program wrote them.")],
    block: Annotated[str, typer.Option(help="Size of the blocks that are tried.")] = "1 MiB",
    blocks: Annotated[int, typer.Option(help="Most blocks, spread evenly over all files.")] = 64,
    budget: Annotated[str, typer.Option(help="Most processor time of all compressors together.")] = "20 s",
    values: Annotated[str, typer.Option(help="What the files hold, for zfp: float64 or float32.")] = "",
    cores: Annotated[int, typer.Option(help="Cores of a node that compress, each a block of its own.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write rows for the checkpoint study (.csv).")] = None,
    json: Json = False,
) -> None:
    """Measure ratio and speed of compressors on checkpoints of one's own, beside the published ratios."""
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.resilience.cli.compression_rows import published_rows, rows_of
    from dse.models.resilience.measured_compression import measure_compression
    from dse.units import parse_quantity

    if blocks < 1 or cores < 1:
        raise InputError("less than 1", key="--blocks" if blocks < 1 else "--cores", allowed="1 or more")
    if out is not None and out.suffix.lower() != ".csv":
        raise InputError(f"'{out}'", key="--out", allowed="a name that ends in .csv, as parts of studies do")
    if out is not None and out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    size, seconds = _option(parse_quantity, block, "B", "block"), _option(parse_quantity, budget, "s", "budget")
    try:
        measured, notes = measure_compression(files, block=int(size), count=blocks, budget=seconds, values=values)
    except InputError as error:
        if error.key in ("block", "values"):
            error.key = f"--{error.key}"
        raise error from None
    rows = rows_of(measured, files, cores)
    published = published_rows()
    if out is not None:
        _write(out, rows)
    if json:
        print_json({"files": [str(file) for file in files], "rows": rows, "published": published, "notes": notes})
        return
    table(
        ["compressor", "ratio", "of blocks", "compresses", "decompresses", "pays below", "error"],
        [
            [
                entry.name,
                f"{entry.ratio:.3g}",
                f"{entry.least:.3g} to {entry.most:.3g}",
                shown(row["node_compress_bandwidth [B/s]"], "B/s"),
                shown(row["node_decompress_bandwidth [B/s]"], "B/s"),
                shown(row["pays_below"], "B/s") if row["pays_below"] > 0.0 else "never",
                entry.error,
            ]
            for entry, row in zip(measured, rows, strict=True)
        ],
        right=range(1, 6),
    )
    tried = max(entry.bytes for entry in measured)
    whole = sum(file.stat().st_size for file in files)
    say(f"{shown(float(tried), 'B')} of {shown(float(whole), 'B')} were tried; speeds are of {cores} of the cores here")
    say("pays below: bandwidth of the store for a node up to which a checkpoint is shorter, S (1 - 1/ratio)")
    text = ", ".join(f"{row['scheme']} {row['range']}" for row in published)
    say(f"published, lossless, of other data (Son et al. 2014): {text}")
    for note in notes:
        say(f"note: {note}", style="yellow")
    if out is not None:
        say(f'wrote {out}: in a study, axes.compressor = {{ part = "{out}" }}')


def _option(parse: Any, text: str, unit: str, option: str) -> float:
    try:
        value = float(parse(text, unit))
    except InputError as error:
        raise error.within(key=f"--{option}") from None
    if not value > 0.0:
        raise InputError(f"'{text}'", key=f"--{option}", allowed="above 0")
    return value


def _write(out: Path, rows: list[dict[str, Any]]) -> None:
    import csv

    try:
        with out.open("w", encoding="utf-8", newline="") as file:
            file.write("# Ratio and speed of compressors, measured on checkpoints of one's own by `dse compression`.\n")
            writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from None
