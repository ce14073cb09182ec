"""The page of a run, and what of it a notebook shows."""
