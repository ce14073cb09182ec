"""Planning: the method and why, stages, the pieces of each product, and what all of it is expected to take."""
