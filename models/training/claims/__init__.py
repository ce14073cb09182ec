"""Published figures of training, and how each is computed again."""
