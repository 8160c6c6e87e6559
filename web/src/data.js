// The figures' numbers: JSON in the page, long arrays as base64 of little-endian typed arrays.

const TYPES = { f4: Float32Array, f8: Float64Array, i2: Int16Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

export function readData() {
  const holder = document.getElementById("interstage-data");
  return holder ? JSON.parse(holder.textContent) : { figures: {} };
}

// Return a typed array of a packed one ({t: type, d: base64}), or the plain array itself.
export function unpack(packed) {
  if (Array.isArray(packed) || packed == null) return packed;
  const text = atob(packed.d);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new TYPES[packed.t](bytes.buffer);
}

// Return a typed array with the numbers of a packed one behind its own.
export function appended(array, packed) {
  const more = unpack(packed);
  const out = new array.constructor(array.length + more.length);
  out.set(array);
  out.set(more, array.length);
  return out;
}
