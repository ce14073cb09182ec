"""A strong start: designs from which the filter works at once, with their neighbours."""
