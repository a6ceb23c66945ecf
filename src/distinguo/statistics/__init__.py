"""What a class looks like, as a value that adds and subtracts."""
