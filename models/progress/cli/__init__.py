"""The command of the family progress."""
