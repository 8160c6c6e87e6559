"""Compiled steps and stretches of runs."""
