"""Laws of a program: one file that gives its profile at any size and number of ranks."""
