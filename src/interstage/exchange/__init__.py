"""To other tools and from them: functional mock-up units, URDF and MJCF."""

from interstage.exchange.fmu import FMU, export_fmu
from interstage.exchange.fmu_device import FMUDevice
from interstage.exchange.imported import Imported, ImportedJoint
from interstage.exchange.mjcf import from_mjcf
from interstage.exchange.urdf import from_urdf

__all__ = ["FMU", "FMUDevice", "Imported", "ImportedJoint", "export_fmu", "from_mjcf", "from_urdf"]
