"""Measured figures of real machines beside the model's."""
