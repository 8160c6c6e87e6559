"""Sentences of the demo's report: one for each section and figure, for readers new to the subject."""

LEAD = (
    "From a NASTRAN deck to a flexible multibody vehicle with gimballed engines, a linear model for control, "
    "and a flight from the pad to T+300 s. Every step is shown with what it was checked against."
)

MODES = (
    "A vehicle in flight rings like a bell, in patterns of its own. Its control system must not excite them."
)

SHAPES = (
    "Pick a mode: the vehicle moves as it would vibrate, greatly exaggerated, and colour shows how far "
    "each place moves. Drag to turn it; hide the fairing to see the payload."
)

TABLE = (
    "The multibody vehicle, assembled from its parts, rings at the frequencies of the finite-element "
    "model of the whole."
)

MAC = (
    "Each square compares two shapes: a dark diagonal on an empty field says that every mode has its one "
    "counterpart."
)

VEHICLE = (
    "The deck's engines and payload were taken out of the flexible core and put back as bodies of their "
    "own, on joints."
)

MASS = (
    "What the whole vehicle weighs, where its centre of mass is, and how it resists turning: the deck and "
    "the multibody vehicle agree."
)

CONTROL = (
    "About its steady state under thrust the vehicle is described by a linear model: what a control "
    "engineer designs with."
)

BODE = (
    "How strongly the gyros respond when the engines swing at a given frequency: peaks are bending modes, "
    "and where the two gyros part in phase, they sit on opposite sides of a node of the bending."
)

FLIGHT = (
    "The nonlinear vehicle in time, from its trim, with the engines swung one degree up and one degree down."
)

DOUBLET = (
    "The vehicle pitches and stops, and its bending rings on: what the gyros feel is the turn of the "
    "vehicle with the ringing on top. The linear model (dashed) follows the nonlinear one."
)

ACTUATORS = (
    "Engines turn on springs and dampers that stand for their actuators; a command is a torque of spring "
    "stiffness times angle."
)

TRIM = (
    "All four engines at full thrust: the structure is pressed together, then rides along without vibrating. "
    "Under compression it bends more softly."
)

STIFFNESS = (
    "The loads that the core carries change its stiffness (geometric stiffness); without that bending under thrust "
    "would come out too stiff, above that of the vehicle at rest."
)

ASCENT = (
    "From the pad along a reference trajectory, closed loop: gains of least cost on the rigid motion, filters that "
    "keep them out of the bending, software at 50 Hz, eight gimbal angles by least squares."
)

REPLAY = (
    "Heron off the pad: move the slider, or press Play. The chase camera flies along, the fixed one stands on the "
    "ground."
)

ASCENT_CHARTS = (
    "Altitude and speed, how far the vehicle is from its reference, and what the gimbals do about it. The line is the "
    "time of the replay."
)

IDEAL = "In the ascent engines stand on prescribed joints: ideal actuators, which follow their commands with a lag."
