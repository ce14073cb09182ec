"""What a network is made of, and the power it takes."""
