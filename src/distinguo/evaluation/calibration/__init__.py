"""Probabilities to be trusted: the scores of rows held out, and what share of such rows had the class."""
