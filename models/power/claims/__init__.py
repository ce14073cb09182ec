"""Published figures of power, technologies and yields, and how each is computed again."""
