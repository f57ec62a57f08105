"""One outcome, four views of it. Pure functions."""
