"""Profiles from files of the Platform-Independent Software Analysis."""
