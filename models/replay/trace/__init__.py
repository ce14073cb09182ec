"""A trace: its events, and which meet which."""
