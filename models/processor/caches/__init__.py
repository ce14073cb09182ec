"""Hit fractions of caches from reuse distances."""
