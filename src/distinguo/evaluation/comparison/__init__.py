"""Models on the same held-out rows."""
