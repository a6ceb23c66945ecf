"""Linear models: a boundary, and what is known of its coefficients."""
