"""HTTP tools and credentials (§3.3.4, §5.1.6)."""
