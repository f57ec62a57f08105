"""Parameters in, results out (§3.3.6)."""
