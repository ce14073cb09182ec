"""The account of a search: progress and who listens, estimate, tolerance, what ends it early, and the certificate."""
