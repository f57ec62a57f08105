"""One module a level of isolation."""
