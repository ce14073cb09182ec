"""The network of a replay, and the traffic that a trace puts on it."""
