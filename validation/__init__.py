"""Studies that put a published or independent result beside ours; `make validate` runs them all."""
