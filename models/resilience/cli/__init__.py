"""The command `dse resilience`."""
