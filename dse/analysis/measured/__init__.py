"""Measured configurations beside what the models of a study give for them."""
