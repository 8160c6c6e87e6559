"""The devices of the shelf and where each comes from, a line for each: checkers and `__init__.py` read them."""

from interstage.devices.accelerometer import Accelerometer as Accelerometer
from interstage.devices.allocation import Allocation as Allocation
from interstage.devices.atmosphere import Atmosphere as Atmosphere
from interstage.devices.earth import Earth as Earth
from interstage.devices.encoder import Encoder as Encoder
from interstage.devices.engine import Engine as Engine
from interstage.devices.gyro import Gyro as Gyro
from interstage.devices.imu import IMU as IMU
from interstage.devices.lead_lag import LeadLag as LeadLag
from interstage.devices.linear_filter import LinearFilter as LinearFilter
from interstage.devices.low_pass import LowPass as LowPass
from interstage.devices.notch import Notch as Notch
from interstage.devices.phase_plane import PhasePlane as PhasePlane
from interstage.devices.pid import PID as PID
from interstage.devices.reaction_wheel import ReactionWheel as ReactionWheel
from interstage.devices.trajectory import Trajectory as Trajectory

__all__: list[str]
