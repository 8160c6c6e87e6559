// A flight in 3-D: bodies move by their poses and bend by displacements of their points, both given at some times.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  Line,
  LineSegments,
  Mesh,
  PerspectiveCamera,
  Points,
  Quaternion,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { onTime, setTime } from "./clock.js";
import { unpack } from "./data.js";
import { color, onTheme } from "./theme.js";
import { STOPS, element, linear, plainMaterial, surfaceMaterial } from "./viewer.js";

const PLAYED = 20; // seconds that a flight takes when all of it is played

// An arrow along x of length one: a shaft and four barbs.
const ARROW = [0, 0, 0, 1, 0, 0, ...[[1, 0], [-1, 0], [0, 1], [0, -1]].flatMap(([y, z]) => [1, 0, 0, 0.86, 0.06 * y, 0.06 * z])];

class Body {
  constructor(data, uniforms) {
    this.poses = unpack(data.poses); // seven numbers a time, NaN where the body is not there
    this.bends = data.bends ? unpack(data.bends) : undefined;
    const points = unpack(data.points);
    this.count = points.length / 3;
    this.uniforms = { ...uniforms, bend: { value: 0 } };
    this.largest = data.largest ?? 0;
    this.group = new Group();
    this.group.name = data.name;
    const position = new BufferAttribute(new Float32Array(points), 3);
    this.shape = new BufferAttribute(new Int16Array(points.length), 3, true);
    const index = data.parts.filter((p) => p.triangles).flatMap((p) => [...unpack(p.triangles)]);
    const whole = new BufferGeometry();
    whole.setAttribute("position", position);
    whole.setIndex(index);
    whole.computeVertexNormals();
    const add = (kind, packed, material) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", position);
      geometry.setAttribute("shape", this.shape);
      geometry.setAttribute("normal", whole.getAttribute("normal"));
      geometry.setIndex(new BufferAttribute(unpack(packed), 1));
      const thing = new kind(geometry, material);
      thing.frustumCulled = false;
      this.group.add(thing);
    };
    for (const part of data.parts) {
      if (part.triangles) add(Mesh, part.triangles, surfaceMaterial(this.uniforms));
      if (part.edges) add(LineSegments, part.edges, plainMaterial(this.uniforms, 0.35, false));
      if (part.lines) add(LineSegments, part.lines, plainMaterial(this.uniforms, 1, true));
      if (part.dots) add(Points, part.dots, plainMaterial(this.uniforms, 1, true, true));
    }
  }

  // Put the body where it is a part `s` of the way from time k to the next; positions are beside `origin`.
  at(k, s, origin, gain) {
    const { poses } = this;
    const [a, b] = [7 * k, 7 * Math.min(k + 1, poses.length / 7 - 1)];
    const next = s > 0 && Number.isFinite(poses[b]) ? b : a;
    this.group.visible = Number.isFinite(poses[a]);
    if (!this.group.visible) return;
    const mix = (i) => poses[a + i] + s * (poses[next + i] - poses[a + i]);
    this.group.position.set(mix(0) - origin[0], mix(1) - origin[1], mix(2) - origin[2]);
    const turn = (c) => new Quaternion(poses[c + 4], poses[c + 5], poses[c + 6], poses[c + 3]);
    this.group.quaternion.copy(turn(a).slerp(turn(next), s));
    if (!this.bends) return;
    const n = 3 * this.count;
    const [from, to] = [n * k, n * (next === a ? k : k + 1)];
    for (let i = 0; i < n; i++) this.shape.array[i] = this.bends[from + i] + s * (this.bends[to + i] - this.bends[from + i]);
    this.shape.needsUpdate = true;
    this.uniforms.bend.value = gain * this.largest;
  }
}

class Replay {
  constructor(holder, figure) {
    this.figure = figure;
    this.t = unpack(figure.t);
    this.now = this.t[0];
    this.gain = figure.gain;
    this.chase = true;
    this.frames = 0;
    this.visible = true;
    this.build(holder);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = "srgb-linear";
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(30, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.enableZoom = false;
    this.controls.addEventListener("change", () => this.later());
    this.canvas.addEventListener("pointerdown", () => (this.controls.enableZoom = true));
    this.canvas.addEventListener("pointerleave", () => (this.controls.enableZoom = false));
    this.uniforms = { size: { value: 5 }, stops: { value: STOPS.map(linear) }, ink: { value: new Color() } };
    this.bodies = figure.bodies.map((data) => new Body(data, this.uniforms));
    for (const body of this.bodies) this.scene.add(body.group);
    this.arrows = (figure.arrows ?? []).map((data) => this.arrow(data));
    this.trail();
    this.paint();
    this.fit();
    this.play(false);
    onTheme(() => this.paint());
    onTime((time, from) => from !== this && this.go(time));
    new ResizeObserver(() => this.fit(true)).observe(this.frame);
    new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      this.later();
    }).observe(this.frame);
  }

  build(holder) {
    holder.classList.add("viewer", "replay");
    this.frame = element("div", "stage");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The flight in 3-D; drag to look from elsewhere");
    this.canvas.tabIndex = 0;
    this.caption = element("div", "reading");
    this.frame.append(this.canvas, this.caption);
    if (this.figure.gain > 0) {
      const scale = element("div", "scale");
      scale.append(element("span", "", "straight"), element("i"), element("span", "", "most bent"));
      scale.querySelector("i").style.background = `linear-gradient(90deg, ${STOPS.join(",")})`;
      this.frame.append(scale);
    }
    const bar = element("div", "controls");
    this.button = element("button", "play");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.play(!this.playing));
    const range = (name, words, low, high, value, step, set) => {
      const label = element("label", `amount ${name}`, words);
      const input = element("input", name);
      Object.assign(input, { type: "range", min: String(low), max: String(high), step: String(step), value: String(value) });
      input.addEventListener("input", () => set(Number(input.value)));
      label.append(input);
      bar.append(label);
      return input;
    };
    bar.append(this.button);
    const { t } = this;
    const end = t[t.length - 1];
    this.slider = range("time", "Time", t[0], end, t[0], (end - t[0]) / 2000 || 1, (value) => {
      this.play(false);
      this.go(value, true);
    });
    if (this.figure.gain > 0) {
      const top = 4 * this.figure.gain;
      range("bending", "Bending", 0, top, this.figure.gain, top / 100, (value) => {
        this.gain = value;
        this.later();
      });
    }
    this.cameras = ["chase", "fixed"].map((name) => {
      const button = element("button", "quiet camera", name === "chase" ? "Chase camera" : "Fixed camera");
      button.type = "button";
      button.dataset.camera = name;
      button.addEventListener("click", () => this.look(name === "chase"));
      bar.append(button);
      return button;
    });
    this.target = element("select", "chased");
    this.target.setAttribute("aria-label", "Body that the camera follows");
    this.figure.bodies.forEach((body, i) => this.target.append(new Option(body.name, String(i))));
    this.target.addEventListener("change", () => this.fit());
    bar.append(this.target);
    holder.replaceChildren(this.frame, bar);
    this.marks();
  }

  marks() {
    this.cameras.forEach((button, i) => button.setAttribute("aria-pressed", String(this.chase === (i === 0))));
    this.canvas.dataset.camera = this.chase ? "chase" : "fixed";
  }

  look(chase) {
    this.chase = chase;
    this.marks();
    this.fit();
  }

  arrow(data) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(ARROW), 3));
    // all of it has the last colour of the measure
    const last = new Float32Array(ARROW.length).map((_, i) => Number(i % 3 === 0));
    geometry.setAttribute("shape", new BufferAttribute(last, 3));
    const helper = new LineSegments(geometry, plainMaterial({ ...this.uniforms, bend: { value: 0 } }, 1, true));
    helper.frustumCulled = false;
    this.scene.add(helper);
    const rows = unpack(data.rows); // place and vector, six numbers a time
    let most = 0;
    for (let i = 0; i < rows.length; i += 6) most = Math.max(most, Math.hypot(rows[i + 3], rows[i + 4], rows[i + 5]) || 0);
    return { helper, rows, most };
  }

  // The path of the followed body.
  trail() {
    this.path = new Line(new BufferGeometry(), plainMaterial({ ...this.uniforms, bend: { value: 0 } }, 0.5, false));
    this.path.frustumCulled = false;
    this.scene.add(this.path);
  }

  followed() {
    return this.bodies[Number(this.target.value) || 0];
  }

  paint() {
    this.uniforms.ink.value = linear(color("ink"));
    this.later();
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(on));
    this.canvas.dataset.playing = String(on);
    this.last = undefined;
    if (on && this.now >= this.t[this.t.length - 1]) this.now = this.t[0];
    this.later();
  }

  go(time, tell = false) {
    const { t } = this;
    this.now = Math.min(Math.max(time, t[0]), t[t.length - 1]);
    this.slider.value = String(this.now);
    if (tell) setTime(this.now, this);
    this.later();
  }

  // Row of the table of times and the part of the way to the next.
  place() {
    const { t, now } = this;
    let [low, high] = [0, t.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= now) low = middle;
      else high = middle;
    }
    const gap = t[low + 1] - t[low];
    return gap > 0 ? [low, Math.min(1, (now - t[low]) / gap)] : [low, 0];
  }

  pose(body, k) {
    const start = 7 * k;
    return Number.isFinite(body.poses[start]) ? Array.from(body.poses.slice(start, start + 3)) : undefined;
  }

  // What positions are measured from: the followed body, or where it was at the start.
  origin(k, s) {
    const body = this.followed();
    if (!this.chase) return this.first;
    const [a, b] = [this.pose(body, k), this.pose(body, Math.min(k + 1, this.t.length - 1))];
    if (a && b) this.seen = a.map((v, i) => v + s * (b[i] - v));
    else if (a) this.seen = a;
    return this.seen ?? this.first;
  }

  fit(keep = false) {
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.uniforms.size.value = 4.5 * this.renderer.getPixelRatio();
    this.camera.aspect = width / height;
    if (!keep || this.first === undefined) this.frameCamera();
    this.camera.updateProjectionMatrix();
    this.later();
  }

  frameCamera() {
    const body = this.followed();
    const rows = Array.from({ length: this.t.length }, (_, k) => this.pose(body, k));
    this.first = rows.find((row) => row) ?? [0, 0, 0];
    const path = new Float32Array(rows.flatMap((row) => (row ? row.map((v, i) => v - this.first[i]) : [])));
    this.path.geometry.setAttribute("position", new BufferAttribute(path, 3));
    this.path.geometry.setAttribute("shape", new BufferAttribute(new Float32Array(path.length), 3));
    let reach = 0;
    for (let i = 0; i < path.length; i += 3) reach = Math.max(reach, Math.hypot(path[i], path[i + 1], path[i + 2]));
    const size = this.figure.size;
    const radius = this.chase ? size : Math.max(size, reach);
    const distance = (1.1 * radius) / Math.tan((this.camera.fov * Math.PI) / 360);
    const way = new Vector3(0.62, -0.7, 0.36).normalize();
    this.camera.up.set(0, 0, 1);
    const center = this.chase ? new Vector3() : new Vector3(...Array.from(path.slice(-3))).multiplyScalar(0.5);
    this.camera.position.copy(center).addScaledVector(way, distance);
    this.camera.near = distance / 2000;
    this.camera.far = 4 * distance + 4 * reach;
    this.controls.target.copy(center);
    this.controls.update();
  }

  later() {
    if (this.waiting || !this.visible) return;
    this.waiting = requestAnimationFrame((time) => this.draw(time));
  }

  draw(time) {
    this.waiting = undefined;
    const { t } = this;
    const end = t[t.length - 1];
    if (this.playing) {
      const step = this.last === undefined ? 0 : Math.min(0.25, (time - this.last) / 1000);
      this.last = time;
      this.go(this.now + (step * (end - t[0])) / PLAYED, true);
      if (this.now >= end) this.play(false);
    }
    const [k, s] = this.place();
    const origin = this.origin(k, s) ?? [0, 0, 0];
    for (const body of this.bodies) body.at(k, s, origin, this.gain);
    this.path.position.set(...this.first.map((v, i) => v - origin[i]));
    for (const { helper, rows, most } of this.arrows) {
      const row = rows.slice(6 * k, 6 * k + 6);
      const long = Math.hypot(row[3], row[4], row[5]);
      helper.visible = long > 1e-9 * most && Number.isFinite(row[0]);
      if (!helper.visible) continue;
      helper.position.set(row[0] - origin[0], row[1] - origin[1], row[2] - origin[2]);
      helper.quaternion.setFromUnitVectors(new Vector3(1, 0, 0), new Vector3(row[3], row[4], row[5]).divideScalar(long));
      helper.scale.setScalar((this.figure.size * long) / most);
    }
    this.caption.replaceChildren(element("b", "", `${this.now.toFixed(end - t[0] < 10 ? 3 : 1)} s`));
    if (this.figure.gain > 0) this.caption.append(element("span", "", `bending × ${Number(this.gain.toPrecision(2))}`));
    this.canvas.dataset.time = String(this.now);
    this.renderer.render(this.scene, this.camera);
    this.canvas.dataset.frames = String(++this.frames);
    if (this.playing) this.later();
  }
}

export function replay(holder, figure) {
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL");
  new Replay(holder, figure);
}
