"""Collective operations in a whole machine: hops, schedules, time, energy and memory of a call."""
