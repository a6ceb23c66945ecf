"""Raw input, checked once, into batches."""
