"""A run on disk: manifest, seal, ledger and folder."""
