"""What a trace tells: breakdown, waits, factors, windows and timeline."""
