"""Toolgate: the layer between AI agents and every tool they use."""
