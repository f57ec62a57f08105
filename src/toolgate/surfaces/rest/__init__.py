"""REST under /v1."""
