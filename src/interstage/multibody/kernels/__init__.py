"""Recursive algorithms as compiled kernels: `Tree` and `Work` in, arrays out."""
