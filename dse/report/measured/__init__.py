"""The page and figures of a comparison with measurements."""
