// How things look: surfaces, lines and dots that bend, coloured by how far they moved or by a value at each point.
import { Color, DoubleSide, GreaterDepth, ShaderMaterial } from "three";

// still to largest; the same in both themes, as a measure should be
export const STOPS = ["#4668b0", "#3c94c6", "#52bfa8", "#bedb70", "#f8be47", "#e5562d"];

const HIDDEN = 0.45; // how much is seen of what is inside a body

const VERTEX = /* glsl */ `
attribute vec3 shape;
attribute float value;
uniform float bend;
uniform float travelled;
uniform float valued;
uniform float size;
varying float travel;
varying vec3 vNormal;
varying vec3 vView;
void main() {
  vec3 moved = position + bend * shape;
  travel = mix(length(shape) * travelled, value, valued);
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
uniform float opacity;
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
  gl_FragColor = vec4(base * light * (1.0 - 0.25 * rim) + 0.16 * shine, opacity);
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

// What all things of a stage share; those of one body have numbers of their own beside them.
export function sharedUniforms() {
  return {
    ...bodyUniforms(),
    size: { value: 4 },
    stops: { value: STOPS.map(linear) },
    ink: { value: new Color() },
  };
}

// bend: factor of displacements; travelled: of their lengths in colours; valued: whether values are the colours
export const bodyUniforms = () => ({ bend: { value: 0 }, travelled: { value: 1 }, valued: { value: 0 } });

// Surfaces in the colours of the measure, or in one of their own.
export function surfaceMaterial(uniforms, paint) {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: SURFACE,
    side: DoubleSide,
    uniforms: { ...uniforms, paint: { value: paint ?? new Color() }, painted: { value: Number(paint !== undefined) }, opacity: { value: 1 } },
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

// The same surface where something hides it: seen faintly through what is before it.
export function hiddenMaterial(surface) {
  const material = surface.clone();
  Object.assign(material, { transparent: true, depthFunc: GreaterDepth, depthWrite: false });
  material.uniforms = { ...surface.uniforms, opacity: { value: HIDDEN } };
  return material;
}

// Lines and dots in ink or in the colours of the measure.
export function plainMaterial(uniforms, opacity, measured, round = false) {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: PLAIN,
    transparent: opacity < 1,
    uniforms: { ...uniforms, opacity: { value: opacity }, measured: { value: Number(measured) }, round: { value: Number(round) } },
  });
}
