"""What serving takes: memory, power and energy, money."""
