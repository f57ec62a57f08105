"""Doors: parse, call the engine, render."""
