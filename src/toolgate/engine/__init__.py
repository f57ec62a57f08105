"""The order in which everything happens."""
