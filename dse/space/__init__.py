"""What can be varied: axes, and products of them."""
