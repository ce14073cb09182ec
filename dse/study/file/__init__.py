"""A study as a file: its schema, how it is found, read and written."""
