"""Measurements of small runs, as one table whatever tool wrote them.

``reading.read_measurements(path, format=None, units=None) -> Measurements``
    Tidy or wide CSV, Parquet, Extra-P text, JSON and JSON lines, mpiP reports, or a folder of files.
``table.Measurements``
    The table in SI, ``series``, ``reduced``, and what is to be mistrusted.
``writing.write_measurements(measurements, path)``
    Tidy CSV, Extra-P text or JSON.
"""
