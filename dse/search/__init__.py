"""Search: exact first. Every method returns the same frontier; the certificate says how it was found."""
