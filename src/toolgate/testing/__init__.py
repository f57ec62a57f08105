"""Fakes and contract suites, for us and for adapters of others."""
