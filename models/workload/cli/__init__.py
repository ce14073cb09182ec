"""The commands `dse profile`."""
