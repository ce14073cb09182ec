"""Groups of axes that reach the results through few quantities, reduced before their products are searched."""
