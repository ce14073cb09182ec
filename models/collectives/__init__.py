"""Time, energy and offload memory of collective operations: every algorithm in closed form, and which is best."""
