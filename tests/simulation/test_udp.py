"""Another process as a device: packets out and in, and what happens to those that are wrong, late or missing."""

from __future__ import annotations

import gc
import socket
import struct
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from device_library import Counter, Lag

import interstage as ist
from interstage.errors import InputError

HEAD = struct.Struct("<4sIdI")  # as the documentation says, not as the code has it


def packet(number, values, t=0.0, magic=b"IST1", count=None):
    return HEAD.pack(magic, number, t, len(values) if count is None else count) + struct.pack(
        f"<{len(values)}d", *values
    )


class Partner:
    """A thread that answers packets with what a function makes of (number, time, values): a list of packets."""

    def __init__(self, answer):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port, self.seen = self.socket.getsockname()[1], []
        self.answer = answer
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            data, sender = self.socket.recvfrom(65535)
            if data == b"end":
                return
            magic, number, t, n = HEAD.unpack_from(data)
            values = struct.unpack_from(f"<{n}d", data, HEAD.size)
            assert magic == b"IST1" and len(data) == HEAD.size + 8 * n
            self.seen.append((number, t, values))
            for reply in self.answer(number, t, values):
                self.socket.sendto(reply, sender)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"end", ("127.0.0.1", self.port))
        self.thread.join()
        self.socket.close()


def loop(law, **more):
    made = ist.Assembly("loop").add("lag", Lag(tau=0.3)).add("fsw", law, every="0.1 s", **more)
    return made.wire({"lag.y": "fsw.y", "fsw.u": "lag.u"})


PROCESS = """
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    data, sender = s.recvfrom(65535)
    if data == b"end":
        break
    magic, number, t, n = struct.unpack_from("<4sIdI", data)
    (y,) = struct.unpack_from("<d", data, 20)
    s.sendto(struct.pack("<4sIdId", magic, number, t, 1, 3.0 * (2.0 + t - y)), sender)
"""


def test_another_process_is_a_device_bit_for_bit():
    here = ist.simulate(loop(lambda t, y: 3.0 * (2.0 + t - y), out={"u": "N"}), None, until=5, step="50 ms")
    process = subprocess.Popen([sys.executable, "-c", PROCESS], stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline())
        there = ist.UDP(send={"y": "N"}, receive={"u": "N"}, to=port, wait="20 s")
        log = ist.simulate(loop(there), None, until=5, step="50 ms")
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"end", ("127.0.0.1", port))
    finally:
        process.terminate()
        process.wait()
    assert np.array_equal(log["lag.x"], here["lag.x"]) and np.array_equal(log["fsw.u"], here["fsw.u"])
    assert not log["fsw.missed"].any() and not log["fsw.malformed"].any()


def test_packets_are_as_documented():
    with Partner(lambda number, t, values: [packet(number, [10 * values[0], 20.0, values[3]])]) as partner:
        made = ist.Assembly("x").add("clock", lambda t: np.array([t, -t, 2 * t]), out={"t": "s[3]"})
        made.add("count", Counter(), every="0.5 s")
        hil = ist.UDP({"a": "s[3]", "n": "1"}, {"x": "m[2]", "y": "1"}, to=partner.port, wait="20 s")
        made.add("hil", hil, every="0.5 s").wire({"clock.t": "hil.a", "count.n": "hil.n"})
        log = ist.simulate(made, None, until=1, step=0.1)
    assert partner.seen == [(1, 0.0, (0, 0, 0, 1)), (2, 0.5, (0.5, -0.5, 1, 2)), (3, 1.0, (1, -1, 2, 3))]
    assert log["hil.x"].tolist() == [[0, 20], [5, 20], [10, 20]] and log["hil.y"].tolist() == [1, 2, 3]
    assert "hil: UDP(a, n), every 1/2 s" in str(made)


def test_malformed_packets_are_counted_and_dropped():
    def answer(number, t, values):
        wrong = [
            b"",
            b"IST1",
            packet(number, [1.0, 2.0]),  # one number too many
            packet(number, [1.0], magic=b"IST2"),
            packet(number, [1.0], count=2),
            packet(number, [float("nan")]),
            packet(number, [7.0]) + b"\0",
            bytes(range(200)),
        ]
        return [*wrong, packet(number - 1, [9.0]), packet(number, [float(number)])]

    with Partner(answer) as partner:
        hil = ist.UDP({"y": "N"}, {"u": "N"}, to=partner.port, wait="20 s")
        log = ist.simulate(loop(hil), None, until=1, step="0.1 s")
    assert log["fsw.u"].tolist() == list(range(1, 12))
    assert log["fsw.malformed"].tolist() == [8 * k for k in range(1, 12)] and not log["fsw.missed"].any()
    assert hil.stale == 11  # answers to other packets than the last


def test_a_missing_answer_holds_what_was_received_last_and_says_so():
    def answer(number, t, values):
        return [] if 3 <= number <= 5 else [packet(number, [float(number)])]

    with Partner(answer) as partner:
        hil = ist.UDP({"y": "N"}, {"u": "N"}, to=partner.port, wait="0.2 s")
        said = rf"no answer from 127.0.0.1:{partner.port} within 0.2 s at t = 0.2; held: u = 2.0"
        with pytest.warns(UserWarning, match=said) as noted:
            log = ist.simulate(loop(hil), None, until="0.6 s", step="0.1 s")
    assert log["fsw.u"].tolist() == [1, 2, 2, 2, 2, 6, 7]
    assert log["fsw.missed"].tolist() == [0, 0, 1, 2, 3, 3, 3] and (
        sum("no answer" in str(each.message) for each in noted) == 1
    )


def test_a_link_that_nobody_closed_gives_its_socket_back(recwarn):
    """A port can be listened at again once its link is gone, also where making one failed, without warnings."""
    link = ist.UDP({"y": "N"}, {"u": "N"}, to=1, wait="20 s")
    port = link.address[1]
    del link
    again = ist.UDP({"y": "N"}, {"u": "N"}, to=1, wait="20 s", listen=port)
    with pytest.raises(ist.InterstageError, match="no socket can be had"):
        ist.UDP({"y": "N"}, {"u": "N"}, to=1, wait="20 s", listen=port)
    again.close()
    gc.collect()
    assert not [each for each in recwarn.list if issubclass(each.category, ResourceWarning)]


def test_only_runs_send(recwarn):
    """Trims and linear models send nothing; they hold what a run received, or zero, and say which."""
    with Partner(lambda number, t, values: [packet(number, [3.0 - values[0]])]) as partner:
        hil = ist.UDP({"y": "N"}, {"u": "N"}, to=partner.port, wait="20 s")
        made = loop(hil)
        log = ist.simulate(made, None, until=1, step="50 ms")
        sent = len(partner.seen)
        recwarn.clear()
        with pytest.raises(ist.InterstageError, match=r"'fsw' \(UDP\) acts outside of the model"):
            ist.linearize(made, None, sampled=True)
        lin = ist.linearize(made, None, set={"fsw.u": 1.0, "fsw.missed": 0, "fsw.malformed": 0})
        assert not recwarn.list
        with pytest.warns(
            UserWarning, match=r"only runs call 'fsw' \(UDP\): fsw.u, fsw.missed, fsw.malformed held"
        ):
            ist.linearize(made, None)
        with pytest.warns(UserWarning, match="held at 0"):
            x0 = ist.trim(made, None)
        assert lin.A[0, 0] == pytest.approx(-1 / 0.3) and x0.values["lag.x"] == pytest.approx(0.0)
        assert len(partner.seen) == sent > 0
        again = ist.simulate(made, None, until=1, step="50 ms")
    assert np.array_equal(again["fsw.u"], log["fsw.u"])


def test_a_run_holds_nothing_of_the_one_before():
    """A partner that has gone: the second run holds zeros, as the first would, and counts from the start."""
    answers = [5.0]
    with Partner(lambda number, t, values: [packet(number, [answers.pop()])] if answers else []) as partner:
        hil = ist.UDP({"y": "N"}, {"u": "N"}, to=partner.port, wait="50 ms")
        for first, missed in ((5.0, 1), (0.0, 2)):
            with pytest.warns(UserWarning, match="no answer"):
                log = ist.simulate(loop(hil), None, until="0.1 s", step="0.1 s")
            assert log["fsw.u"].tolist() == [first, first] and log["fsw.missed"][-1] == missed


def test_a_law_of_ones_own_may_say_that_it_is_outside():
    """Hardware that a plain function commands: `outside` keeps trims and linear models from calling it."""
    calls = []

    def law(t, y):
        calls.append(t)
        return 1.0 - y

    law.outside = True
    made = loop(law, out={"u": "N"})
    with pytest.warns(UserWarning, match="only runs call 'fsw'"):
        ist.linearize(made, None)
    assert not calls
    ist.simulate(made, None, until=0.2, step="0.1 s")
    assert len(calls) == 3


def test_without_lockstep_the_newest_that_has_come_is_taken():
    made = ist.Assembly("x")
    stick = ist.UDP(receive={"u": "1[2]"}, lockstep=False, wait=0)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def pilot(t):
        for k in range(int(10 * t + 0.5)):
            sender.sendto(packet(k, [t, k]), stick.address)

    made.add("pilot", pilot, every="0.1 s").add("stick", stick, every="0.1 s")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        log = ist.simulate(made, None, until="0.4 s", step="0.1 s")
    assert log["stick.u"] == pytest.approx(np.array([[0, 0], [0.1, 0], [0.2, 1], [0.3, 2], [0.4, 3]]))
    assert log["stick.missed"].tolist() == [1, 1, 1, 1, 1]


def test_telemetry_goes_out_and_nothing_is_waited_for():
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    receiver.settimeout(20)
    made = ist.Assembly("x").add("count", Counter(), every="0.1 s")
    made.add("radio", ist.UDP(send={"n": "1"}, to=receiver.getsockname()[1]), every="0.2 s")
    ist.simulate(made.wire({"count.n": "radio.n"}), None, until="0.4 s", step="0.1 s")
    assert [receiver.recv(100) for _ in range(3)] == [
        packet(1, [1.0], 0.0),
        packet(2, [3.0], 0.2),
        packet(3, [5.0], 0.4),
    ]


def test_it_listens_on_the_loopback_address_alone():
    assert ist.UDP(receive={"u": "1"}, lockstep=False).address[0] == "127.0.0.1"


def test_a_partner_survives_a_checkpoint(tmp_path):
    """The socket goes into no checkpoint; a resumed run has one of its own and counts anew."""
    with Partner(lambda number, t, values: [packet(number, [2.0 * values[0] + t])]) as partner:

        def built():
            return loop(ist.UDP({"y": "N"}, {"u": "N"}, to=partner.port, wait="20 s"))

        log = ist.simulate(built(), None, until=2, step="0.1 s", log=tmp_path / "x.h5", checkpoint="0.7 s")
        again = ist.resume(tmp_path / "x.ckpt.h5", built())
    assert np.array_equal(again["lag.x"], log["lag.x"])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ist.UDP({"y": "N"}, {"u": "N"}), "nobody is there to send to .*give to="),
        (
            lambda: ist.UDP({"y": "N"}, to=0),
            r"not an address \(UDP, to\); expected a port or \(host, port\), got 0",
        ),
        (lambda: ist.UDP({"y": "N"}, to=("127.0.0.1", "x")), "not an address"),
        (lambda: ist.UDP(receive={"y": "N"}, to=5005, listen=70000), r"not an address \(UDP, listen\)"),
        (
            lambda: ist.UDP({"y": "newton"}, to=5005) and loop(ist.UDP({"y": "newtom"}, {"u": "N"}, to=1)),
            "no unit",
        ),
        (lambda: ist.UDP({"y": "N[9000]"}, to=5005), "too many numbers for a packet"),
        (lambda: ist.UDP(receive={"missed": "1"}, to=5005), "'missed' is an output of every UDP device"),
        (
            lambda: ist.UDP(receive={"y": "N"}, to=5005, wait=-1),
            "UDP, wait must be a time that is not negative",
        ),
        (lambda: ist.UDP({"y": "N"}, to=("no.such.host.invalid", 5005)), "no socket can be had"),
        (lambda: loop(ist.UDP({"y": "m"}, {"u": "N"}, to=5005)), "the units do not fit"),
        (
            lambda: ist.Assembly().add("x", ist.UDP({"y": "m"}, to=5005)),
            "'x' samples, but has no period; give every=",
        ),
    ],
)
def test_partners_that_cannot_be_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
