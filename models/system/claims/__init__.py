"""Published figures of whole machines, and how each is computed again."""
