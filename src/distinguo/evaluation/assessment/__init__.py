"""What held-out rows say of a model."""
