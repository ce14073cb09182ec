"""Training: architectures, accelerators, and every way to cut a model over devices."""
