// Forces and winds as arrows at places of bodies: one colour and one scale for those that belong together.
import { BufferAttribute, BufferGeometry, Group, Mesh, Vector3 } from "three";
import { appended, unpack } from "./data.js";
import { bodyUniforms, hiddenMaterial, linear, surfaceMaterial } from "./materials.js";
import { color } from "./theme.js";
import { withUnit } from "./words.js";

const LONG = 0.5; // the longest of a kind, as a part of the size of the vehicle
const AROUND = 12;
const PROFILE = [[0, 0], [0, 0.016], [0.8, 0.016], [0.8, 0.05], [1, 0]]; // along x, and radius

// An arrow along x from 0 to 1, as a surface of revolution.
function arrowGeometry() {
  const points = [];
  const index = [];
  PROFILE.forEach(([x, r]) => {
    for (let k = 0; k < AROUND; k++) points.push(x, r * Math.cos((2 * Math.PI * k) / AROUND), r * Math.sin((2 * Math.PI * k) / AROUND));
  });
  for (let ring = 0; ring + 1 < PROFILE.length; ring++)
    for (let k = 0; k < AROUND; k++) {
      const [a, b] = [ring * AROUND + k, ring * AROUND + ((k + 1) % AROUND)];
      index.push(a, b, b + AROUND, a, b + AROUND, a + AROUND);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

export class Arrows {
  constructor(data, Spot, stage) {
    this.size = stage.figure.size;
    const geometry = arrowGeometry();
    const kinds = new Map();
    this.all = data.map((one) => {
      if (!kinds.has(one.kind)) kinds.set(one.kind, { group: new Group(), number: kinds.size, most: one.most, unit: one.unit, materials: [] });
      const kind = kinds.get(one.kind);
      const material = surfaceMaterial({ ...stage.uniforms, ...bodyUniforms() }, linear("#000"));
      const thing = new Mesh(geometry, material);
      const inside = new Mesh(geometry, hiddenMaterial(material));
      thing.add(inside);
      for (const each of [thing, inside]) each.frustumCulled = false;
      kind.materials.push(material);
      kind.group.add(thing);
      return { kind, thing, head: one.head, vectors: unpack(one.vectors), spots: one.at.map((spot) => new Spot(spot)) };
    });
    this.kinds = [...kinds.values()];
    for (const [name, { group, most, unit }] of kinds) {
      stage.scene.add(group);
      stage.chip(`${name}, longest ${withUnit(most, unit)}`, [group]);
      stage.chips.lastChild.classList.add(`kind-${(kinds.get(name).number + 1) % 6}`);
    }
    this.paint();
  }

  paint() {
    for (const { materials, number } of this.kinds ?? [])
      for (const material of materials) material.uniforms.paint.value = linear(color(`series-${(number + 1) % 6}`));
  }

  more(rows) {
    rows.forEach(({ vectors }, i) => {
      const one = this.all[i];
      const more = unpack(vectors);
      one.vectors = appended(one.vectors, vectors);
      for (let k = 0; k < more.length; k += 3) one.kind.most = Math.max(one.kind.most, Math.hypot(more[k], more[k + 1], more[k + 2]) || 0);
    });
  }

  show(k, s, bodies, gain) {
    for (const { kind, thing, head, vectors, spots } of this.all) {
      const spot = spots.find((one) => bodies[one.body].group.visible);
      const next = 3 * k + 5 < vectors.length && Number.isFinite(vectors[3 * k + 3]) ? 3 : 0;
      const vector = new Vector3(...[0, 1, 2].map((i) => vectors[3 * k + i] + s * (vectors[3 * k + next + i] - vectors[3 * k + i])));
      const long = vector.length();
      thing.visible = Boolean(spot) && long > 1e-3 * kind.most;
      if (!thing.visible) continue;
      const { group, now } = bodies[spot.body];
      const scale = (LONG * this.size * long) / kind.most;
      thing.position.copy(spot.at(now, gain).applyQuaternion(group.quaternion).add(group.position));
      vector.divideScalar(long);
      if (head) thing.position.addScaledVector(vector, -scale);
      thing.quaternion.setFromUnitVectors(new Vector3(1, 0, 0), vector);
      thing.scale.setScalar(scale);
    }
  }
}
