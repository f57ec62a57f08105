"""Run a tool within its agent's limits (§3.3.2)."""
