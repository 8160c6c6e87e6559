"""Batches on a GPU: the engine's own kernels through numba-cuda, one thread a sample.

`layout` says where a thread finds its arrays, `text` binds kernels to what a GPU has, `program` is the one kernel
around `batch.kernels.fly`; none of them needs a GPU. `emit` makes code of it with numba-cuda, and `fly` runs it.
"""
