"""Rated powers of sockets beside the model's."""
