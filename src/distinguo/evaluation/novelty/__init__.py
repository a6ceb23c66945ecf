"""Rows like nothing that was learned."""
