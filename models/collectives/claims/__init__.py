"""Published figures of collective operations, and how each is computed again."""
