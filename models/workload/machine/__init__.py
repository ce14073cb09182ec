"""The user's own machine: microbenchmarks, and the description that studies take."""
