"""Published figures of data machines, and how each is computed again."""
