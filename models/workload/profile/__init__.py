"""The workload profile: its schema, how it is read, checked and written, and what it holds."""
