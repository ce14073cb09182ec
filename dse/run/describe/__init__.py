"""What a manifest says of a study, of its search and of what the frontier has to spare."""
