"""Published figures of processors, and how each is computed again."""
