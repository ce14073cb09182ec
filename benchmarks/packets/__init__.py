"""A packet simulator as evidence for the bandwidths of `dse.models.network`: nothing of the models is used in it."""
