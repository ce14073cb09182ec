"""What a mean instruction of a program does."""
