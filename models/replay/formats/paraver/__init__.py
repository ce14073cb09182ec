"""Paraver traces of the BSC tools: header and labels, records in blocks, calls of the ranks, reading and writing."""
