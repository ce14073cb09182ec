"""Laws fitted to real machines, and how well they hold."""
