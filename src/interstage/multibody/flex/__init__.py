"""Flexible bodies on their way into a tree."""
