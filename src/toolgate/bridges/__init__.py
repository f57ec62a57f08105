"""Documents and checkpoints over MCP (§3.3.7, §3.3.8)."""
