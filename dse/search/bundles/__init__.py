"""The searches of one product that look at designs, all or bundles of alike ones, and what any such search can do."""
