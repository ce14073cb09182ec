"""The page of a run, live: a server for one user on this machine, searches in processes of their own."""
