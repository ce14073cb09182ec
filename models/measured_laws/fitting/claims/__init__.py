"""Published figures of extrapolation and of growth laws, and how each is computed again."""
