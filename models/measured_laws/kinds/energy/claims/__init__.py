"""Published figures of the energy of jobs over their nodes, and how each is computed again."""
