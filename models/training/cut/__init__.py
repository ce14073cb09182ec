"""How a model is cut over devices, what a step of it takes, and the best cuts."""
