"""The command `dse training`."""
