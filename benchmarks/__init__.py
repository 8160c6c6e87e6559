"""Measurements of speed against peers in one run; `make bench` runs them all."""
