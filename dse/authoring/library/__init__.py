"""Models found and loaded: those that come with the project, packages, files and single functions."""
