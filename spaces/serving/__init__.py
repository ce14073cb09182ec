"""Serving: cards of models and devices, precisions, constants, measured configurations, and every cut of a worker."""
