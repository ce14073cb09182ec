"""Study files, one per question."""
