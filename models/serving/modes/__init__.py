"""Prompts and decoding together on a worker, or apart on workers of their own; closed loops, open arrivals."""
