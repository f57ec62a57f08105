"""Rate, concurrency, budget, circuit, retry, idempotency, cache (§3.3.4, §3.3.5)."""
