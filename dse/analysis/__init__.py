"""Questions to a run or a problem."""
