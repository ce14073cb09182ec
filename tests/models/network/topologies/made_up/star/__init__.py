"""Star: switches with nodes, each linked with one switch in the middle that has none."""
