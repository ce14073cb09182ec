"""What a study does not know: its own section, errors that models publish, and those of real machines."""
