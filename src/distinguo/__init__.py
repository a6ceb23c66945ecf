"""Classification with models that people can read."""
