"""Designs, runs, references and candidate systems side by side."""
