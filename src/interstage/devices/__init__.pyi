"""The devices of the shelf and where each comes from, a line for each: checkers and `__init__.py` read them."""

from interstage.devices.accelerometer import Accelerometer as Accelerometer
from interstage.devices.atmosphere import Atmosphere as Atmosphere
from interstage.devices.earth import Earth as Earth
from interstage.devices.encoder import Encoder as Encoder
from interstage.devices.engine import Engine as Engine
from interstage.devices.gyro import Gyro as Gyro
from interstage.devices.imu import IMU as IMU
from interstage.devices.reaction_wheel import ReactionWheel as ReactionWheel
from interstage.devices.trajectory import Trajectory as Trajectory

__all__: list[str]
