"""Published figures of hybrid programs, and how each is computed again."""
