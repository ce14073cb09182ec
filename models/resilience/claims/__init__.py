"""Published figures of resilience, and how each is computed again."""
