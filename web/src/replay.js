// A flight in 3-D: bodies move by their poses and bend by shapes times coordinates, both given at some times.
import { BufferAttribute, BufferGeometry, Group, Line, LineSegments, Points, Quaternion, Vector3 } from "three";
import { Arrows } from "./arrows.js";
import { onTime, setTime } from "./clock.js";
import { appended, unpack } from "./data.js";
import { onRows } from "./live.js";
import { bodyUniforms, linear, plainMaterial } from "./materials.js";
import { Stage, Table, button, element, slider, withWebGL } from "./stage.js";
import { color } from "./theme.js";
import { withUnit } from "./words.js";

const PLAYED = 20; // seconds that a flight takes when all of it is played
const PACES = new Map([[`all in ${PLAYED} s`, undefined], ["4 × real time", 4], ["real time", 1]]); // seconds of flight a second
const SMALL = 12; // a picture so many times as wide as the vehicle hides it: a dot shows where it is
const LONG = 3; // a path so many times as long as the vehicle: the fixed camera draws back as it goes
const EARTH = 6.371e6; // m, radius by which the ground falls away

// A place of a body that bends: l + g Γη, turned by g Λη.
class Spot {
  constructor({ body, place, move, turn }) {
    Object.assign(this, { body, place, move, turn });
  }

  static sum(rows, eta, start, gain, out) {
    const n = eta.length;
    for (let i = 0; i < 3; i++) {
      let sum = 0;
      for (let r = 0; r < n; r++) sum += rows[i * n + r] * eta[r];
      out[i] = start[i] + gain * sum;
    }
    return new Vector3(...out);
  }

  at(eta, gain) {
    return Spot.sum(this.move, eta, this.place, gain, [0, 0, 0]);
  }

  turned(eta, gain) {
    const way = Spot.sum(this.turn, eta, [0, 0, 0], gain, [0, 0, 0]);
    const angle = way.length();
    return new Quaternion().setFromAxisAngle(angle > 0 ? way.divideScalar(angle) : new Vector3(1, 0, 0), angle);
  }
}

class Body {
  constructor(data, uniforms) {
    this.name = data.name;
    this.poses = unpack(data.poses); // seven numbers a time, NaN where the body is not there
    this.radius = data.radius;
    this.middle = new Vector3(...data.middle);
    this.hung = (data.hung ?? []).map((one) => new Spot(one));
    this.count = data.scales?.length ?? 0;
    this.eta = unpack(data.eta) ?? new Float32Array(0);
    this.now = new Float64Array(this.count); // modal coordinates at this time
    this.uniforms = { ...uniforms, ...bodyUniforms() };
    const points = new Float32Array(unpack(data.points));
    this.shape = new BufferAttribute(new Float32Array(points.length), 3);
    const table = new Table(points, this.shape, data.parts);
    if (this.count) {
      const raw = unpack(data.shapes);
      const n = points.length;
      this.shapes = data.scales.map((scale, r) => Float32Array.from(raw.subarray(r * n, (r + 1) * n), (v) => v * scale));
    }
    this.colours = (data.colours ?? []).map((one) => ({ ...one, rows: unpack(one.rows) }));
    if (this.colours.length) {
      this.value = new BufferAttribute(new Uint8Array(points.length / 3), 1, true);
      table.attributes.value = this.value;
    }
    this.group = new Group();
    this.group.name = data.name;
    for (const part of data.parts) if (part.shown !== false) this.group.add(...table.things(part, this.uniforms, 0.3));
    // where it is without its bending drawn larger
    this.p = new Vector3();
    this.q = new Quaternion();
  }

  has(k) {
    return Number.isFinite(this.poses[7 * k]);
  }

  // Position (3) and coordinates a part `s` of the way from time k to the next.
  take(k, s) {
    const { poses } = this;
    const [a, b] = [7 * k, 7 * Math.min(k + 1, poses.length / 7 - 1)];
    this.next = s > 0 && Number.isFinite(poses[b]) ? b / 7 : k;
    const next = 7 * this.next;
    this.place = [0, 1, 2].map((i) => poses[a + i] + s * (poses[next + i] - poses[a + i]));
    const turn = (c) => new Quaternion(poses[c + 4], poses[c + 5], poses[c + 6], poses[c + 3]);
    this.q.copy(turn(a).slerp(turn(next), s));
    const n = this.count;
    for (let r = 0; r < n; r++) this.now[r] = this.eta[n * k + r] + s * (this.eta[n * this.next + r] - this.eta[n * k + r]);
  }

  // Put the body to its place beside `origin`; what hangs on a structure goes with the place where it hangs.
  put(bodies, origin, gain) {
    this.p.set(...this.place.map((v, i) => v - origin[i]));
    this.group.position.copy(this.p);
    this.group.quaternion.copy(this.q);
    const spot = this.hung.find((one) => bodies[one.body].group.visible);
    if (spot) {
      const parent = bodies[spot.body];
      const free = spot.turned(parent.now, 1).premultiply(parent.q);
      const arm = this.p.clone().sub(parent.p).sub(spot.at(parent.now, 1).applyQuaternion(parent.q)).applyQuaternion(free.clone().invert());
      const drawn = spot.turned(parent.now, gain).premultiply(parent.group.quaternion);
      this.group.position.copy(spot.at(parent.now, gain).applyQuaternion(parent.group.quaternion).add(parent.group.position)).add(arm.applyQuaternion(drawn));
      this.group.quaternion.copy(drawn.multiply(free.invert().multiply(this.q)));
    }
    this.uniforms.bend.value = gain;
    if (!this.count) return;
    const { array } = this.shape;
    array.fill(0);
    this.shapes.forEach((shape, r) => {
      const eta = this.now[r];
      if (eta !== 0) for (let i = 0; i < array.length; i++) array[i] += eta * shape[i];
    });
    this.shape.needsUpdate = true;
  }

  // Colours of values at the points, or of how far they moved.
  paint(name, k, most) {
    const found = this.colours.find((one) => one.name === name);
    this.uniforms.valued.value = Number(name !== undefined);
    this.uniforms.travelled.value = most > 0 ? 1 / most : 0;
    if (!this.value) return;
    const n = this.value.array.length;
    if (found) this.value.array.set(found.rows.subarray(n * Math.floor(k / found.every), n * Math.floor(k / found.every) + n));
    else this.value.array.fill(0);
    this.value.needsUpdate = true;
  }

  more({ poses, eta }) {
    this.poses = appended(this.poses, poses);
    if (this.count) this.eta = appended(this.eta, eta);
  }
}

class Replay extends Stage {
  constructor(holder, figure) {
    super(holder, figure, { label: "The flight in 3-D; drag to look from elsewhere", fov: 30 });
    this.play(false);
    onTime((time, from) => from !== this && this.go(time));
    onRows(figure.id, (rows) => this.more(rows));
  }

  build(holder) {
    const { figure } = this;
    this.t = unpack(figure.t);
    this.now = this.t[0];
    this.gain = figure.gain;
    this.chase = true;
    holder.classList.add("replay");
    if (figure.gain > 0) this.measure("straight", "most bent");
    const bar = element("div", "controls");
    const [label, input] = slider("time", "Time", this.span(), (value) => {
      this.play(false);
      this.go(value, true);
    });
    this.slider = input;
    bar.append(this.playButton, label);
    if (figure.gain > 0) {
      const [bending, much] = slider("bending", "Bending", { low: 0, high: 1, value: 0, step: 1 }, (value) => {
        this.gain = value;
        this.chosen = true;
        this.later();
      });
      this.bending = much;
      this.bend(figure.gain);
      bar.append(bending);
    }
    this.cameras = ["chase", "fixed"].map((name) => {
      const one = button("quiet camera", name === "chase" ? "Chase camera" : "Fixed camera", () => {
        this.chase = name === "chase";
        this.marks();
        this.fit();
      });
      one.dataset.camera = name;
      return one;
    });
    bar.append(...this.cameras);
    this.target = this.choice("chased", "Body that the camera follows", [...new Set(figure.bodies.map((b) => b.name))], () => this.fit());
    bar.append(this.target);
    this.speed = this.choice("pace", "How fast it plays", [...PACES.keys()], () => {});
    bar.append(this.speed);
    for (const { t, words } of figure.events ?? []) {
      const one = button("quiet event", `${words}, ${t.toFixed(1)} s`, () => {
        this.play(false);
        this.go(t, true);
      });
      one.dataset.time = String(t);
      bar.append(one);
    }
    const fields = [...new Set(figure.bodies.flatMap((body) => (body.colours ?? []).map((one) => one.name)))];
    if (fields.length) {
      this.field = this.choice("coloured", "What colours tell", ["displacement", ...fields], () => this.recolour());
      bar.append(this.field);
    }
    if (figure.live) {
      this.following = button("quiet camera live", "Follow the run", () => this.follow(!this.follows));
      bar.append(this.following);
    }
    bar.append(this.chips);
    holder.replaceChildren(this.frame, bar);
    this.marks();
  }

  // Draw bending so many times as large as it is, until the reader chooses.
  bend(gain) {
    Object.assign(this.bending, { max: String(4 * gain), step: String(gain / 25), value: String(gain) });
    this.gain = gain;
  }

  span() {
    const [low, high] = [this.t[0], this.t[this.t.length - 1]];
    return { low, high, value: low, step: (high - low) / 2000 || 1 };
  }

  load() {
    const { figure } = this;
    this.bodies = figure.bodies.map((data) => new Body(data, this.uniforms));
    for (const body of this.bodies) this.scene.add(body.group);
    this.arrows = new Arrows(figure.arrows ?? [], Spot, this);
    this.chalk = { value: linear(color("muted")) }; // of what lies in the open: it is seen before the sky of both themes
    const plain = () => ({ ...this.uniforms, ...bodyUniforms(), ink: this.chalk });
    this.path = new Line(new BufferGeometry(), plainMaterial(plain(), 0.8, false));
    this.dot = new Points(new BufferGeometry(), plainMaterial({ ...plain(), size: { value: 14 } }, 1, false, true));
    this.dot.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3), 3));
    this.trail();
    this.ground = new LineSegments(this.pad(), plainMaterial(plain(), 0.4, false));
    for (const thing of [this.path, this.dot, this.ground]) {
      thing.frustumCulled = false;
      this.scene.add(thing);
    }
    if (figure.live) this.follow(true);
  }

  // Rings and spokes on the ground around the start, where there is one: ten rings of 1, 10, 100 m ... as far as the
  // path leads, falling away as the Earth does.
  pad() {
    const { ground, up, size } = this.figure;
    const out = [];
    this.paved = this.reach;
    this.ring = 10 ** Math.round(Math.log10(0.5 * size));
    if (ground) {
      const top = new Vector3(...up);
      const a = new Vector3(Math.abs(up[0]) < 0.9 ? 1 : 0, Math.abs(up[0]) < 0.9 ? 0 : 1, 0).cross(top).normalize();
      const b = new Vector3().crossVectors(top, a);
      const fall = (r) => Math.sqrt(EARTH * EARTH - r * r) - EARTH;
      const at = (r, angle) => a.clone().multiplyScalar(r * Math.cos(angle)).addScaledVector(b, r * Math.sin(angle)).addScaledVector(top, fall(r)).toArray();
      const parts = 72;
      const radii = [];
      for (let r = this.ring; r < 0.5 * EARTH && (r === this.ring || r < this.reach); r *= 10) for (let k = 1; k <= 10; k++) radii.push(k * r);
      const rings = radii.filter((r, i) => r > (radii[i - 1] ?? 0) && r < 0.5 * EARTH);
      rings.forEach((r, i) => {
        for (let k = 0; k < parts; k++) out.push(...at(r, (2 * Math.PI * k) / parts), ...at(r, (2 * Math.PI * (k + 1)) / parts));
        if (i) for (let k = 0; k < 12; k++) out.push(...at(rings[i - 1], (Math.PI * k) / 6), ...at(r, (Math.PI * k) / 6));
      });
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(out), 3));
    return geometry;
  }

  marks() {
    this.cameras.forEach((one, i) => one.setAttribute("aria-pressed", String(this.chase === (i === 0))));
    this.canvas.dataset.camera = this.chase ? "chase" : "fixed";
  }

  recolour() {
    const name = this.field.value;
    const found = this.bodies.flatMap((body) => body.colours).find((one) => one.name === name);
    const words = found ? ["0", withUnit(found.largest, found.unit)] : ["straight", "most bent"];
    words.forEach((text, i) => (this.ends[i].textContent = text));
    this.canvas.dataset.coloured = name;
    this.later();
  }

  paint() {
    this.arrows?.paint();
    if (this.chalk) this.chalk.value = linear(color("muted"));
    super.paint();
  }

  play(on) {
    if (on && this.now >= this.t[this.t.length - 1]) this.now = this.t[0];
    if (on) this.follow(false);
    super.play(on);
  }

  go(time, tell = false) {
    const { t } = this;
    this.now = Math.min(Math.max(time, t[0]), t[t.length - 1]);
    this.slider.value = String(this.now);
    if (this.now < t[t.length - 1]) this.follow(false);
    if (tell) setTime(this.now, this);
    this.later();
  }

  // Stay at the end of a run that goes on.
  follow(on) {
    if (!this.following) return;
    this.follows = on;
    this.following.setAttribute("aria-pressed", String(on));
    if (on && this.now < this.t[this.t.length - 1]) this.go(this.t[this.t.length - 1], true);
  }

  more(rows) {
    const { follows } = this;
    this.t = appended(this.t, rows.t);
    rows.bodies.forEach((data, i) => this.bodies[i].more(data));
    this.arrows.more(rows.arrows);
    this.figure.most = rows.most;
    if (!this.chosen && rows.gain > 0) this.bend(rows.gain);
    Object.assign(this.slider, { max: String(this.span().high), step: String(this.span().step) });
    this.trail();
    if (this.reach > 2 * this.paved) this.ground.geometry = this.pad();
    this.canvas.dataset.rows = String(this.t.length);
    if (follows) {
      this.go(this.t[this.t.length - 1], true);
      this.follow(true);
    }
    this.later();
  }

  // Row of the table of times and the part of the way to the next.
  row() {
    const { t, now } = this;
    let [low, high] = [0, t.length - 1];
    if (now >= t[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= now) low = middle;
      else high = middle;
    }
    const gap = t[low + 1] - t[low];
    return gap > 0 ? [low, Math.min(1, (now - t[low]) / gap)] : [low, 0];
  }

  // The followed body has another look after a staging.
  followed(k) {
    const own = this.bodies.filter((body) => body.name === this.target.value);
    return own.find((body) => body.has(k)) ?? own[0];
  }

  // The path of the followed body beside its start, and how far it leads.
  trail() {
    const rows = [];
    for (let k = 0; k < this.t.length; k++) {
      const body = this.followed(k);
      if (body.has(k)) rows.push(Array.from(body.poses.subarray(7 * k, 7 * k + 3)));
    }
    this.first = rows[0] ?? [0, 0, 0];
    this.begun = this.middleAt(0) ?? this.first;
    const path = new Float32Array(rows.flatMap((row) => row.map((v, i) => v - this.first[i])));
    this.path.geometry.setAttribute("position", new BufferAttribute(path, 3));
    const low = [0, 1, 2].map((i) => rows.reduce((m, row) => Math.min(m, row[i] - this.first[i]), 0));
    const high = [0, 1, 2].map((i) => rows.reduce((m, row) => Math.max(m, row[i] - this.first[i]), 0));
    this.center = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
    this.reach = Math.hypot(...low.map((v, i) => high[i] - v)) / 2;
  }

  // The middle of the followed body at a row of the table, if it is there.
  middleAt(k) {
    const body = this.followed(k);
    if (!body.has(k)) return undefined;
    const [x, y, z, w, a, b, c] = body.poses.subarray(7 * k, 7 * k + 7);
    return body.middle.clone().applyQuaternion(new Quaternion(a, b, c, w)).add(new Vector3(x, y, z)).toArray();
  }

  place() {
    const { figure } = this;
    this.trail();
    const body = this.followed(0);
    const own = body === this.bodies[0] ? figure.size : Math.min(figure.size, 3 * body.radius);
    const wide = this.arrows.all.length ? 1.25 : 1; // room for arrows
    const radius = this.chase ? wide * own : figure.size + this.reach; // the path, and the body at its ends
    const distance = this.distance(radius);
    const up = new Vector3(...(figure.up ?? [0, 0, 1]));
    const side = new Vector3(0.66, -0.75, 0).addScaledVector(up, -new Vector3(0.66, -0.75, 0).dot(up));
    if (side.length() < 0.3) side.set(0, 1, 0.3).addScaledVector(up, -new Vector3(0, 1, 0.3).dot(up));
    this.camera.up.copy(up);
    const high = !this.chase && figure.ground ? 0.2 : 0.34;
    this.look(this.chase ? new Vector3() : this.center, side.normalize().addScaledVector(up, high).normalize(), distance, 4 * distance + 4 * this.reach);
    this.framed = distance;
  }

  // How far away a ball of a radius fills the picture.
  distance(radius) {
    const half = (this.camera.fov * Math.PI) / 360;
    return (1.06 * radius) / Math.min(Math.tan(half), Math.tan(half) * this.camera.aspect);
  }

  // Where a path is long the fixed camera draws back as the body goes, from where the reader has turned it: start and
  // body stay in the picture. Returns the radius that is seen.
  drawBack() {
    const { size } = this.figure;
    if (this.reach < LONG * size) return size + this.reach;
    const gone = new Vector3(...this.seen.map((v, i) => v - this.first[i]));
    const start = new Vector3(...this.begun.map((v, i) => v - this.first[i]));
    const radius = Math.max(1.25 * size, 0.55 * gone.distanceTo(start) + 1.1 * size);
    const center = gone.add(start).multiplyScalar(0.5);
    const way = this.camera.position.clone().sub(this.controls.target);
    const distance = (this.distance(radius) * way.length()) / this.framed;
    this.framed = this.distance(radius);
    this.camera.position.copy(center).addScaledVector(way.normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance + 60 * radius;
    this.controls.target.copy(center);
    this.camera.lookAt(center);
    this.camera.updateProjectionMatrix();
    return radius;
  }

  advance(seconds) {
    const { t } = this;
    const end = t[t.length - 1];
    this.go(this.now + seconds * (PACES.get(this.speed.value) ?? (end - t[0]) / PLAYED), true);
    if (this.now >= end) this.play(false);
  }

  show() {
    const [k, s] = this.row();
    for (const body of this.bodies) {
      body.group.visible = body.has(k);
      if (body.group.visible) body.take(k, s);
    }
    const body = this.followed(k);
    if (body.group.visible) {
      const middle = body.middle.clone().applyQuaternion(body.q).toArray();
      this.seen = body.place.map((v, i) => v + middle[i]);
    }
    const origin = this.chase ? (this.seen ?? this.first) : this.first;
    const field = this.field && this.field.value !== "displacement" ? this.field.value : undefined;
    for (const one of this.bodies) {
      if (!one.group.visible) continue;
      one.put(this.bodies, origin, this.gain);
      one.paint(field, k, this.figure.most);
    }
    const away = this.first.map((v, i) => v - origin[i]);
    this.path.position.set(...away);
    const radius = this.chase || !this.seen ? 0 : this.drawBack();
    this.dot.visible = radius > SMALL * this.figure.size && body.group.visible;
    this.dot.position.copy(body.group.position);
    this.ground.visible = Boolean(this.figure.ground);
    if (this.figure.ground) this.ground.position.set(...this.figure.ground.map((v, i) => v - origin[i]));
    this.arrows.show(k, s, this.bodies, this.gain);
    const { t } = this;
    const end = t[t.length - 1];
    this.caption.replaceChildren(element("b", "", `${this.now.toFixed(end - t[0] < 10 ? 3 : 1)} s`));
    if (this.figure.gain > 0) this.caption.append(element("span", "", `bending × ${Number(this.gain.toPrecision(2))}`));
    if (this.figure.ground && radius > 0) {
      const apart = this.ring * 10 ** Math.max(0, Math.floor(Math.log10(radius / this.ring)));
      this.caption.append(element("span", "", `rings ${withUnit(apart, "m")} apart`));
    }
    this.canvas.dataset.time = String(this.now);
  }
}

export const replay = withWebGL((holder, figure) => new Replay(holder, figure));
