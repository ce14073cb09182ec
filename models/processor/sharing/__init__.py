"""Threads and programs that share a chip: level 3, bandwidth and the queue of the memory."""
