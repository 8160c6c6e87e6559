"""Reports of files, and the file of a simulation log."""

import base64
import re

import numpy as np
import pytest

from interstage.component import Component
from interstage.errors import FileError, InputError
from interstage.fem import FEModel, buckling, normal_modes, static
from interstage.linear import LinearModel
from interstage.multibody import Ball, Cylindrical, Free, Multibody, Revolute
from interstage.report.sources import report_file
from interstage.simulation import Log, simulate

DECK = """SOL 103
CEND
BEGIN BULK
MAT1,1,7.0+10,,0.3,2700.
PBAR,1,1,1.0-3,1.0-6,1.0-6,2.0-6
CONM2,9,5,0,2.0
CBAR,1,1,1,2,0.,0.,1.
CBAR,2,1,2,3,0.,0.,1.
CBAR,3,1,3,4,0.,0.,1.
CBAR,4,1,4,5,0.,0.,1.
GRID,1,0,0.,0.,0.
GRID,2,0,0.5,0.,0.
GRID,3,0,1.0,0.,0.
GRID,4,0,1.5,0.,0.
GRID,5,0,2.0,0.,0.
ENDDATA
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A component file with its deck, a linear model, and the log of a pendulum."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "beam.bdf").write_text(DECK)
    Component.from_deck(folder / "beam.bdf", n_modes=6, aset={1: 123456}, separate_lumped=True).save(
        folder / "beam.h5"
    )
    w, z = 2.0 * np.pi * 3.0, 0.01
    A = [[0, 1, 0], [-w * w, -2 * z * w, 0], [0, 0, 0]]
    LinearModel(
        A, [[0], [1], [1]], [[1, 0, 0], [0, 1, 0]], [[0], [0]], outputs=["angle", "rate"], inputs=["torque"]
    ).save(folder / "model.h5")
    mb = Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=Revolute("y"))
    system = mb.compile()
    x = system.state()
    x["arm"].q[:] = 0.3
    log = simulate(system, x, 1.0, 0.01)
    log.save(folder / "run.h5", {"height": (0.5 * np.cos(log["arm"].q[:, 0]), "m")})
    np.savez(folder / "truth.npz", t=log.t, q=log.q, v=log.v)
    return folder


def test_log_file_round_trip(folder):
    truth = np.load(folder / "truth.npz")
    log = Log.load(folder / "run.h5")
    assert log.name == "pendulum" and len(log.phases) == 1
    assert np.array_equal(log.t, truth["t"])
    assert np.array_equal(log.phases[0].q, truth["q"]) and np.array_equal(log.phases[0].v, truth["v"])
    assert np.array_equal(log["arm"].q[:, 0], truth["q"][:, 0])
    assert log.system.velocity_names() == ["arm.angle"]
    values, unit = log["height"], log.units["height"]
    assert unit == "m" and values == pytest.approx(0.5 * np.cos(truth["q"][:, 0]))
    assert log.info["method"] == "rk4"


@pytest.mark.parametrize(
    "name, title, sections",
    [
        ("beam.h5", "beam", ["modes", "mass", "about"]),
        ("model.h5", "linear model", ["response", "poles", "about"]),
        ("run.h5", "pendulum", ["flight", "ports", "bodies", "about"]),
    ],
)
def test_every_kind_of_file_has_a_report(folder, tmp_path, name, title, sections):
    report = report_file(folder / name)
    assert report.title == title
    assert [s.id for s in report.sections] == sections
    html = report.save(tmp_path / "r.html").read_text()
    assert all(f'id="{s}"' in html for s in sections)
    assert report.figures


TURNED = "CORD2R,7,,0.,0.,0.,1.,0.,0.\n,0.,0.,1.\nSPC1,1,123456,1\nFORCE,2,5,,-1.,1.,.1,0.\nEIGRL,3,,,2\n"


@pytest.mark.parametrize(
    ("sol", "case", "words"),
    [
        (103, "METHOD = 3", " Hz"),
        (101, "LOAD = 2", "subcase 1"),
        (105, "SUBCASE 1\n LOAD = 2\nSUBCASE 2\n METHOD = 3", "times the load"),
    ],
)
def test_a_deck_has_a_report_in_which_its_shapes_move(tmp_path, sol, case, words):
    """Shapes are displacements in basic axes, the longest 32767, also of grids with axes of their own."""
    deck = DECK.replace("SOL 103\nCEND", f"SOL {sol}\nCEND\nSPC = 1\n{case}").replace("ENDDATA", TURNED)
    deck = deck.replace("1.0-6,1.0-6,2.0-6", "1.0-6,3.0-6,2.0-6")
    path = tmp_path / "beam.bdf"
    path.write_text(deck.replace("GRID,5,0,2.0,0.,0.", "GRID,5,0,2.0,0.,0.,7"))
    report = report_file(path)
    assert [s.id for s in report.sections] == ["shapes", "about"]
    (scene,) = report.figures.values()
    assert scene["modes"][0]["frequency"].endswith(words)
    (tmp_path / "plain.bdf").write_text(deck)
    fe = FEModel.from_deck(tmp_path / "plain.bdf")
    u = {103: lambda: normal_modes(fe).shapes[:, 0], 101: lambda: static(fe).displacement}
    u[105] = lambda: buckling(fe).shapes[:, 0]
    wanted = u[sol]().reshape(5, 6)[:, :3]
    found = np.frombuffer(base64.b64decode(scene["modes"][0]["shape"]["d"]), "<i2").reshape(5, 3)
    scaled = 32767 * wanted / np.linalg.norm(wanted, axis=1).max()
    assert min(np.abs(found - scaled).max(), np.abs(found + scaled).max()) < 2


STRIP = """SOL 101
CEND
SPC = 1
LOAD = 2
STRESS(SHEAR) = ALL
BEGIN BULK
MAT1,1,7.0+10,,0.3,2700.
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
GRID,4,,0.,1.,0.
GRID,5,,1.,1.,0.
GRID,6,,2.,1.,0.
CQUAD4,1,1,1,2,5,4
CQUAD4,2,2,2,3,6,5
CROD,3,3,3,7
GRID,7,,3.,0.,0.
PROD,3,1,1.-4
PSHELL,1,1,.01
PCOMP,2
,1,.005,0.,YES,1,.005,0.,YES
SPC1,1,13456,1,4
SPC1,1,2,1
SPC1,1,3456,2,3,5,6
SPC1,1,23456,7
FORCE,2,3,,5000.,1.,0.,0.
FORCE,2,6,,5000.,1.,0.,0.
ENDDATA
"""


def test_stresses_of_a_deck_are_colours_and_a_table(tmp_path):
    """A strip under a pull of 10 kN over 0.01 m²: 1 MPa in shell and plies, von Mises also where SHEAR is asked for."""
    path = tmp_path / "strip.bdf"
    path.write_text(STRIP)
    report = report_file(path)
    (scene,) = report.figures.values()
    assert scene["coloured"] == "stress"
    found = scene["modes"][0]["stress"]
    rows = np.frombuffer(base64.b64decode(found["rows"]["d"]), "u1") / 255.0 * found["largest"]
    assert found["largest"] == pytest.approx(1e6, rel=1e-9)
    # grid 3 is between the strip and the rod, which is free at its other end
    np.testing.assert_allclose(
        rows, [1e6, 1e6, 0.5e6, 1e6, 1e6, 1e6, 0.0], atol=2e3
    )  # one part in 255, halved
    page = report.html()
    table = page[page.index("Largest stresses") :]
    assert re.search(r"CQUAD4</td>.{0,80}>1</td>.{0,60}oxx</td>.{0,40}1e\+06</td>", table)
    assert "CQUAD4_COMPOSITE" in table and "CROD" not in table.split("</table>")[0]
    path.write_text(
        STRIP.replace("SOL 101", "SOL 103")
        .replace("LOAD = 2", "METHOD = 5")
        .replace("ENDDATA", "EIGRL,5,,,2")
    )
    (scene,) = report_file(path).figures.values()
    assert scene["coloured"] == "displacement"
    assert all(mode["stress"]["largest"] > 0.0 for mode in scene["modes"])


def test_charts_of_joints_have_the_units_of_their_coordinates(tmp_path):
    """Angles in radians, travels in the length of the vehicle, attitudes as rates of turning."""
    mb = Multibody("crane", gravity=[0, 0, -9.81], units="t-mm-s")
    mb.add_body("base", mass=9.0, inertia=[1, 1, 1], joint=Free())
    mb.add_body("boom", mass=2.0, inertia=[1, 1, 1], parent="base", joint=Cylindrical("z"))
    mb.add_body("load", mass=1.0, inertia=[1, 1, 1], parent="boom", joint=Ball())
    system = mb.compile()
    simulate(system, system.state(), 0.02, 0.01).save(tmp_path / "run.h5")
    figures = report_file(tmp_path / "run.h5").figures.values()
    panels = [
        {
            (p["title"], p["unit"]): [s["label"] for s in p["series"]]
            for p in f["panels"]
            if p["title"] != "Angular velocity in the world"
        }
        for f in figures
        if f["kind"] == "lines"
    ]
    assert all(one.pop(("Position in the world", "mm")) == ["x", "y", "z"] for one in panels)
    assert panels == [
        {("Position", "mm"): ["x", "y", "z"], ("Angular rate", "rad/s"): ["x", "y", "z"]},
        {("Joint angle", "rad"): ["angle"], ("Joint travel", "mm"): ["travel"]},
        {("Angular rate", "rad/s"): ["x", "y", "z"]},
    ]


def test_modes_in_channels_have_the_gains_of_their_resonances(tmp_path):
    """Two oscillators φ/(s² + 2ζωs + ω²) apart from one another: each peaks at φ/(2ζω·ω_d); names are escaped."""
    w, z, phi = np.array([6.0, 300.0]), np.array([0.01, 0.02]), np.array([[2.0, 0.5], [3.0, 0.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.diag(w**2), -np.diag(2 * z * w)]])
    B, C = [[0], [0], [1], [1]], np.hstack([phi, np.zeros((2, 2))])
    names = ["<tip>", "root"]
    lin = LinearModel(
        A, B, C, np.zeros((2, 1)), outputs=names, inputs=["push"], output_units=["m", "m"], input_units=["N"]
    )
    lin.save(tmp_path / "model.h5")
    html = report_file(tmp_path / "model.h5").html()
    tips = re.findall(r'data-tip="([^"]* Hz)\n([^"]*)\npeak gain (\S+) (\S+), ([^"]*) dB"', html)
    peak = phi.T / (2 * z * w * w * np.sqrt(1 - z**2))[:, None]
    assert [t[:2] for t in tips] == [
        (f"{f:.4g} Hz", f"push → {name}") for f in w / (2 * np.pi) for name in ("&lt;tip&gt;", "root")
    ]
    assert [float(t[2]) for t in tips] == pytest.approx(peak.ravel(), rel=1e-3)
    assert {t[3] for t in tips} == {"m/N"}
    assert "<tip>" not in html.split("<script")[0]


def test_component_draws_elements_of_its_deck(folder):
    dots = next(iter(report_file(folder / "beam.h5").figures.values()))
    assert "dots" in dots["parts"][0] and "lines" not in dots["parts"][0]
    lines = next(iter(report_file(folder / "beam.h5", folder / "beam.bdf").figures.values()))
    assert [p["name"] for p in lines["parts"]] == ["CBAR"] and "lines" in lines["parts"][0]
    with pytest.raises(InputError, match="a deck goes with a component"):
        report_file(folder / "model.h5", folder / "beam.bdf")


def test_child_bodies_and_frequencies_are_in_the_page(folder):
    component = Component.load(folder / "beam.h5")
    html = report_file(folder / "beam.h5").html()
    assert "CONM2_9" in html and f"{component.frequencies_hz[0]:.4g} Hz" in html


@pytest.mark.parametrize("what", ["missing", "folder", "text", "truncated", "foreign"])
def test_bad_files_are_one_sentence(folder, tmp_path, what):
    path = tmp_path / "bad.h5"
    if what == "folder":
        path.mkdir()
    elif what == "text":
        path.write_text("no deck")
    elif what == "truncated":
        path.write_bytes((folder / "run.h5").read_bytes()[:-2000])
    elif what == "foreign":
        import h5py

        with h5py.File(path, "w") as f:
            f["something"] = 1.0
    with pytest.raises(FileError) as caught:
        report_file(path)
    assert "bad.h5" in str(caught.value) and "\n" not in str(caught.value)


def test_damaged_logs_are_refused(folder, tmp_path):
    import h5py

    path = tmp_path / "log.h5"
    path.write_bytes((folder / "run.h5").read_bytes())
    with h5py.File(path, "r+") as f:
        f["STEPS"][1, 1] += 1.0
    with pytest.raises(FileError, match="not those that were written"):
        Log.load(path)
    with h5py.File(path, "r+") as f:
        f["SCHEMA_VERSION"][...] = 99
    with pytest.raises(FileError, match="newer"):
        Log.load(path)


def test_the_report_of_a_sampled_model_says_its_sample_time(tmp_path):
    """A slow oscillator sampled ten times a second, and a delay: charts end at half the rate of samples."""
    turn = np.exp(-0.01) * np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
    A = np.zeros((3, 3))
    A[:2, :2], A[:2, 2] = turn, [0.0, 0.1]
    model = LinearModel(A, [[0.0], [0.0], [1.0]], [[1.0, 0.0, 0.0]], [[0.0]], dt=0.1, notes=("a note",))
    model.save(tmp_path / "model.h5")
    html = report_file(tmp_path / "model.h5").save(tmp_path / "r.html").read_text()
    hz = np.hypot(0.01, 0.3) / (2.0 * np.pi * 0.1)
    assert "Sample time" in html and f"{hz:.4g} Hz" in html and "a note" in html
