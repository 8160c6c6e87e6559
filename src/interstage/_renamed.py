"""Modules and classes that were moved or renamed: scripts and files of earlier versions find them under the old names.

`MODULES` is {old module: module that has its contents now}, `CLASSES` {old "module:Class": new "module:Class"} where
the class has another name too. Imports of an old module return the new one with a `DeprecationWarning` (`install`), and
names of classes in checkpoints and exported units are looked up through `current_name`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MODULES: dict[str, str] = {
    "interstage.devices.accelerometer": "interstage.devices.inertial_sensors",
    "interstage.devices.allocation": "interstage.devices.controllers",
    "interstage.devices.almanac": "interstage.devices.ephemeris",
    "interstage.devices.biquad": "interstage.devices.filters",
    "interstage.devices.bushing": "interstage.devices.springs",
    "interstage.devices.cmg": "interstage.devices.momentum_devices",
    "interstage.devices.drag": "interstage.devices.surface_forces",
    "interstage.devices.dryden": "interstage.devices.wind",
    "interstage.devices.edge_thruster": "interstage.devices.thrusters",
    "interstage.devices.encoder": "interstage.devices.sensors",
    "interstage.devices.friction": "interstage.devices.joint_friction",
    "interstage.devices.gimbal": "interstage.devices.tvc",
    "interstage.devices.gps": "interstage.devices.sensors",
    "interstage.devices.gust": "interstage.devices.wind",
    "interstage.devices.gyro": "interstage.devices.inertial_sensors",
    "interstage.devices.hydraulic_tvc": "interstage.devices.tvc",
    "interstage.devices.imu": "interstage.devices.inertial_sensors",
    "interstage.devices.inertial": "interstage.devices.inertial_sensors",
    "interstage.devices.lead_lag": "interstage.devices.filters",
    "interstage.devices.line_of_sight": "interstage.devices.sensors",
    "interstage.devices.linear_filter": "interstage.devices.filters",
    "interstage.devices.low_pass": "interstage.devices.filters",
    "interstage.devices.magnetic_field": "interstage.devices.magnetic",
    "interstage.devices.magnetic_torquer": "interstage.devices.magnetic",
    "interstage.devices.magnetometer": "interstage.devices.sensors",
    "interstage.devices.motor": "interstage.devices.motors",
    "interstage.devices.notch": "interstage.devices.filters",
    "interstage.devices.phase_plane": "interstage.devices.controllers",
    "interstage.devices.pid": "interstage.devices.controllers",
    "interstage.devices.potential_flow": "interstage.devices.slosh",
    "interstage.devices.reaction_wheel": "interstage.devices.momentum_devices",
    "interstage.devices.rotor": "interstage.devices.momentum_devices",
    "interstage.devices.sky": "interstage.devices.ephemeris",
    "interstage.devices.slosh_cards": "interstage.devices.slosh",
    "interstage.devices.solar_pressure": "interstage.devices.surface_forces",
    "interstage.devices.standard_air": "interstage.devices.atmosphere",
    "interstage.devices.star_tracker": "interstage.devices.sensors",
    "interstage.devices.stick_slip": "interstage.devices.joint_friction",
    "interstage.devices.sticking_motor": "interstage.devices.motors",
    "interstage.devices.sticking_wheel": "interstage.devices.momentum_devices",
    "interstage.devices.strain_gauge": "interstage.devices.sensors",
    "interstage.devices.sun_sensor": "interstage.devices.sensors",
    "interstage.devices.thruster": "interstage.devices.thrusters",
    "interstage.devices.upper_air": "interstage.devices.atmosphere",
    "interstage.kane.inertia": "interstage.kane.equations",
    "interstage.kane.kinematics": "interstage.kane.equations",
    "interstage.kane.ops": "interstage.kane.joints",
    "interstage.kane.reference": "interstage.kane.layout",
    "interstage.kane.rotation": "interstage.kane.joints",
    "interstage.kane.stiffening": "interstage.kane.equations",
    "interstage.linear.balanced": "interstage.linear.reduction",
    "interstage.linear.flight_points": "interstage.linear.operating_points",
    "interstage.linear.sampled": "interstage.linear.model",
    "interstage.linear.tracking": "interstage.linear.design",
    "interstage.linear.zeros": "interstage.linear.poles",
}

CLASSES: dict[str, str] = {
    "interstage.kane.api:Acting": "interstage.kane.api:LoadArguments",
    "interstage.kane.equations:Parts": "interstage.kane.equations:EquationTerms",
    "interstage.kane.joints:Motion": "interstage.kane.joints:FrameMotion",
    "interstage.kane.kinematics:Frames": "interstage.kane.equations:BodyFrames",
    "interstage.kane.kinematics:Load": "interstage.kane.equations:NodeLoad",
    "interstage.kane.layout:Layout": "interstage.kane.layout:ModelConstants",
    "interstage.kane.layout:Place": "interstage.kane.layout:SiteConstants",
    "interstage.kane.reference:Shapes": "interstage.kane.layout:InboardShapes",
}


def current_name(name: str) -> str:
    """Return the current name of code, "module:qualified.name", for one that an earlier version wrote."""
    module, separator, inner = name.partition(":")
    top, dot, rest = inner.partition(".")
    renamed = CLASSES.get(f"{module}:{top}")
    if renamed is not None:
        return f"{renamed}{dot}{rest}"
    return f"{MODULES.get(module, module)}{separator}{inner}"


def former_names(module: str, names: dict[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a module whose public names were renamed, {old: new}."""

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module '{module}' has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is now {names[name]}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], names[name])

    return find


class _Moved:
    """Finder and loader of old modules: it returns the module that has their contents now.

    Without the base classes of `importlib.abc`, whose import takes longer than that of this package.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in MODULES else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = MODULES[spec.name]
        warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing: the module is loaded. The import system has given it the spec of its old name."""
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def install() -> None:
    """Let old modules be imported; the modules that exist are found first."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.append(_Moved())
