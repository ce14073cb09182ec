"""What serving is computed from: cards of models, devices and precisions, software, constants and their factors."""
