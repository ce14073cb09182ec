"""Runs in the environment of `extrap`, alone (``python -I``): JSON of series in, of models out."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.modelers.single_parameter.basic import SingleParameterModeler


def model(series: dict[str, Any], falling: bool) -> dict[str, Any]:
    """Return the terms of the model of a series, what it tells at the targets, and its processor time [s]."""
    measurements = [
        Measurement(Coordinate(size), Callpath("series"), Metric("value"), [value])
        for size, value in zip(series["sizes"], series["values"], strict=True)
    ]
    modeler = SingleParameterModeler()
    if falling:
        modeler.allow_negative_exponents = True
    start = time.process_time()
    function = modeler.create_model(measurements).hypothesis.function
    seconds = time.process_time() - start
    terms = []
    for compound in function.compound_terms:
        powers = {"polynomial": 0.0, "logarithm": 0.0}
        for term in compound.simple_terms:
            powers[term.term_type] += float(term.exponent)
        terms.append([powers["polynomial"], powers["logarithm"]])
    told = [float(function.evaluate(target)) for target in series["targets"]]
    return {"terms": terms, "told": told, "seconds": seconds}


def main() -> None:
    """Model all series, the first once more before to leave out what is loaded late."""
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    model(asked["series"][0], asked["falling"])
    json.dump([model(one, asked["falling"]) for one in asked["series"]], sys.stdout)


if __name__ == "__main__":
    main()
