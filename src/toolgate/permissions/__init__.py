"""May this agent run this tool? Tokens, policy, approvals (§3.3.3)."""
