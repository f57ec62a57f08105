"""Benchmarks: `python -m bench`. They record numbers; no test asserts on time."""
