"""The file of a fitted model: one format with a kind; what a kind holds stands with the kind."""
