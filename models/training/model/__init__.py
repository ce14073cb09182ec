"""What a transformer asks for: architecture, layers, and a pass through them."""
