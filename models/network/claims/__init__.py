"""What was published about networks, as CSV files, beside what the models give; the models import nothing of it."""
