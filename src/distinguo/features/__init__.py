"""Columns made from columns: bases in which a linear model bends."""
