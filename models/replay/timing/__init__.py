"""Times of a replay: the graph of a trace, evaluated on many networks at once."""
