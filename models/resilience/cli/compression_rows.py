"""Measured compressors as rows of a catalogue, and the published ones they stand beside."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from dse.models.resilience.measured_compression import MeasuredCompressor

__all__ = ["published_rows", "rows_of"]


def rows_of(measured: Sequence[MeasuredCompressor], files: Sequence[Path], cores: int) -> list[dict[str, Any]]:
    """Return rows with the columns of ``spaces/resilience/compression.csv``, and what the rates of a node are.

    Notes
    -----
    `pays_below` is the bandwidth of the store for a node up to which compressing first and writing then is shorter:
    ``1/S + 1/(rho B) < 1/B`` for ``B < S (1 - 1/rho)``.
    """
    of_files = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    rows = []
    for entry in measured:
        speed = entry.compress_bandwidth * cores
        rows.append(
            {
                "name": entry.name,
                "scheme": entry.name.split(" ")[0],
                "kind": entry.kind,
                "case": "measured",
                "compression_ratio": max(entry.ratio, 1.0),
                "node_compress_bandwidth [B/s]": speed,
                "node_decompress_bandwidth [B/s]": entry.decompress_bandwidth * cores,
                "error_bound": entry.error,
                "transformation": "none",
                "back_end": entry.name,
                "source": f"measured here on {of_files}",
                "confidence": "medium" if entry.blocks >= 16 else "low",
                "note": f"{entry.blocks} blocks, ratios {entry.least:.3g} to {entry.most:.3g}; {cores} times one core",
                "measured_ratio": entry.ratio,
                "least": entry.least,
                "most": entry.most,
                "blocks": entry.blocks,
                "bytes": entry.bytes,
                "pays_below": speed * max(1.0 - 1.0 / entry.ratio, 0.0),
            }
        )
    return rows


def published_rows() -> list[dict[str, str]]:
    """Return the published ratios of lossless compressors, least and most of each."""
    import csv

    path = Path(str(package_files("dse.spaces"))) / "resilience" / "compression.csv"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    ratios: dict[str, list[float]] = {}
    for row in csv.DictReader(lines):
        if row["kind"] == "lossless":
            ratios.setdefault(row["scheme"], []).append(float(row["compression_ratio"]))
    return [
        {"scheme": scheme, "range": f"{min(held):g} to {max(held):g}" if len(held) > 1 else f"{held[0]:g}"}
        for scheme, held in ratios.items()
    ]
