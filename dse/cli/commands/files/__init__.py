"""Commands that write files: studies, schemas for editors, and frontiers for other programs."""
