"""Databases of HPCToolkit: call path profiles, older (experiment.xml, metric-db) and newer (meta.db, profile.db)."""
