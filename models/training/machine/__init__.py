"""What a machine gives a training: devices, domains, networks, exchanges and software."""
