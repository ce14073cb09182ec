"""The command `dse slower`."""
