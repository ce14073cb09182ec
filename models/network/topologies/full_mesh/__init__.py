"""Full mesh: every switch has a link to every other."""
