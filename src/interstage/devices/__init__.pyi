"""The devices of the shelf and where each comes from, a line for each: checkers and `__init__.py` read them."""

from interstage.devices.accelerometer import Accelerometer as Accelerometer
from interstage.devices.aero import Aero as Aero
from interstage.devices.allocation import Allocation as Allocation
from interstage.devices.atmosphere import Atmosphere as Atmosphere
from interstage.devices.bushing import Bushing as Bushing
from interstage.devices.cmg import CMG as CMG
from interstage.devices.contact import GroundContact as GroundContact
from interstage.devices.contact import PlaneContact as PlaneContact
from interstage.devices.contact import SphereContact as SphereContact
from interstage.devices.drag import Drag as Drag
from interstage.devices.dryden import Dryden as Dryden
from interstage.devices.earth import Earth as Earth
from interstage.devices.encoder import Encoder as Encoder
from interstage.devices.engine import Engine as Engine
from interstage.devices.friction import Friction as Friction
from interstage.devices.friction import SlideFriction as SlideFriction
from interstage.devices.gps import GPS as GPS
from interstage.devices.gust import Gust as Gust
from interstage.devices.gyro import Gyro as Gyro
from interstage.devices.imu import IMU as IMU
from interstage.devices.lead_lag import LeadLag as LeadLag
from interstage.devices.linear_filter import LinearFilter as LinearFilter
from interstage.devices.low_pass import LowPass as LowPass
from interstage.devices.magnetic_torquer import MagneticTorquer as MagneticTorquer
from interstage.devices.magnetometer import Magnetometer as Magnetometer
from interstage.devices.motor import Motor as Motor
from interstage.devices.notch import Notch as Notch
from interstage.devices.phase_plane import PhasePlane as PhasePlane
from interstage.devices.pid import PID as PID
from interstage.devices.reaction_wheel import ReactionWheel as ReactionWheel
from interstage.devices.sky import Sky as Sky
from interstage.devices.solar_pressure import SolarPressure as SolarPressure
from interstage.devices.springs import Cable as Cable
from interstage.devices.springs import Spring as Spring
from interstage.devices.springs import TableSpring as TableSpring
from interstage.devices.star_tracker import StarTracker as StarTracker
from interstage.devices.stops import Backlash as Backlash
from interstage.devices.stops import Gear as Gear
from interstage.devices.stops import SlideStop as SlideStop
from interstage.devices.stops import Stop as Stop
from interstage.devices.sun_sensor import SunSensor as SunSensor
from interstage.devices.thruster import Thruster as Thruster
from interstage.devices.trajectory import Trajectory as Trajectory
from interstage.devices.tvc import TVC as TVC

__all__: list[str]
