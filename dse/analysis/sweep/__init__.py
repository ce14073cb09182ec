"""The answer along a parameter, over two, and within each budget."""
