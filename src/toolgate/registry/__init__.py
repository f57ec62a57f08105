"""Find a tool, pick its version (layer specification §3.3.1)."""
