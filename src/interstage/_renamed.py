"""Modules, classes and functions that were renamed: scripts and files of earlier versions find them by the old names.

`PACKAGES` is {old package: new package}, whose modules kept their names, `MODULES` {old module: module that has its
contents now} for all others, `CLASSES` {old "module:Class": new "module:Class"} where
the class has another name too, and `NAMES` {package: {old public name: new name}}, which holds for the package and all
modules in it that define or import the new name. Imports of an old module return the new one with a
`DeprecationWarning` (`install`), old names of a package or module do so through its `__getattr__` (`former_names`,
`lazy.door`), and names of classes in checkpoints and exported units are looked up through `current_name`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType

PACKAGES: dict[str, str] = {
    "interstage.ensemble": "interstage.studies",
    "interstage.system": "interstage.simulation",
    "interstage.vehicle": "interstage.staged_vehicle",
}

MODULES: dict[str, str] = {
    "interstage.nastran.field_types": "interstage.nastran.checks",
    "interstage.nastran.registry": "interstage.nastran.parameters",
    "interstage.component.acceptance": "interstage.component.checks",
    "interstage.component.builders": "interstage.component.constructors",
    "interstage.component.doors": "interstage.component.constructors",
    "interstage.component.embedded": "interstage.component.file",
    "interstage.component.from_nastran.element_results": "interstage.component.from_nastran.deck",
    "interstage.component.from_nastran.lumped_cards": "interstage.component.from_nastran.lumped",
    "interstage.component.from_nastran.lumped_joints": "interstage.component.from_nastran.lumped",
    "interstage.component.from_nastran.op2": "interstage.component.from_nastran.superelement",
    "interstage.component.from_nastran.op4": "interstage.component.from_nastran.superelement",
    "interstage.component.from_nastran.run_text": "interstage.component.from_nastran.external",
    "interstage.component.from_nastran.simple": "interstage.component.from_nastran.deck",
    "interstage.component.from_nastran.source": "interstage.component.from_nastran.deck_common",
    "interstage.component.geometric": "interstage.component.unit_loads",
    "interstage.component.hdf5_read": "interstage.component.file",
    "interstage.component.hdf5_write": "interstage.component.file",
    "interstage.component.interface_mass": "interstage.component.interface",
    "interstage.component.kinds": "interstage.component.schema_io",
    "interstage.component.layout": "interstage.component.file",
    "interstage.component.lazy": "interstage.component.schema_io",
    "interstage.component.lumped": "interstage.component.from_matrices",
    "interstage.component.matrices": "interstage.component.from_matrices",
    "interstage.component.physical": "interstage.component.checks",
    "interstage.component.precision": "interstage.component.checks",
    "interstage.component.record": "interstage.component.component",
    "interstage.component.recovery": "interstage.component.unit_loads",
    "interstage.component.results": "interstage.component.options",
    "interstage.component.rigid": "interstage.component.rigid_body_modes",
    "interstage.component.rigid_parts": "interstage.component.remove_rigid_body",
    "interstage.component.stored": "interstage.component.schema",
    "interstage.component.superelement": "interstage.component.from_nastran.superelement",
    "interstage.component.unit_names": "interstage.component.units",
    "interstage.demo.ascent_law": "interstage.demo.ascent_control",
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
    "interstage.linear.flight_plant": "interstage.linear.assembly_plant",
    "interstage.linear.flight_points": "interstage.linear.operating_points",
    "interstage.linear.flight_trim": "interstage.linear.assembly_trim",
    "interstage.linear.sampled": "interstage.linear.model",
    "interstage.linear.steady": "interstage.linear.newton",
    "interstage.linear.tracking": "interstage.linear.design",
    "interstage.linear.zeros": "interstage.linear.poles",
    "interstage.multibody.api": "interstage.multibody.system",
    "interstage.multibody.api.closures": "interstage.multibody.system",
    "interstage.multibody.api.compiled": "interstage.multibody.model_data",
    "interstage.multibody.api.dynamics": "interstage.multibody.system",
    "interstage.multibody.api.kinematics": "interstage.multibody.system",
    "interstage.multibody.api.system": "interstage.multibody.system",
    "interstage.multibody.assembly": "interstage.multibody.loop_assembly",
    "interstage.multibody.calling": "interstage.multibody.types",
    "interstage.multibody.closed_rows": "interstage.multibody.closures",
    "interstage.multibody.closed_slopes": "interstage.multibody.dynamics_derivatives",
    "interstage.multibody.closing": "interstage.multibody.closure_queries",
    "interstage.multibody.conserved": "interstage.multibody.conservation",
    "interstage.multibody.diagnosis": "interstage.multibody.queries",
    "interstage.multibody.engine": "interstage.multibody.kernel_interface",
    "interstage.multibody.flex": "interstage.multibody.flexible_body",
    "interstage.multibody.flex.reference": "interstage.multibody.flexible_body",
    "interstage.multibody.flex.thin": "interstage.multibody.flexible_body",
    "interstage.multibody.handle": "interstage.multibody.address_table",
    "interstage.multibody.hinge_nodes": "interstage.multibody.node_checks",
    "interstage.multibody.inspection": "interstage.multibody.queries",
    "interstage.multibody.joints.fitting": "interstage.multibody.joints.base",
    "interstage.multibody.joints.motions": "interstage.multibody.joints.elementary_motions",
    "interstage.multibody.joints.rows": "interstage.multibody.joints.constraint_rows",
    "interstage.multibody.kernels.closed": "interstage.multibody.kernels.constrained_forward",
    "interstage.multibody.kernels.closure": "interstage.multibody.kernels.closure_forces",
    "interstage.multibody.kernels.closure_columns": "interstage.multibody.kernels.derivative_entry",
    "interstage.multibody.kernels.doors": "interstage.multibody.kernels.fast_entry",
    "interstage.multibody.kernels.elimination": "interstage.multibody.kernels.modal_elimination",
    "interstage.multibody.kernels.flex": "interstage.multibody.kernels.body_inertia",
    "interstage.multibody.kernels.inverse": "interstage.multibody.kernels.inverse_dynamics",
    "interstage.multibody.kernels.inverse_mass": "interstage.multibody.kernels.derivative_entry",
    "interstage.multibody.kernels.jacobian": "interstage.multibody.kernels.kinematics",
    "interstage.multibody.kernels.linear_entry": "interstage.multibody.kernels.derivative_entry",
    "interstage.multibody.kernels.load_slopes": "interstage.multibody.kernels.derivative_entry",
    "interstage.multibody.kernels.mode_slopes": "interstage.multibody.kernels.modal_derivatives",
    "interstage.multibody.kernels.outward": "interstage.multibody.kernels.modal_elimination",
    "interstage.multibody.kernels.port_slopes": "interstage.multibody.kernels.modal_derivatives",
    "interstage.multibody.kernels.ports": "interstage.multibody.kernels.outboard_nodes",
    "interstage.multibody.kernels.responses": "interstage.multibody.kernels.modal_elimination",
    "interstage.multibody.kernels.rigid": "interstage.multibody.kernels.fast_entry",
    "interstage.multibody.kernels.rows": "interstage.multibody.kernels.array_access",
    "interstage.multibody.kernels.settling": "interstage.multibody.kernels.geometric_iteration",
    "interstage.multibody.kernels.slopes": "interstage.multibody.kernels.inverse_dynamics_derivatives",
    "interstage.multibody.kernels.slots": "interstage.multibody.kernels.array_access",
    "interstage.multibody.kernels.small": "interstage.multibody.kernels.algebra",
    "interstage.multibody.kernels.spatial": "interstage.multibody.kernels.algebra",
    "interstage.multibody.kernels.stiffening": "interstage.multibody.kernels.geometric_stiffness",
    "interstage.multibody.kernels.stillness": "interstage.multibody.kernels.closure_forces",
    "interstage.multibody.kernels.thin": "interstage.multibody.kernels.body_inertia",
    "interstage.multibody.kernels.triangles": "interstage.multibody.kernels.algebra",
    "interstage.multibody.kernels.weighing": "interstage.multibody.kernels.variable_mass",
    "interstage.multibody.layout": "interstage.multibody.state",
    "interstage.multibody.load_nodes": "interstage.multibody.node_checks",
    "interstage.multibody.places": "interstage.multibody.sites",
    "interstage.multibody.potential": "interstage.multibody.load_recovery",
    "interstage.multibody.prescribed": "interstage.multibody.joint_modes",
    "interstage.multibody.recovered": "interstage.multibody.load_recovery",
    "interstage.multibody.refinement": "interstage.multibody.kernel_interface",
    "interstage.multibody.slopes": "interstage.multibody.dynamics_derivatives",
    "interstage.multibody.tanks": "interstage.multibody.propellant_mass",
    "interstage.multibody.together": "interstage.multibody.topology",
    "interstage.multibody.unstiffened": "interstage.multibody.fidelity",
    "interstage.system.acting": "interstage.simulation.run.applied_loads",
    "interstage.system.ahead": "interstage.simulation.plant.prescribed_inputs",
    "interstage.system.ahead_parts": "interstage.simulation.plant.plan",
    "interstage.system.ambient": "interstage.simulation.plant.connections",
    "interstage.system.assembly": "interstage.simulation.plant.assembly",
    "interstage.system.between": "interstage.simulation.run.dense_output",
    "interstage.system.between_ports": "interstage.simulation.plant.connection_blocks",
    "interstage.system.beyond": "interstage.simulation.plant.compiled_schedule",
    "interstage.system.blocks": "interstage.simulation.plant.assembly_text",
    "interstage.system.bytecode": "interstage.simulation.plant.feedthrough",
    "interstage.system.carried": "interstage.simulation.plant.internal_loads",
    "interstage.system.checkpoint": "interstage.simulation.run.checkpoint",
    "interstage.system.closed_loop": "interstage.simulation.run.coupled_system",
    "interstage.system.code_names": "interstage.simulation.plant.serialization",
    "interstage.system.curves": "interstage.simulation.plant.prescribed_motion",
    "interstage.system.dense": "interstage.simulation.run.dense_output",
    "interstage.system.derivatives": "interstage.simulation.plant.time_derivatives",
    "interstage.system.described": "interstage.simulation.plant.serialization",
    "interstage.system.device": "interstage.simulation.plant.device",
    "interstage.system.device_checks": "interstage.simulation.plant.device",
    "interstage.system.events": "interstage.simulation.run.events",
    "interstage.system.fast_states": "interstage.simulation.run.step_stability",
    "interstage.system.faults": "interstage.simulation.plant.faults",
    "interstage.system.feedthrough": "interstage.simulation.plant.feedthrough",
    "interstage.system.flight": "interstage.simulation.run.runner",
    "interstage.system.flight_events": "interstage.simulation.run.event_handling",
    "interstage.system.flight_file": "interstage.simulation.log.hdf5",
    "interstage.system.flight_inside": "interstage.simulation.run.dense_output",
    "interstage.system.flight_law": "interstage.simulation.run.applied_loads",
    "interstage.system.flight_library": "interstage.simulation.run.integrators.scipy_solvers",
    "interstage.system.flight_loads": "interstage.simulation.run.applied_loads",
    "interstage.system.flight_log": "interstage.simulation.log.log",
    "interstage.system.flight_phases": "interstage.simulation.log.phase_storage",
    "interstage.system.flight_point": "interstage.simulation.run.operating_point",
    "interstage.system.flight_steps": "interstage.simulation.run.step_schedule",
    "interstage.system.flight_words": "interstage.simulation.run.run_errors",
    "interstage.system.followed": "interstage.simulation.plant.moved_sites",
    "interstage.system.histories": "interstage.simulation.plant.prescribed_motion",
    "interstage.system.holding": "interstage.simulation.plant.vehicle_interface",
    "interstage.system.inside": "interstage.simulation.plant.internal_loads",
    "interstage.system.jets": "interstage.simulation.plant.time_derivatives",
    "interstage.system.kernels": "interstage.simulation.run.integrators",
    "interstage.system.kernels.explicit": "interstage.simulation.run.integrators.step_kernels",
    "interstage.system.kernels.flights": "interstage.simulation.run.integrators.integration_loop",
    "interstage.system.kernels.slope": "interstage.simulation.run.integrators.step_kernels",
    "interstage.system.kernels.stretch": "interstage.simulation.run.integrators.step_control",
    "interstage.system.kernels.wmethod": "interstage.simulation.run.integrators.step_kernels",
    "interstage.system.law": "interstage.simulation.plant.python_block",
    "interstage.system.library": "interstage.simulation.run.integrators.scipy_solvers",
    "interstage.system.limits": "interstage.simulation.plant.declarations",
    "interstage.system.local_ambient": "interstage.simulation.plant.connection_blocks",
    "interstage.system.locks": "interstage.simulation.run.run_errors",
    "interstage.system.log.log_file": "interstage.simulation.log.older_file",
    "interstage.system.log.simulation_log": "interstage.simulation.log.log",
    "interstage.system.log_columns": "interstage.simulation.log.layout",
    "interstage.system.log_file": "interstage.simulation.log.older_file",
    "interstage.system.log_forms": "interstage.simulation.log.export",
    "interstage.system.log_masses": "interstage.simulation.log.phases",
    "interstage.system.log_memory": "interstage.simulation.log.points",
    "interstage.system.log_points": "interstage.simulation.log.points",
    "interstage.system.loop_arrays": "interstage.simulation.plant.coupled_arrays",
    "interstage.system.loop_kernels": "interstage.simulation.plant.coupled_kernels",
    "interstage.system.memory": "interstage.simulation.plant.python_block",
    "interstage.system.methods": "interstage.simulation.run.integrators",
    "interstage.system.methods.base": "interstage.simulation.run.integrators.base",
    "interstage.system.methods.dopri5": "interstage.simulation.run.integrators.explicit",
    "interstage.system.methods.explicit": "interstage.simulation.run.integrators.explicit",
    "interstage.system.methods.library": "interstage.simulation.run.integrators.base",
    "interstage.system.methods.rk4": "interstage.simulation.run.integrators.explicit",
    "interstage.system.methods.ros2": "interstage.simulation.run.integrators.rosenbrock",
    "interstage.system.methods.ros3": "interstage.simulation.run.integrators.rosenbrock",
    "interstage.system.methods.wmethod": "interstage.simulation.run.integrators.rosenbrock",
    "interstage.system.noise": "interstage.simulation.plant.noise",
    "interstage.system.order": "interstage.simulation.plant.execution_order",
    "interstage.system.pacing": "interstage.simulation.run.real_time",
    "interstage.system.phases": "interstage.simulation.log.phases",
    "interstage.system.plan": "interstage.simulation.plant.plan",
    "interstage.system.ports": "interstage.simulation.plant.declarations",
    "interstage.system.progress": "interstage.simulation.run.real_time",
    "interstage.system.rates": "interstage.simulation.run.step_stability",
    "interstage.system.replay": "interstage.simulation.log.phase_storage",
    "interstage.system.rows": "interstage.simulation.log.phases",
    "interstage.system.rows_between": "interstage.simulation.run.dense_output",
    "interstage.system.stable_steps": "interstage.simulation.run.run_errors",
    "interstage.system.steps": "interstage.simulation.run.step_schedule",
    "interstage.system.syntax": "interstage.simulation.plant.feedthrough",
    "interstage.system.tapes": "interstage.simulation.plant.compiled_schedule",
    "interstage.system.ticks": "interstage.simulation.plant.clock",
    "interstage.system.time_edges": "interstage.simulation.run.time_edges",
    "interstage.system.tolerance": "interstage.simulation.run.step_schedule",
    "interstage.system.touched": "interstage.simulation.plant.vehicle_interface",
    "interstage.system.touching": "interstage.simulation.plant.vehicle_interface",
    "interstage.system.tree": "interstage.simulation.plant.assembly_text",
    "interstage.system.udp": "interstage.simulation.run.real_time",
    "interstage.system.uncompiled": "interstage.simulation.plant.compiled_schedule",
    "interstage.system.views": "interstage.simulation.plant.vehicle_interface",
    "interstage.system.watch": "interstage.simulation.run.event_location",
    "interstage.system.wires": "interstage.simulation.plant.connections",
    "interstage.vehicle.burn_log": "interstage.staged_vehicle.free_flight",
    "interstage.vehicle.coupling": "interstage.staged_vehicle.stack",
    "interstage.vehicle.damping": "interstage.staged_vehicle.integrals",
    "interstage.vehicle.decks": "interstage.staged_vehicle.stage",
    "interstage.vehicle.engines": "interstage.staged_vehicle.propellant_devices",
    "interstage.vehicle.fluid": "interstage.staged_vehicle.slosh",
    "interstage.vehicle.frozen": "interstage.staged_vehicle.to_component",
    "interstage.vehicle.geometric": "interstage.staged_vehicle.geometric_stiffness",
    "interstage.vehicle.joins": "interstage.staged_vehicle.interfaces",
    "interstage.vehicle.levels": "interstage.staged_vehicle.propellant_levels",
    "interstage.vehicle.ranking": "interstage.staged_vehicle.basis_selection",
    "interstage.vehicle.reference": "interstage.staged_vehicle.free_flight",
    "interstage.vehicle.results": "interstage.staged_vehicle.to_component",
    "interstage.vehicle.selection": "interstage.staged_vehicle.basis_selection",
    "interstage.vehicle.separation": "interstage.staged_vehicle.staging",
    "interstage.vehicle.shapes": "interstage.staged_vehicle.reduced_basis",
    "interstage.vehicle.tank": "interstage.staged_vehicle.propellant_devices",
    "interstage.vehicle.tank_stage": "interstage.staged_vehicle.stage",
}

CLASSES: dict[str, str] = {
    "interstage.demo.ascent:Design": "interstage.demo.ascent:ControlDesign",
    "interstage.demo.ascent_control:Autopilot": "interstage.demo.ascent_control:AscentSoftware",
    "interstage.demo.ascent_control:Plan": "interstage.demo.ascent_control:AscentPlan",
    "interstage.demo.ascent_plant:Cluster": "interstage.demo.ascent_plant:EngineCluster",
    "interstage.component.from_nastran.source:Frame": "interstage.component.from_nastran.deck_common:ReferenceFrame",
    "interstage.component.stored:Stored": "interstage.component.schema:FieldSchema",
    "interstage.kane.api:Acting": "interstage.kane.api:LoadArguments",
    "interstage.kane.equations:Parts": "interstage.kane.equations:EquationTerms",
    "interstage.kane.joints:Motion": "interstage.kane.joints:FrameMotion",
    "interstage.kane.kinematics:Frames": "interstage.kane.equations:BodyFrames",
    "interstage.kane.kinematics:Load": "interstage.kane.equations:NodeLoad",
    "interstage.kane.layout:Layout": "interstage.kane.layout:ModelConstants",
    "interstage.kane.layout:Place": "interstage.kane.layout:SiteConstants",
    "interstage.kane.reference:Shapes": "interstage.kane.layout:InboardShapes",
    "interstage.multibody.api.closures:Closures": "interstage.multibody.system:System",
    "interstage.multibody.api.compiled:Compiled": "interstage.multibody.model_data:ModelData",
    "interstage.multibody.api.dynamics:Dynamics": "interstage.multibody.system:System",
    "interstage.multibody.api.kinematics:Kinematics": "interstage.multibody.system:System",
    "interstage.multibody.calling:Table": "interstage.multibody.types:NameTable",
    "interstage.multibody.dynbody:Motion": "interstage.multibody.dynbody:PointMotion",
    "interstage.multibody.engine:Engine": "interstage.multibody.kernel_interface:KernelInterface",
    "interstage.multibody.impulse:Frames": "interstage.multibody.impulse:JointFrames",
    "interstage.multibody.joints.motions:Motion": "interstage.multibody.joints.elementary_motions:ElementaryMotion",
    "interstage.multibody.joints.motions:Pose": "interstage.multibody.joints.elementary_motions:FreePose",
    "interstage.multibody.joints.rows:Row": "interstage.multibody.joints.constraint_rows:ConstraintRow",
    "interstage.multibody.layout:Layout": "interstage.multibody.state:StateLayout",
    "interstage.multibody.refinement:Engine": "interstage.multibody.kernel_interface:KernelInterface",
    "interstage.multibody.settings:Settings": "interstage.multibody.settings:RuntimeSettings",
    "interstage.multibody.loads:OperatingPoint": "interstage.multibody.operating_point:OperatingPoint",
    "interstage.multibody.state:Layout": "interstage.multibody.state:StateLayout",
    "interstage.multibody.types:Table": "interstage.multibody.types:NameTable",
    "interstage.system.ahead:Sheet": "interstage.simulation.plant.prescribed_inputs:PrescribedTable",
    "interstage.system.assembly:Part": "interstage.simulation.plant.assembly:Member",
    "interstage.system.curves:Curve": "interstage.simulation.plant.prescribed_motion:MotionProfile",
    "interstage.system.dense:Polynomial": "interstage.simulation.run.dense_output:PolynomialStep",
    "interstage.system.device:View": "interstage.simulation.plant.device:RecordView",
    "interstage.system.events:Outcome": "interstage.simulation.run.events:ActionOutcome",
    "interstage.system.fast_states:Span": "interstage.simulation.run.step_stability:StepSpan",
    "interstage.system.flight:Flight": "interstage.simulation.run.runner:Runner",
    "interstage.system.flight_steps:Course": "interstage.simulation.run.step_schedule:StepSchedule",
    "interstage.system.flight_log:FlightLog": "interstage.simulation.log.log:Log",
    "interstage.system.log.log_file:LogFile": "interstage.simulation.log.log:Log",
    "interstage.system.log.simulation_log:FlightLog": "interstage.simulation.log.log:Log",
    "interstage.system.log:Log": "interstage.simulation.log.log:Log",
    "interstage.system.log_columns:Channel": "interstage.simulation.log.layout:LogChannel",
    "interstage.system.log_columns:Columns": "interstage.simulation.log.layout:LogColumns",
    "interstage.system.log_memory:Kept": "interstage.simulation.log.points:KeptMemories",
    "interstage.system.log_points:Kept": "interstage.simulation.log.points:KeptState",
    "interstage.system.log_points:Row": "interstage.simulation.log.points:LogRow",
    "interstage.system.methods.base:Compiled": "interstage.simulation.run.integrators.base:CompiledMethod",
    "interstage.system.order:Node": "interstage.simulation.plant.execution_order:CallNode",
    "interstage.system.plan:Plan": "interstage.simulation.plant.plan:ExecutionPlan",
    "interstage.system.plan:Slot": "interstage.simulation.plant.plan:SignalSlot",
    "interstage.system.rates:Rates": "interstage.simulation.run.step_stability:LocalRates",
    "interstage.system.rates:Stand": "interstage.simulation.run.step_stability:RunState",
    "interstage.system.wires:Piece": "interstage.simulation.plant.connections:ConnectionPiece",
    "interstage.vehicle.burn_log:BodyState": "interstage.staged_vehicle.free_flight:FreeFlightState",
    "interstage.vehicle.coupling:Modes": "interstage.staged_vehicle.stack:FreeModes",
    "interstage.vehicle.coupling:Stack": "interstage.staged_vehicle.stack:CoupledStructure",
    "interstage.vehicle.integrals:Integrals": "interstage.component.integrals:ModalIntegrals",
    "interstage.vehicle.ranking:Ritz": "interstage.staged_vehicle.basis_selection:RitzModes",
    "interstage.vehicle.reference:BodyState": "interstage.staged_vehicle.free_flight:FreeFlightState",
    "interstage.vehicle.selection:Ritz": "interstage.staged_vehicle.basis_selection:RitzModes",
    "interstage.vehicle.separation:Part": "interstage.staged_vehicle.staging:SeparatedPart",
    "interstage.vehicle.stack:Modes": "interstage.staged_vehicle.stack:FreeModes",
    "interstage.vehicle.stack:Stack": "interstage.staged_vehicle.stack:CoupledStructure",
    "interstage.vehicle.staging:Part": "interstage.staged_vehicle.staging:SeparatedPart",
}


NAMES: dict[str, dict[str, str]] = {
    "interstage": {
        "Crossing": "ZeroCrossing",
        "Discrete": "DiscreteState",
        "Expression": "CustomOutput",
        "Force": "Wrench",
        "Hinge": "JointRef",
        "Inside": "InternalLoad",
        "Integer": "IntegerState",
        "LinearLaw": "LinearController",
        "LockWarning": "GimbalLockWarning",
        "Motion": "PrescribedMotion",
        "Picture": "Visual",
        "Place": "Site",
        "Places": "Sites",
        "Reaction": "JointReaction",
        "Recovered": "RecoveredLoad",
        "Remove": "RemoveBody",
        "State": "ContinuousState",
        "Switch": "SetJointMode",
        "Vehicle": "StagedVehicle",
        "rotation_error": "attitude_error",
    },
    "interstage.devices": {
        "Allocation": "ControlAllocation",
        "Drag": "FreeMolecularDrag",
        "Dryden": "DrydenTurbulence",
        "EdgeThruster": "EventThruster",
        "Friction": "LuGreFriction",
        "Gust": "DiscreteGust",
        "LoadGauge": "LoadCell",
        "PhasePlane": "PhasePlaneController",
        "Sky": "Ephemeris",
        "SlideFriction": "PrismaticFriction",
        "SlideStickSlip": "PrismaticStickSlip",
        "SlideStop": "PrismaticStop",
        "SolarPressure": "SolarRadiationPressure",
        "StickingMotor": "StickSlipMotor",
        "StickingWheel": "StictionReactionWheel",
        "Stop": "JointStop",
        "TableSpring": "NonlinearSpring",
        "Trajectory": "ReferenceTrajectory",
    },
    "interstage.kane": {
        "Layout": "ModelConstants",
        "Load": "NodeLoad",
    },
    "interstage.simulation.quaternion": {
        "step": "propagate",
        "turn": "rotate_by",
    },
    "interstage.staged_vehicle": {
        "BodyState": "FreeFlightState",
        "Integrals": "ModalIntegrals",
        "Load": "NodalLoad",
        "Modes": "FreeModes",
        "Part": "SeparatedPart",
        "Shapes": "ReducedBasis",
        "ShapesReport": "BasisReport",
        "Stack": "CoupledStructure",
        "Tank": "PropellantTank",
        "fly": "simulate_free_flight",
    },
}


def new_name(module: str, name: str) -> str | None:
    """Return the current name of a public class or function of a module or of a package around it; None: the same."""
    home = module
    while home:
        if name in NAMES.get(home, ()):
            return NAMES[home][name]
        home = home.rpartition(".")[0]
    return None


def new_module(module: str) -> str:
    """Return the current name of a module, for its current name too."""
    if module in MODULES:
        return MODULES[module]
    package = ".".join(module.split(".", 2)[:2])
    return PACKAGES[package] + module[len(package) :] if package in PACKAGES else module


@cache
def _first_names() -> dict[str, str]:
    return {new: old for names in NAMES.values() for old, new in names.items()}


def first_name(code: type | FunctionType) -> str:
    """Return the name that files know a class or function by: its first one, which fingerprints are made with."""
    name = code.__qualname__
    if not code.__module__.startswith("interstage."):
        return name
    top, dot, rest = name.partition(".")
    old = _first_names().get(top)
    return name if old is None or new_name(code.__module__, old) != top else f"{old}{dot}{rest}"


def current_name(name: str) -> str:
    """Return the current name of code, "module:qualified.name", for one that an earlier version wrote."""
    module, separator, inner = name.partition(":")
    top, dot, rest = inner.partition(".")
    renamed = CLASSES.get(f"{module}:{top}")
    if renamed is not None:
        module, _, top = renamed.partition(":")
    module = new_module(module)
    has = vars(sys.modules[module]) if module in sys.modules else {}
    if top not in has:
        new = new_name(module, top)
        top = new if new in has else top
    return f"{module}{separator}{top}{dot}{rest}"


def former_names(module: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a module that has public names which were renamed."""

    def find(name: str) -> object:
        new = new_name(module, name)
        if new is None or new not in vars(sys.modules[module]):
            raise AttributeError(f"module '{module}' has no attribute {name!r}")
        warn_renamed(f"{module}.{name}", new, 3)
        return vars(sys.modules[module])[new]

    return find


def warn_renamed(old: str, new: str, stacklevel: int) -> None:
    """Warn that an old name was used; stacklevel : as of `warnings.warn` called in the place of this function."""
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=stacklevel)


class _Moved:
    """Finder and loader of old modules: it returns the module that has their contents now.

    Without the base classes of `importlib.abc`, whose import takes longer than that of this package.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if new_module(name) != name else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = new_module(spec.name)
        warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        if any(old.startswith(f"{spec.name}.") for old in MODULES):
            vars(module).setdefault("__path__", [])  # it was a package: its modules are looked for
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing: the module is loaded. The import system has given it the spec of its old name."""
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def install() -> None:
    """Let old modules be imported."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(
            0, _Moved()
        )  # before modules of the same last name in a folder that has another name
