"""The Python door of the family: a machine and a profile in, a prediction out."""
