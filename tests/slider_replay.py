"""The steps stored for the page, repeated by NumPy from the stored text alone: an oracle of what the page computes."""

import base64

import numpy as np

OWN = {
    "lookup": lambda table, at: np.where(
        (at > -1) & (at < len(table)), table[np.clip(np.nan_to_num(at), 0, len(table) - 1).astype(int)], np.nan
    ),
    "interp": np.interp,
    "searchsorted left": lambda table, x: np.searchsorted(table, x, side="left").astype(float),
    "searchsorted right": lambda table, x: np.searchsorted(table, x, side="right").astype(float),
    "clip": np.clip,
    "where": lambda chosen, one, other: np.where(chosen != 0, one, other),
}


def _numbers(text, kind="<f8"):
    return np.frombuffer(base64.b64decode(text), kind)


def replay(stored, position):
    """Return values of the objectives (n, d) and where limits are met (n,), at values of the unknowns."""
    values = np.empty((len(stored["candidates"]), len(stored["objectives"])))
    met = np.zeros(len(values), dtype=bool)
    for product in stored["products"]:
        places = [
            _numbers(column)[_numbers(index, "<u2")] if index else _numbers(column)
            for column, index in product["columns"]
        ]
        for terms in product["inputs"]:
            unknowns = [(stored["unknowns"][at], position[at]) for at in terms]
            if not unknowns[0][0]["relative"]:
                places.append(np.float64(unknowns[0][1]))
                continue
            total = np.float64(1.0)
            for one, value in unknowns:
                total = total + (value if one["weight"] == 1.0 else value * one["weight"])
            places.append(total)
        places += [*_numbers(product["constants"]), *map(_numbers, product["tables"])]
        with np.errstate(all="ignore"):
            for name, operands in product["steps"]:
                apply = OWN.get(name) or getattr(np, name)
                places.append(np.asarray(apply(*(places[operand] for operand in operands)), dtype=float))
        own, classes = _numbers(product["positions"], "<u2"), _numbers(product["classes"], "<u2")

        def of(place, places=places, product=product, classes=classes):
            return np.broadcast_to(places[place], product["rows"])[classes]

        values[own] = np.stack([of(place) for place in product["objectives"]], axis=-1)
        met[own] = np.all([of(place) != 0 for place in product["limits"]] or [np.ones(len(own))], axis=0)
    return values, met
