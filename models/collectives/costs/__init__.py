"""What an operation costs by each algorithm, which is best, and where one overtakes another."""
