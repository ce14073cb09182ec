"""Search: exact first. Every method returns the same frontier; the certificate says how it was found."""

from dse.search.certificate import Certificate
from dse.search.driver import SearchOptions, SearchResult, search

__all__ = ["Certificate", "SearchOptions", "SearchResult", "search"]
