"""Nearest neighbours: a row's class, or response, from the kept rows most like it."""
