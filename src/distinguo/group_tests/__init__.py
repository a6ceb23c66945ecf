"""Tests of and between classes: do they differ, in what, and does one Gaussian describe each?"""
