"""Events, redaction, logs, metrics (§4.3)."""
