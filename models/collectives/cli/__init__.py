"""The command `dse collectives`."""
