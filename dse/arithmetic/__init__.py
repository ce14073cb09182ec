"""The kinds of numbers model functions run on: arrays, ranges, signs, dual numbers."""
