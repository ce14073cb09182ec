"""Changed studies: variants, and a study written to a file."""
