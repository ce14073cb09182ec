"""Catalogues of parts and ready design spaces."""
