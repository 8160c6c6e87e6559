"""Runs in time: integrators, events, prescribed loads, checkpoints, real time."""
