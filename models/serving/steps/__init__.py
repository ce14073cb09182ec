"""A step of the engine: experts that are read, the parts of its time, and the steps that modes are made of."""
