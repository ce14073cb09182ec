"""Published marks and laws of growth, and how they are computed again."""
