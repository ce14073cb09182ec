"""HTML that needs nothing else: escaped texts, the policy of a page, a page of text, tables and figures."""
