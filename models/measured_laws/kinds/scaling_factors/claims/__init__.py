"""Published figures of scaling factors."""
