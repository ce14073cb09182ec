"""Kinds of models of measured runs, each on its own: growth, energy, scaling factors, and expectations of growth."""
