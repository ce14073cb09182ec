"""Dragonfly: groups of switches, fully linked inside, and with links between every two of them."""
