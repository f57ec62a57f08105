"""Where tools come from; one module a dialect."""
