"""The commands `dse trace`."""
