"""Models that describe each class and let the boundary follow."""
