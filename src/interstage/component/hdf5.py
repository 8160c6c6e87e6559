"""The component file: one HDF5 file that any reader can use (layout: docs/component_file.md)."""

from interstage.component.hdf5_read import read_component
from interstage.component.hdf5_write import write_component

__all__ = ["read_component", "write_component"]
