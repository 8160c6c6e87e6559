"""Software blocks: filters against scipy, PID and phase plane in closed form, allocation against scipy's optimum."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Rail, Ruler, cart
from scipy import optimize, signal, stats

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

RNG = np.random.default_rng(8)
NOISE = RNG.normal(size=400)


def filtered(device, samples, every="10 ms"):
    """Return what a device makes of samples."""
    made = ist.Assembly("x")
    step = 0.01
    made.add("source", lambda t: samples[min(round(t / step), len(samples) - 1)], every=every, out={"y": "N"})
    made.add("filter", device, every=every).wire({"source.y": "filter.u"})
    log = ist.simulate(made, None, until=step * (len(samples) - 1), step="10 ms", keep=["filter.y"])
    return log["filter.y"].ravel()


def by_scipy(num, den, w0, samples):
    """Return the same by scipy: bilinear map at a rate that keeps w0, started settled."""
    b, a = signal.bilinear(num, den, fs=w0 / (2 * np.tan(0.5 * w0 * 0.01)))
    start = signal.lfilter_zi(b, a) * samples[0]
    return signal.lfilter(b, a, samples, zi=start)[0]


W = 2 * np.pi * 7.0
CASES = {
    "low pass 1": (lambda: dev.LowPass("7 Hz", order=1), [W], [1, W], W),
    "low pass 2": (lambda: dev.LowPass("7 Hz", damping=0.6), [W**2], [1, 1.2 * W, W**2], W),
    "notch": (lambda: dev.Notch("7 Hz", depth=0.05, width=0.6), [1, 0.1 * W, W**2], [1, 1.2 * W, W**2], W),
    "lead lag": (
        lambda: dev.LeadLag("3.5 Hz", "14 Hz", gain=2.0),
        [2.0 / (np.pi * 7), 2.0],
        [1 / (np.pi * 28), 1.0],
        W,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_filters_are_those_of_scipy(case):
    make, num, den, w0 = CASES[case]
    samples = 3.0 + NOISE
    assert filtered(make(), samples) == pytest.approx(by_scipy(num, den, w0, samples), abs=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_filters_have_no_hidden_pole_on_the_unit_circle(case):
    """A filter of first order has one pole, that of scipy's bilinear map, and forgets the rest at once."""
    make, num, den, w0 = CASES[case]
    made = ist.Assembly("x").add("f", make(), every="10 ms")
    z = ist.linearize(made, None, inputs="f.u", outputs="f.y", sampled=True).poles()
    _, a = signal.bilinear(num, den, fs=w0 / (2 * np.tan(0.5 * w0 * 0.01)))
    moving = z[np.abs(z) > 1e-9]
    assert np.sort_complex(moving) == pytest.approx(np.sort_complex(np.roots(a)), abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_filters_are_exact_at_their_frequency(case):
    """The sampled loop's own linear model, at ω0: gain and phase of the continuous filter."""
    make, num, den, w0 = CASES[case]
    made = ist.Assembly("x").add("f", make(), every="10 ms")
    lin = ist.linearize(made, None, inputs="f.u", outputs="f.y", sampled=True)
    found = lin.frequency_response([w0 / (2 * np.pi)])[0, 0, 0]
    assert found == pytest.approx(np.polyval(num, 1j * w0) / np.polyval(den, 1j * w0), abs=1e-9)


def test_a_held_input_is_filtered_exactly():
    """Zero-order hold: the step response of the samples is that of the continuous filter."""
    num, den = [3.0, 40.0], [1.0, 2.0, 40.0]
    y = filtered(dev.LinearFilter((num, den), every="10 ms"), np.ones(200))
    t = 0.01 * np.arange(200)
    assert y == pytest.approx(signal.step((num, den), T=t)[1], abs=1e-9)
    tustin = filtered(dev.LinearFilter((num, den), every="10 ms", method="tustin"), NOISE)
    b, a = signal.bilinear(num, den, fs=100.0)
    assert tustin == pytest.approx(signal.lfilter(b, a, NOISE), abs=1e-11)


def test_a_pid_on_a_double_integrator_is_that_of_its_polynomials():
    """The closed loop of the sampled PID, pole by pole and sample by sample."""
    kp, ki, kd, tau, T, m = 30.0, 8.0, 14.0, 0.05, 0.02, 2.0
    system = cart(m)
    made = ist.Assembly("x", vehicle=system)
    made.add("push", Rail(joint="cart")).add("ruler", Ruler(joint="cart"), every="20 ms")
    made.add("pid", dev.PID(kp=kp, ki=ki, kd=kd, lag=tau, wanted=[0.5]), every="20 ms")
    made.wire({"ruler.place": "pid.measured", "pid.u": "push.command"})
    log = ist.simulate(made, system.state(), until=4, step="20 ms", log_step="20 ms")
    # y/wanted and y/(a force) of plant b/a = T²/2m (z + 1)/(z - 1)², PI p/(z - 1), slope 2kd (z - 1)/q
    one = np.poly1d([1, -1])
    b, p = T * T / (2 * m) * np.poly1d([1, 1]), kp * one + 0.5 * ki * T * np.poly1d([1, 1])
    q = np.poly1d([2 * tau + T, T - 2 * tau])
    den = one**3 * q + b * (p * q + 2 * kd * one**2)
    to = [signal.dstep(((b * num).c, den.c, T), n=201)[1][0].ravel() for num in (p * q, one * q)]
    # the first e⁻ is e itself: the integral begins half a sample ahead
    expected = 0.5 * to[0] + 0.25 * ki * T * to[1]
    assert log["cart"].q.ravel() == pytest.approx(expected, abs=1e-10)
    poles = ist.linearize(made, system.state(), sampled=True).poles()
    assert np.sort_complex(poles[:4]) == pytest.approx(np.sort_complex(den.roots), abs=1e-8)


def test_a_pid_does_not_wind_up():
    system = cart()
    ends = []
    for limit in (1e9, 1.0):
        made = ist.Assembly("x", vehicle=system)
        made.add("push", Rail(joint="cart")).add("ruler", Ruler(joint="cart"), every="20 ms")
        made.add("pid", dev.PID(kp=4.0, ki=2.0, kd=5.0, limit=limit, wanted=[5.0]), every="20 ms")
        made.wire({"ruler.place": "pid.measured", "pid.u": "push.command"})
        log = ist.simulate(made, system.state(), until=20, step="20 ms")
        assert np.abs(log["pid.u"]).max() <= limit + 1e-12
        ends.append(log)
    overshoot = [log["cart"].q.max() - 5.0 for log in ends]
    assert overshoot[1] < 1.2 * overshoot[0] + 0.5 and abs(ends[1]["cart"].q[-1, 0] - 5.0) < 0.1


class Axis(ist.Device):
    """Torque of thrusters that are on or off, and what they do."""

    at = ist.Site()
    turned, spin = at.attitude(), at.rate("body")
    fire = ist.In("", 3)
    torque = at.torque("body")
    error, rate = ist.Out("rad", 3), ist.Out("rad/s", 3)

    def outputs(d, t):
        for i in range(3):
            d.torque[i] = 4.0 * d.fire[i]
            d.error[i] = 2.0 * d.turned[1 + i]
            d.rate[i] = d.spin[i]


def test_a_phase_plane_is_time_optimal_and_stays_in_its_band():
    """From e0 at rest: full thrust to the switching curve, coast, brake; then a limit cycle in the band."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=10.0, inertia=[40.0, 40.0, 40.0], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["bus"].quaternion[:] = ist.quaternion.rotate_by([1, 0, 0, 0], [0.1, 0, 0])
    made = ist.Assembly("x", vehicle=system).add("axis", Axis(at="bus"))
    made.add(
        "logic", dev.PhasePlaneController(deadband="0.2 deg", acceleration=0.1, hysteresis=0.5), every="5 ms"
    )
    made.wire({"axis.error": "logic.error", "axis.rate": "logic.rate", "logic.fire": "axis.fire"})
    log = ist.simulate(made, x, until=20, step="5 ms", log_step="5 ms")
    e, w = log["axis.error"][:, 0], log["axis.rate"][:, 0]
    # on until s = half the band, coast to s = -band, brake until the error is in the band
    band, alpha = np.radians(0.2), 0.1
    on = np.sqrt((0.1 - 0.5 * band) / alpha)
    coast = 1.5 * band / (alpha * on)
    left = 0.1 - 0.5 * alpha * on**2 - alpha * on * coast
    brake = on - np.sqrt(on**2 - 2 * (left - band) / alpha)
    reached = log.t[np.argmax(np.abs(e) < band)]
    assert reached == pytest.approx(on + coast + brake, abs=0.02)  # a few samples of 5 ms
    assert w.min() == pytest.approx(-np.sqrt(0.1 * 0.1), rel=0.05)  # half way, at √(α e0)
    late = log.t > 4
    # from the edge of the band a pulse lasts until s has fallen by the hysteresis: ω = √(α·band/2)
    assert np.abs(e[late]).max() < 1.02 * band
    assert np.abs(w[late]).max() == pytest.approx(np.sqrt(0.5 * alpha * band), abs=2 * alpha * 5e-3)


def allocated(device, demand):
    made = ist.Assembly("x").add("a", device.set(demand=demand), every=1)
    return ist.simulate(made, None, until=1, step=1)["a.u"][0]


E = RNG.normal(size=(3, 8))


def test_demands_within_limits_are_met_with_the_least_effort():
    c = np.array([0.3, -0.2, 0.1])
    u = allocated(dev.ControlAllocation(E, low=-1.0, high=1.0), c)
    assert u == pytest.approx(np.linalg.pinv(E) @ c, abs=1e-12)
    about = 0.1 * np.ones(8)
    u = allocated(dev.ControlAllocation(E, low=-1.0, high=1.0, preferred=about), c)
    assert u == pytest.approx(about + np.linalg.pinv(E) @ (c - E @ about), abs=1e-12)


def test_demands_beyond_limits_are_met_as_well_as_scipy_can():
    weights = np.array([1.0, 3.0, 0.5])
    for k in range(12):
        c = RNG.normal(size=3) * (1.0 + k)
        low, high = -RNG.uniform(0.1, 0.5, 8), RNG.uniform(0.1, 0.5, 8)
        u = allocated(dev.ControlAllocation(E, low=low, high=high, weights=weights), c)
        best = optimize.lsq_linear(weights[:, None] * E, weights * c, (low, high), tol=1e-14)
        cost = 0.5 * np.sum((weights * (E @ u - c)) ** 2)
        assert (u >= low - 1e-12).all() and (u <= high + 1e-12).all()
        assert cost == pytest.approx(best.cost, rel=1e-6, abs=1e-9)


def test_a_scaled_allocation_keeps_the_direction():
    c = np.array([6.0, -4.0, 2.0])
    u = allocated(dev.ControlAllocation(E, low=-0.5, high=0.5, method="pinv"), c)
    got = E @ u
    assert np.abs(u).max() == pytest.approx(0.5) and np.cross(got, c) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dev.PID(n=-1), "PID, n is a number of rows; expected 1 or more, got -1"),
        (lambda: dev.PID(n=0), "PID, n is a number of rows"),
        (lambda: dev.LowPass("1 Hz", n=1.5), "LowPass, n is a number of rows"),
        (lambda: dev.LowPass("-1 Hz"), "LowPass.frequency must be above 0.0"),
        (lambda: dev.LowPass("1 Hz", order=3), "order 1 or 2"),
        (lambda: dev.Notch("60 Hz", every="10 ms"), "not below half the sampling rate"),
        (lambda: dev.Notch("6 rad/s"), "the units do not fit"),
        (lambda: dev.LeadLag("0 Hz", "1 Hz"), "LeadLag.zero must be above 0.0"),
        (lambda: dev.LinearFilter(([1.0], [1.0, 2.0]), every="0 s"), "must be a positive time"),
        (lambda: dev.LinearFilter(([1.0],), every="1 s"), "not a linear filter"),
        (lambda: dev.LinearFilter(([1.0], [1.0, 2.0]), every="1 s", method="euler"), "unknown method"),
        (lambda: dev.PID(kp=1.0, ki=-1.0), "PID.ki must be at least 0.0"),
        (
            lambda: dev.PhasePlaneController(deadband=-1.0, acceleration=1.0),
            "PhasePlaneController.deadband must be above 0.0",
        ),
        (lambda: dev.ControlAllocation(np.zeros((2, 3))), "not an effectiveness"),
        (lambda: dev.ControlAllocation(E, low=1.0, high=-1.0), "not within their limits"),
        (lambda: dev.ControlAllocation(E, weights=-1.0), "weights must be positive"),
    ],
)
def test_blocks_that_cannot_be_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: dev.LowPass("1 Hz"),
        lambda: dev.Notch("5 Hz", depth=0.05, width=0.7),
        lambda: dev.LeadLag("1 Hz", "4 Hz"),
    ],
)
@pytest.mark.parametrize("start", [0, 10])
def test_filters_begin_settled_whenever_a_run_begins(make, start):
    made = ist.Assembly("x").add("source", lambda t: 3.0, every="20 ms", out={"y": "N"})
    made.add("filter", make(), every="20 ms").wire({"source.y": "filter.u"})
    log = ist.simulate(made, None, start=start, until=start + 0.2, step="20 ms")
    assert log["filter.y"].ravel() == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize("start", [0, 10])
def test_a_pid_begins_without_a_kick_whenever_a_run_begins(start):
    """e = -5 for ever: u = kp e + ki e t from the first sample on, and no derivative of what was always there."""
    made = ist.Assembly("x").add("source", lambda t: 5.0, every="20 ms", out={"y": ""})
    made.add("pid", dev.PID(kp=2.0, ki=0.3, kd=4.0), every="20 ms").wire({"source.y": "pid.measured"})
    log = ist.simulate(made, None, start=start, until=start + 0.2, step="20 ms")
    samples = np.arange(len(log.t)) + 1
    assert log["pid.u"].ravel() == pytest.approx(-10.0 - 0.3 * 5.0 * 0.02 * samples, rel=1e-12)


@pytest.mark.parametrize(
    ("device", "changed"),
    [
        (lambda hz: dev.LowPass(f"{hz} Hz"), {"f.frequency": 120.0}),
        (lambda hz: dev.LowPass(f"{hz} Hz", order=1), {"f.frequency": 60.0}),
        (lambda hz: dev.Notch(f"{hz} Hz"), {"f.frequency": 120.0}),
        (lambda hz: dev.LeadLag(f"{0.5 * hz} Hz", f"{2 * hz} Hz"), {"f.pole": 400.0}),
    ],
)
def test_frequencies_that_samples_do_not_show_are_refused_wherever_they_come_from(device, changed):
    """Above half the rate tan(ωT/2) is that of another filter, or negative, which is unstable."""
    words = "not below half the sampling rate"

    def made(hz):
        return ist.Assembly("a").add("f", device(hz), every="10 ms").expose(u="f.u", y="f.y")

    with pytest.raises(InputError, match=words):
        ist.simulate(made(60), None, until=0.1, step=0.01)
    run, held = {"until": 0.1, "step": 0.01}, {"f.u": [1.0]}
    ist.simulate(made(30), None, set=held, **run)
    with pytest.raises(InputError, match=words):
        ist.simulate(made(30), None, set=held | changed, **run)
    with pytest.raises(InputError, match=words):
        ist.linearize(made(30), None, set=changed, sampled=True)
    drawn = {name: stats.uniform(value, 1.0) for name, value in changed.items()}
    flight = {"x": None, "set": held} | run
    study = ist.monte_carlo(made(30), drawn, 1, 0, ["f.y"], flight=flight, workers=0)
    assert words in study.errors[0]
