"""What came out of a search: the run, its tables, its check, and how sure it is."""
