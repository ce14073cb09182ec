"""Locality of a program, in figures and pictures, and a profile in numbers for people."""
