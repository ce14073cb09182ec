"""Measurements of small runs, as one table whatever tool wrote them.

Interface
---------
``read_measurements(path, format=None, units=None) -> Measurements``
    Tidy or wide CSV, Parquet, Extra-P text, JSON and JSON lines, mpiP reports, or a folder of files.
``Measurements``
    The table in SI, ``series``, ``reduced``, and what is to be mistrusted.
``write_measurements(measurements, path)``
    Tidy CSV, Extra-P text or JSON.
"""

from dse.models.measurements.reading import read_measurements
from dse.models.measurements.table import Measurements, Series
from dse.models.measurements.writing import write_measurements

__all__ = ["Measurements", "Series", "read_measurements", "write_measurements"]
