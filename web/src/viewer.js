// Mode shapes in 3-D. Grids and shapes are 16-bit integers; the vertex shader bends the structure.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  LineSegments,
  Mesh,
  PerspectiveCamera,
  Points,
  Scene,
  ShaderMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { unpack } from "./data.js";
import { color, onTheme } from "./theme.js";

// still to largest motion; the same in both themes, as a measure should be
export const STOPS = ["#4668b0", "#3c94c6", "#52bfa8", "#bedb70", "#f8be47", "#e5562d"];

const VERTEX = /* glsl */ `
attribute vec3 shape;
uniform float bend;
uniform float size;
varying float travel;
varying vec3 vNormal;
varying vec3 vView;
void main() {
  vec3 moved = position + bend * shape;
  travel = length(shape);
  vec4 view = modelViewMatrix * vec4(moved, 1.0);
  vNormal = normalMatrix * normal;
  vView = -view.xyz;
  gl_Position = projectionMatrix * view;
  gl_PointSize = size;
}`;

const SURFACE = /* glsl */ `
uniform vec3 stops[6];
uniform vec3 paint;
uniform float painted;
varying float travel;
varying vec3 vNormal;
varying vec3 vView;
vec3 measure(float t) {
  float s = clamp(t, 0.0, 1.0) * 5.0;
  vec3 c = stops[0];
  for (int i = 0; i < 5; i++) c = mix(c, stops[i + 1], clamp(s - float(i), 0.0, 1.0));
  return c;
}
void main() {
  vec3 eye = normalize(vView);
  vec3 n = normalize(vNormal);
  if (dot(n, eye) < 0.0) n = -n;
  vec3 sun = normalize(vec3(0.35, 0.75, 0.6));
  float light = 0.66 + 0.36 * clamp(dot(n, sun), 0.0, 1.0);
  float rim = pow(1.0 - clamp(dot(n, eye), 0.0, 1.0), 3.0);
  float shine = pow(clamp(dot(n, normalize(sun + eye)), 0.0, 1.0), 40.0);
  vec3 base = mix(measure(travel), paint, painted);
  gl_FragColor = vec4(base * light * (1.0 - 0.25 * rim) + 0.16 * shine, 1.0);
}`;

const PLAIN = /* glsl */ `
uniform vec3 stops[6];
uniform vec3 ink;
uniform float opacity;
uniform float measured;
uniform float round;
varying float travel;
void main() {
  if (round > 0.5 && length(gl_PointCoord - 0.5) > 0.5) discard;
  float s = clamp(travel, 0.0, 1.0) * 5.0;
  vec3 c = stops[0];
  for (int i = 0; i < 5; i++) c = mix(c, stops[i + 1], clamp(s - float(i), 0.0, 1.0));
  gl_FragColor = vec4(mix(ink, c, measured), opacity);
}`;

export const linear = (text) => new Color().setStyle(text).convertLinearToSRGB();
export const element = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text != null) node.textContent = text;
  return node;
};

// Surfaces coloured by how far they have moved, and lines and dots in ink or in those colours.
export function surfaceMaterial(uniforms) {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: SURFACE,
    side: DoubleSide,
    uniforms: { ...uniforms, paint: { value: new Color() }, painted: { value: 0 } },
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

export function plainMaterial(uniforms, opacity, measured, round = false) {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: PLAIN,
    transparent: opacity < 1,
    uniforms: { ...uniforms, opacity: { value: opacity }, measured: { value: Number(measured) }, round: { value: Number(round) } },
  });
}

class Stage {
  constructor(holder, figure) {
    this.figure = figure;
    this.build(holder);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = "srgb-linear"; // colours are given as they shall be seen
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(24, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomSpeed = 0.6;
    this.controls.enableZoom = false; // the page scrolls until the reader takes hold of the model
    this.controls.addEventListener("change", () => this.later());
    this.canvas.addEventListener("pointerdown", () => (this.controls.enableZoom = true));
    this.canvas.addEventListener("pointerleave", () => (this.controls.enableZoom = false));
    this.canvas.style.touchAction = "pan-y pinch-zoom";
    this.uniforms = {
      bend: { value: 0 },
      size: { value: 4 },
      stops: { value: STOPS.map(linear) },
      ink: { value: new Color() },
    };
    this.phase = 0;
    this.gain = 1;
    this.frames = 0;
    this.visible = true;
    this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.load();
    this.paint();
    this.pick(figure.first ?? 0);
    this.fit();
    this.play(this.playing);
    onTheme(() => this.paint());
    new ResizeObserver(() => this.fit(true)).observe(this.frame);
    new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      this.later();
    }).observe(this.frame);
  }

  // The elements of the page around the canvas.
  build(holder) {
    const { figure } = this;
    holder.classList.add("viewer");
    this.frame = element("div", "stage");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Mode shape of the structure in 3-D; drag to turn it");
    this.canvas.tabIndex = 0;
    this.caption = element("div", "reading");
    const scale = element("div", "scale");
    scale.append(element("span", "", "still"), element("i"), element("span", "", "largest motion"));
    scale.querySelector("i").style.background = `linear-gradient(90deg, ${STOPS.join(",")})`;
    this.frame.append(this.canvas, this.caption, scale);

    this.list = element("div", "modes");
    this.list.setAttribute("role", "radiogroup");
    this.list.setAttribute("aria-label", "Mode");
    this.buttons = figure.modes.map((mode, i) => {
      const button = element("button");
      button.type = "button";
      button.setAttribute("role", "radio");
      button.append(element("b", "", mode.number ?? String(i + 1)), element("span", "hz", mode.frequency), element("span", "note", mode.note ?? ""));
      button.addEventListener("click", () => this.pick(i));
      this.list.append(button);
      return button;
    });
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.pick((this.mode + step + this.buttons.length) % this.buttons.length);
      this.buttons[this.mode].focus();
    });

    const bar = element("div", "controls");
    this.button = element("button", "play");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.play(!this.playing));
    const slider = element("label", "amount");
    slider.append("Amplitude");
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: "0", max: "3", step: "0.05", value: "1" });
    this.slider.addEventListener("input", () => {
      this.gain = Number(this.slider.value);
      this.later();
    });
    slider.append(this.slider);
    const reset = element("button", "quiet", "Reset view");
    reset.type = "button";
    reset.addEventListener("click", () => this.fit());
    this.chips = element("div", "chips");
    bar.append(this.button, slider, reset, this.chips);
    holder.replaceChildren(this.frame, this.list, bar);
  }

  // Geometry of every part on one table of grids.
  load() {
    const { figure } = this;
    const raw = unpack(figure.points);
    const places = new Float32Array(raw.length);
    for (let i = 0; i < raw.length; i++) places[i] = raw[i] * figure.scale;
    this.position = new BufferAttribute(places, 3);
    this.shape = new BufferAttribute(new Int16Array(raw.length), 3, true);
    const normals = this.normals(places);
    const table = () => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", this.position);
      geometry.setAttribute("shape", this.shape);
      geometry.setAttribute("normal", normals);
      return geometry;
    };
    this.lines = [];
    for (const part of figure.parts) {
      const members = [];
      const add = (kind, index, material) => {
        const geometry = table();
        if (index) geometry.setIndex(new BufferAttribute(index, 1));
        const thing = new kind(geometry, material);
        thing.frustumCulled = false;
        this.scene.add(thing);
        members.push(thing);
      };
      if (part.triangles) add(Mesh, unpack(part.triangles), this.surface(part));
      if (part.edges) add(LineSegments, unpack(part.edges), this.plain(0.22, false));
      if (part.lines) add(LineSegments, unpack(part.lines), this.plain(1, true));
      if (part.dots) add(Points, unpack(part.dots), this.plain(1, true, true));
      this.chip(part, members);
    }
  }

  normals(places) {
    const whole = new BufferGeometry();
    whole.setAttribute("position", new BufferAttribute(places, 3));
    const index = this.figure.parts.filter((p) => p.triangles).flatMap((p) => [...unpack(p.triangles)]);
    whole.setIndex(index);
    whole.computeVertexNormals();
    return whole.getAttribute("normal");
  }

  surface(part) {
    return surfaceMaterial(this.uniforms);
  }

  plain(opacity, measured, round = false) {
    return plainMaterial(this.uniforms, opacity, measured, round);
  }

  chip(part, members) {
    const chip = element("button", "chip", part.name);
    chip.type = "button";
    const set = (on) => {
      chip.setAttribute("aria-pressed", String(on));
      for (const member of members) member.visible = on;
      this.later();
    };
    chip.addEventListener("click", () => set(chip.getAttribute("aria-pressed") !== "true"));
    this.chips.append(chip);
    set(part.shown !== false);
  }

  paint() {
    this.uniforms.ink.value = linear(color("ink"));
    this.later();
  }

  pick(i) {
    const mode = this.figure.modes[i];
    this.mode = i;
    this.shape.array.set(unpack(mode.shape));
    this.shape.needsUpdate = true;
    this.buttons.forEach((button, k) => {
      button.setAttribute("aria-checked", String(k === i));
      button.tabIndex = k === i ? 0 : -1;
    });
    const button = this.buttons[i];
    const { list } = this;
    if (list.scrollHeight > list.clientHeight) list.scrollTop = button.offsetTop - list.clientHeight / 2;
    if (list.scrollWidth > list.clientWidth) list.scrollLeft = button.offsetLeft - list.clientWidth / 2;
    this.caption.replaceChildren(element("b", "", mode.frequency), element("span", "", mode.note ?? ""));
    this.canvas.dataset.mode = String(i);
    this.later();
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(on));
    this.canvas.dataset.playing = String(on);
    if (!on && this.phase === 0) this.phase = 0.25;
    this.last = undefined;
    this.later();
  }

  // Camera: the long side of the structure along the long side of the canvas.
  fit(keep = false) {
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.uniforms.size.value = 4.5 * this.renderer.getPixelRatio();
    this.camera.aspect = width / height;
    const upright = height > width;
    if (!keep || upright !== this.upright) {
      this.upright = upright;
      this.place();
    }
    this.camera.updateProjectionMatrix();
    this.later();
  }

  place() {
    const { low, high } = this.figure.box;
    const center = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
    const sizes = high.map((v, i) => v - low[i]);
    const long = sizes.indexOf(Math.max(...sizes));
    const axis = (k) => new Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0);
    const along = axis(long);
    let up = long === 2 ? axis(1) : axis(2);
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
    distance *= 1.04;
    this.camera.position.copy(center).addScaledVector(look, distance);
    this.camera.near = distance / 100;
    this.camera.far = distance + 4 * radius;
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
      const step = this.last === undefined ? 0 : Math.min(0.1, (time - this.last) / 1000);
      this.last = time;
      this.phase = (this.phase + step / 2.2) % 1;
    }
    this.uniforms.bend.value = this.figure.reach * this.gain * Math.sin(2 * Math.PI * this.phase);
    this.renderer.render(this.scene, this.camera);
    this.canvas.dataset.frames = String(++this.frames);
    if (this.playing) this.later();
  }
}

export function viewer(holder, figure) {
  const probe = document.createElement("canvas");
  if (!probe.getContext("webgl2")) throw new Error("no WebGL");
  new Stage(holder, figure);
}
