"""Torus: rings of switches in every dimension."""
