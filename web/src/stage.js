// A stage for things in 3-D: canvas, camera, drag to turn, play and pause, frames drawn only when something changes.
import { BufferAttribute, BufferGeometry, LineSegments, Mesh, PerspectiveCamera, Points, Scene, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { unpack } from "./data.js";
import { STOPS, linear, plainMaterial, sharedUniforms, surfaceMaterial } from "./materials.js";
import { color, onTheme } from "./theme.js";

export const element = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text != null) node.textContent = text;
  return node;
};

export function button(name, words, action) {
  const node = element("button", name, words);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
}

// A slider with words before it.
export function slider(name, words, { low, high, step, value }, set) {
  const label = element("label", `amount ${name}`, words);
  const input = element("input", name);
  Object.assign(input, { type: "range", min: String(low), max: String(high), step: String(step), value: String(value) });
  input.addEventListener("input", () => set(Number(input.value)));
  label.append(input);
  return [label, input];
}

const FINE = 1; // layer of what is left out while a slow machine plays
const SLOW = 1 / 32; // s a frame
const COARSE = 0.6; // pixels of the picture for one of the screen, then

// Whether pictures are made by the processor: smooth edges cost it as much as all the rest.
function bySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  return Boolean(told) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(told.UNMASKED_RENDERER_WEBGL));
}

// Points (flat, x y z) with what moves and colours them, and normals of the triangles of all parts.
export class Table {
  constructor(points, shape, parts) {
    this.attributes = { position: new BufferAttribute(points, 3), shape };
    const whole = new BufferGeometry();
    whole.setAttribute("position", this.attributes.position);
    whole.setIndex(parts.filter((p) => p.triangles).flatMap((p) => Array.from(unpack(p.triangles))));
    whole.computeVertexNormals();
    this.attributes.normal = whole.getAttribute("normal");
  }

  // Things that are drawn of a part: surfaces with their edges, lines and dots.
  things(part, uniforms, edges) {
    const made = (kind, packed, material) => {
      const geometry = new BufferGeometry();
      for (const [name, attribute] of Object.entries(this.attributes)) geometry.setAttribute(name, attribute);
      geometry.setIndex(new BufferAttribute(unpack(packed), 1));
      const thing = new kind(geometry, material);
      thing.frustumCulled = false;
      return thing;
    };
    const out = [];
    if (part.triangles) out.push(made(Mesh, part.triangles, surfaceMaterial(uniforms)));
    if (part.edges) {
      const thing = made(LineSegments, part.edges, plainMaterial(uniforms, edges, false));
      thing.layers.set(FINE);
      out.push(thing);
    }
    if (part.lines) out.push(made(LineSegments, part.lines, plainMaterial(uniforms, part.thin ? edges : 1, !part.thin)));
    if (part.dots) out.push(made(Points, part.dots, plainMaterial(uniforms, 1, true, true)));
    return out;
  }
}

// Those who derive from it build the elements around the canvas, load things, place the camera and advance in time.
export class Stage {
  constructor(holder, figure, { label, fov }) {
    this.figure = figure;
    this.frames = 0;
    this.visible = true;
    this.frame = element("div", "stage");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    this.canvas.tabIndex = 0;
    this.caption = element("div", "reading");
    this.frame.append(this.canvas, this.caption);
    this.playButton = button("play", "", () => this.play(!this.playing));
    this.chips = element("div", "chips");
    holder.classList.add("viewer");
    this.build(holder);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: !bySoftware(), alpha: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = "srgb-linear"; // colours are given as they shall be seen
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(fov, 1, 0.01, 100);
    this.camera.layers.enable(FINE);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomSpeed = 0.6;
    this.controls.enableZoom = false; // the page scrolls until the reader takes hold of the model
    this.controls.addEventListener("change", () => this.later());
    this.controls.addEventListener("start", () => (this.turned = true)); // by the reader
    this.canvas.addEventListener("pointerdown", () => (this.controls.enableZoom = true));
    this.canvas.addEventListener("pointerleave", () => (this.controls.enableZoom = false));
    this.canvas.style.touchAction = "pan-y pinch-zoom";
    this.uniforms = sharedUniforms();
    this.load();
    this.paint();
    this.fit();
    onTheme(() => this.paint());
    new ResizeObserver(() => this.fit(this.turned)).observe(this.frame);
    new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      this.later();
    }).observe(this.frame);
    holder.stage = this;
  }

  // The measure of colours, with words at its ends.
  measure(low, high) {
    const scale = element("div", "scale");
    const bar = element("i");
    bar.style.background = `linear-gradient(90deg, ${STOPS.join(",")})`;
    this.ends = [element("span", "", low), element("span", "", high)];
    scale.append(this.ends[0], bar, this.ends[1]);
    this.frame.append(scale);
  }

  // A list of words to choose from.
  choice(name, label, words, changed) {
    const select = element("select", name);
    select.setAttribute("aria-label", label);
    for (const one of words) select.append(new Option(one, one));
    select.addEventListener("change", changed);
    return select;
  }

  // A button that shows and hides things.
  chip(name, things, shown = true) {
    const set = (on) => {
      chip.setAttribute("aria-pressed", String(on));
      for (const thing of things) thing.visible = on;
      this.later();
    };
    const chip = button("chip", name, () => set(chip.getAttribute("aria-pressed") !== "true"));
    this.chips.append(chip);
    set(shown);
  }

  paint() {
    this.uniforms.ink.value = linear(color("ink"));
    this.later();
  }

  play(on) {
    this.playing = on;
    this.playButton.textContent = on ? "Pause" : "Play";
    this.playButton.setAttribute("aria-pressed", String(on));
    this.canvas.dataset.playing = String(on);
    this.last = undefined;
    this.pace = 0;
    this.sketch(false);
    this.later();
  }

  // Leave out fine lines and pixels, so that a slow machine plays smoothly; what stands still has them.
  sketch(on) {
    if (Boolean(this.sketched) === on) return;
    this.sketched = on;
    this.camera.layers[on ? "disable" : "enable"](FINE);
    this.fit(true);
  }

  ratio() {
    return this.sketched ? COARSE : Math.min(devicePixelRatio || 1, 2);
  }

  // Take the size of the frame; the camera stays as the reader has turned it where `keep` is said.
  fit(keep = false) {
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.setSize(width, height, false);
    this.uniforms.size.value = 4.5 * this.renderer.getPixelRatio();
    this.camera.aspect = width / height;
    const upright = height > width;
    if (!keep || upright !== this.upright) {
      this.upright = upright;
      this.turned = false;
      this.place();
    }
    this.camera.updateProjectionMatrix();
    this.later();
  }

  // Look at a centre from a direction and distance.
  look(center, way, distance, reach) {
    this.camera.position.copy(center).addScaledVector(way, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance + reach;
    this.controls.target.copy(center);
    this.controls.update();
  }

  later() {
    if (this.waiting || !this.visible) return;
    this.waiting = requestAnimationFrame((time) => this.draw(time));
  }

  draw(time) {
    this.waiting = undefined;
    if (this.playing) {
      const step = this.last === undefined ? 0 : Math.min(0.25, (time - this.last) / 1000);
      this.last = time;
      this.pace += 0.2 * (step - this.pace);
      if (this.pace > SLOW) this.sketch(true);
      this.advance(step);
    }
    this.show();
    this.renderer.render(this.scene, this.camera);
    this.canvas.dataset.frames = String(++this.frames);
    if (this.playing) this.later();
  }
}

export function withWebGL(make) {
  return (holder, figure) => {
    if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL");
    make(holder, figure);
  };
}
