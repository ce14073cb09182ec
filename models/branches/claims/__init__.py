"""Published figures of branch prediction, and how each is computed again."""
