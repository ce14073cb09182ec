"""Published figures of facility, and how each is computed again."""
