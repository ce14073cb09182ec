"""Search without a bound, by generations of designs."""
