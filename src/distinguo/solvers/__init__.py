"""One algorithm a file; they return data and never warn."""
