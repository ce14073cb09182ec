"""Studies: a question about a space of systems, from a TOML file or from Python objects."""
