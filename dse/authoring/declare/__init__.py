"""Declarations: quantities, parameters, assumptions, requirements, enumerations, and their limits."""
