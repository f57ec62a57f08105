"""Clients with the same face as the embedded Toolgate."""
