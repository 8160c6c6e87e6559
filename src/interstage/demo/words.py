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
    "From the pad with everything on: propellant burns, wind and gusts blow, the empty stage leaves. Gains and notches "
    "follow linear models at six times of flight; software at 50 Hz steers along a reference trajectory."
)

REPLAY = (
    "Heron off the pad: move the slider, or press Play. The chase camera flies along; the fixed one looks at the pad "
    "and draws back as Heron goes. Two buttons lead to the gust and to the staging."
)

ASCENT_CHARTS = (
    "What blows and pushes, how far the vehicle is from its reference, and what the gimbals do about it. The line is "
    "the time of the replay."
)

MARGINS = (
    "First mode of bending; what the loop bears before it is lost, 6 dB and 30° wanted; peaks of bending, wanted below "
    "-6 dB. Without its notches the same loop is unstable in bending."
)

STAGES = (
    "The ascent flies the same launcher in two stages: its walls as bars that bend as the shells do within 1 % (first "
    "mode), tanks that empty, five engines on hydraulic gimbals with limits."
)

AROUND = (
    "There the Earth turns and is oblate, the atmosphere is the standard one with wind, turbulence and a gust, and the "
    "inertial unit has its errors."
)
