"""The command `dse serving`."""
