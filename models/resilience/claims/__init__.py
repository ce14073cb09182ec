"""Published figures of resilience beside what the models give."""
