"""log p(x given class)."""
