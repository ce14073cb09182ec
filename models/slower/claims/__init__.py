"""Published figures and golden values of latency hiding, and how each is computed again."""
