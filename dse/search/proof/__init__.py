"""What is proved of a product: signs of its quantities, groups of axes, rows no other row beats, evidence of it."""
