"""Choosing one design of a frontier: by a limit, a rule, a knee, weights or an order."""
