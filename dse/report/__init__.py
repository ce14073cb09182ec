"""The report of a run: the figure of the frontier, and one HTML page that holds everything."""
