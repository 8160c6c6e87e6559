// Mode shapes in 3-D. Grids and shapes are 16-bit integers; the vertex shader bends the structure.
import { BufferAttribute, Vector3 } from "three";
import { unpack } from "./data.js";
import { Stage, Table, button, element, slider, withWebGL } from "./stage.js";
import { short } from "./words.js";

class Modes extends Stage {
  constructor(holder, figure) {
    super(holder, figure, { label: "Mode shape of the structure in 3-D; drag to turn it", fov: 24 });
    this.phase = 0;
    this.gain = 1;
    this.pick(figure.first ?? 0);
    this.play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  // The elements of the page around the canvas.
  build(holder) {
    const { figure } = this;
    this.measure("still", "largest motion");
    this.list = element("div", "modes");
    this.list.setAttribute("role", "radiogroup");
    this.list.setAttribute("aria-label", "Mode");
    this.buttons = figure.modes.map((mode, i) => {
      const one = button("", undefined, () => this.pick(i));
      one.setAttribute("role", "radio");
      one.append(element("b", "", mode.number ?? String(i + 1)), element("span", "hz", mode.frequency), element("span", "note", mode.note ?? ""));
      this.list.append(one);
      return one;
    });
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.pick((this.mode + step + this.buttons.length) % this.buttons.length);
      this.buttons[this.mode].focus();
    });
    const bar = element("div", "controls");
    const [label] = slider("amplitude", "Amplitude", { low: 0, high: 3, step: 0.05, value: 1 }, (value) => {
      this.gain = value;
      this.later();
    });
    bar.append(this.playButton, label, button("quiet", "Reset view", () => this.fit()));
    if (figure.modes.some((mode) => mode.stress)) {
      this.field = this.choice("coloured", "What colours tell", ["displacement", "stress"], () => this.recolour());
      this.field.value = figure.coloured ?? "displacement";
      bar.append(this.field);
    }
    bar.append(this.chips);
    holder.replaceChildren(this.frame, this.list, bar);
  }

  // Geometry of every part on one table of grids.
  load() {
    const { figure } = this;
    const places = Float32Array.from(unpack(figure.points), (v) => v * figure.scale);
    this.shape = new BufferAttribute(new Int16Array(places.length), 3, true);
    const table = new Table(places, this.shape, figure.parts);
    if (this.field) {
      this.value = new BufferAttribute(new Uint8Array(places.length / 3), 1, true);
      table.attributes.value = this.value;
    }
    for (const part of figure.parts) {
      const things = table.things(part, this.uniforms, 0.22);
      this.scene.add(...things);
      this.chip(part.name, things, part.shown !== false);
    }
  }

  pick(i) {
    const mode = this.figure.modes[i];
    this.mode = i;
    this.shape.array.set(unpack(mode.shape));
    this.shape.needsUpdate = true;
    this.buttons.forEach((one, k) => {
      one.setAttribute("aria-checked", String(k === i));
      one.tabIndex = k === i ? 0 : -1;
    });
    const chosen = this.buttons[i];
    const { list } = this;
    if (list.scrollHeight > list.clientHeight) list.scrollTop = chosen.offsetTop - list.clientHeight / 2;
    if (list.scrollWidth > list.clientWidth) list.scrollLeft = chosen.offsetLeft - list.clientWidth / 2;
    this.caption.replaceChildren(element("b", "", mode.frequency), element("span", "", mode.note ?? ""));
    this.canvas.dataset.mode = String(i);
    this.recolour();
  }

  // Colours of stresses, or of how far points move.
  recolour() {
    const stress = this.field?.value === "stress" ? this.figure.modes[this.mode].stress : undefined;
    this.uniforms.valued.value = Number(stress !== undefined);
    if (stress) {
      this.value.array.set(unpack(stress.rows));
      this.value.needsUpdate = true;
    }
    const words = stress ? ["0", `stress ${short(stress.largest)}`] : ["still", "largest motion"];
    words.forEach((text, i) => (this.ends[i].textContent = text));
    this.canvas.dataset.coloured = stress ? "stress" : "displacement";
    this.later();
  }

  play(on) {
    if (!on && this.phase === 0) this.phase = 0.25;
    super.play(on);
  }

  // Camera: the long side of the structure along the long side of the canvas.
  place() {
    const { low, high } = this.figure.box;
    const center = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
    const sizes = high.map((v, i) => v - low[i]);
    const long = sizes.indexOf(Math.max(...sizes));
    const axis = (k) => new Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0);
    const along = axis(long);
    const up = long === 2 ? axis(1) : axis(2);
    const side = new Vector3().crossVectors(along, up).normalize();
    const look = this.upright
      ? side.clone().multiplyScalar(0.9).addScaledVector(up, 0.45)
      : side.clone().multiplyScalar(0.86).addScaledVector(up, 0.34).addScaledVector(along, -0.42);
    look.normalize();
    const radius = Math.hypot(...sizes) / 2 || 1;
    this.camera.up.copy(this.upright ? along : up);
    // near enough that the box fills the view, corner by corner
    const tan = Math.tan((this.camera.fov * Math.PI) / 360);
    this.camera.position.copy(center).addScaledVector(look, 10 * radius);
    this.camera.lookAt(center);
    this.camera.updateMatrixWorld();
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const top = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    const grow = this.figure.reach * 0.8;
    let distance = 0;
    for (let c = 0; c < 8; c++) {
      const corner = new Vector3(c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1], c & 4 ? high[2] : low[2]).sub(center);
      const depth = corner.dot(look);
      distance = Math.max(distance, depth + (Math.abs(corner.dot(top)) + grow) / tan, depth + (Math.abs(corner.dot(right)) + 0.25 * grow) / (tan * this.camera.aspect));
    }
    this.look(center, look, 1.04 * distance, 4 * radius);
  }

  advance(seconds) {
    this.phase = (this.phase + Math.min(0.1, seconds) / 2.2) % 1;
  }

  show() {
    this.uniforms.bend.value = this.figure.reach * this.gain * Math.sin(2 * Math.PI * this.phase);
  }
}

export const modes = withWebGL((holder, figure) => new Modes(holder, figure));
