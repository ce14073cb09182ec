"""Evaluation: each piece of work once, on the smallest grid it depends on."""
