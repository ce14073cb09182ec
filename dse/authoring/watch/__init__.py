"""Watching models at work: faults told with their line, calls counted, what is printed, what does not end."""
