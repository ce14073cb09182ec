"""Charts: axes, lines, colours, and the figure of a frontier."""
