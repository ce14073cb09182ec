"""Slim Fly: switches that all have each other within two links."""
