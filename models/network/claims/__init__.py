"""What was published about networks, beside what the models give."""
