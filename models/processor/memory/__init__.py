"""Where the accesses of a thread end."""
