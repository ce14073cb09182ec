"""What `dse profile show --heatmap` prints and writes: locality in its largest cells, addresses as characters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dse.cli.text.output import print_json, say, shown, table
from dse.errors import InputError
from dse.models.workload.locality.address_view import address_view, in_characters
from dse.models.workload.locality.locality_figures import HOW_TO_MEASURE, draw_addresses, draw_locality
from dse.models.workload.locality.locality_map import locality_view, measured_map
from dse.models.workload.locality.summary import address_map_summary, heat_map_summary
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["show_heat_maps"]


def show_heat_maps(
    profile: WorkloadProfile, name: str | None, variant: str, out: Path | None, page: Path | None, json: bool
) -> None:
    """Show the heat maps of one class of a profile.

    Parameters
    ----------
    profile : WorkloadProfile
    name : str, optional
        Of the class; a profile of several needs one.
    variant : str
        Of the locality map.
    out : path, optional
        Where the figures go.
    page : path, optional
        The page of the profile, if it was written.
    json : bool

    Raises
    ------
    InputError
        The class has neither map, or the profile has several classes and none is named.
    """
    item = profile.only if name is None else profile[name]
    heatmap, addresses = measured_map(item), item.address_map
    if heatmap is None and addresses is None:
        raise InputError(f"the profile '{profile.name}' has no heat map", key="heatmap", allowed=HOW_TO_MEASURE)
    figures: dict[str, Any] = {}
    if heatmap is not None:
        figures[f"Locality, {variant}"] = draw_locality(locality_view(heatmap, variant))
    if addresses is not None:
        figures["Addresses"] = draw_addresses(address_view(addresses))
    largest = heat_map_summary(item, variant)
    drawn = None
    if out is not None:
        from dse.models.workload.cli.page import write_heat_map_page

        drawn = write_heat_map_page(replace(profile, classes=(item,)), figures, largest, out)
    files = {"figure": str(drawn) if drawn else None, "report": str(page) if page else None}
    if json:
        maps = {"heatmap": largest, "address_map": address_map_summary(item)}
        print_json({"name": profile.name, "class": item.name, **maps, **files})
        return
    if largest is not None:
        say(f"{profile.name}: the largest of {largest['offsets']} x {largest['lags']} cells", style="bold")
        rows = [[shown(cell[key], "1") for key in ("s_bytes", "t", "p")] for cell in largest["largest"]]
        table(["bytes away", "accesses later", largest["unit"]], rows, right=range(3))
    if addresses is not None:
        say(f"{profile.name}: {addresses.accesses} accesses by address and time", style="bold")
        for line in in_characters(address_view(addresses)):
            say(line)
    if profile.synthetic:
        say("SYNTHETIC data, not measurements", style="bold yellow")
    for kind, file in files.items():
        if file:
            say(f"{kind}: {file}")
