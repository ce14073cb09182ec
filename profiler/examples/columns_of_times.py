"""The columns of times.csv, as quantities of a study."""

from dse import parameter, quantity

ranks = parameter(unit="1", doc="Ranks of the run", minimum=1)
size = parameter(unit="1", doc="What a program is started with: n, or the scale of its graph", above=0)


@quantity(unit="s", source="least of the runs: what nothing else disturbed")
def outside_least(compute_time):
    """Processor time of a rank outside MPI."""
    return compute_time * 1.0
