"""Coded warnings about rows and models."""
