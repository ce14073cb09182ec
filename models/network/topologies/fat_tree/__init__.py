"""Fat trees of two and three levels."""
