"""Fakes and contract suites, for us and for adapters of others."""

from toolgate.testing.clock import FakeClock

__all__ = ["FakeClock"]
