"""Scheduling: who carries out the pieces of a plan, in which order, what is kept, and what is open when it stops."""
