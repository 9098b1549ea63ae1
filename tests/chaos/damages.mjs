// Damages the objects of a hierarchy. A function of random numbers alone determines each damage.
import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import { crc32c } from "../lib/crc32c.mjs";

const of = (pick, list) => list[pick(list.length)];

// ---- bytes ----------------------------------------------------------------------

const byteDamages = {
  change(pick, bytes) {
    const out = bytes.slice();
    for (let k = pick(8); k >= 0 && out.length > 0; k--) out[pick(out.length)] ^= 1 << pick(8);
    return out;
  },
  // A changed byte has the largest effect in headers, indexes and trailers.
  "change an end"(pick, bytes) {
    const out = bytes.slice();
    const near = Math.min(out.length, 32);
    const from = pick(2) ? 0 : out.length - near;
    for (let k = pick(4); k >= 0 && near > 0; k--)
      out[from + pick(near)] = of(pick, [0, 1, 0x7f, 0x80, 0xff, pick(256)]);
    return out;
  },
  overwrite(pick, bytes) {
    const out = bytes.slice();
    const from = pick(out.length + 1);
    const value = of(pick, [0, 255, -1]);
    const to = Math.min(out.length, from + 1 + pick(64));
    for (let i = from; i < to; i++) out[i] = value < 0 ? pick(256) : value;
    return out;
  },
  /** Sizes, offsets and counts are little-endian integers, mostly at multiples of 4. */
  "an integer"(pick, bytes) {
    const out = bytes.slice();
    const size = of(pick, [4, 4, 8, 2]);
    if (out.length < size) return out;
    const near = Math.min(out.length - size, of(pick, [16, 64, out.length]));
    const at = pick(2) ? pick(near + 1) & -4 : out.length - size - (pick(near + 1) & -4);
    const view = new DataView(out.buffer, at, size);
    const old =
      size === 8 ? view.getBigUint64(0, true) : BigInt(size === 4 ? view.getUint32(0, true) : view.getUint16(0, true));
    const length = BigInt(out.length);
    const near0 = [0n, 1n, -1n, old + 1n, old - 1n, 2n * old, -old, length, length + 1n, length - 1n];
    const value = of(pick, [
      ...near0,
      1n << 31n,
      (1n << 31n) - 1n,
      1n << 32n,
      1n << 53n,
      1n << 62n,
      1n << 63n,
      (1n << 63n) - 1n,
    ]);
    if (size === 8) view.setBigUint64(0, value, true);
    else if (size === 4) view.setUint32(0, Number(BigInt.asUintN(32, value)), true);
    else view.setUint16(0, Number(BigInt.asUintN(16, value)), true);
    return out;
  },
  cut: (pick, bytes) => bytes.slice(0, pick(bytes.length)),
  "cut the beginning": (pick, bytes) => bytes.slice(1 + pick(bytes.length)),
  "take out"(pick, bytes) {
    const from = pick(bytes.length + 1);
    const rest = bytes.subarray(from + 1 + pick(16));
    const out = new Uint8Array(from + rest.length);
    out.set(bytes.subarray(0, from));
    out.set(rest, from);
    return out;
  },
  extend(pick, bytes) {
    const out = new Uint8Array(bytes.length + 1 + pick(200));
    out.set(bytes);
    if (pick(2)) for (let i = bytes.length; i < out.length; i++) out[i] = pick(256);
    return out;
  },
  double(_, bytes) {
    const out = new Uint8Array(2 * bytes.length);
    out.set(bytes);
    out.set(bytes, bytes.length);
    return out;
  },
  empty: () => new Uint8Array(0),
  noise: (pick, bytes) => Uint8Array.from({ length: Math.min(bytes.length, 10_000) }, () => pick(256)),
};

// ---- below checksums and compression ----------------------------------------------

/**
 * The position of a shard's index, at its start or end: 16 bytes for each of some chunks, followed
 * by their checksum.
 */
function indexOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let n = 1; n <= 256 && 16 * n + 4 <= bytes.length; n++) {
    for (const from of [0, bytes.length - 4 - 16 * n]) {
      const to = from + 16 * n;
      if (view.getUint32(to, true) === crc32c(bytes.subarray(from, to))) return [from, to];
    }
  }
}

const inside = {
  index(pick, bytes) {
    const found = indexOf(bytes);
    if (!found) return;
    const [from, to] = found;
    const out = bytes.slice();
    out.set(byteDamages["an integer"](pick, out.slice(from, to)), from);
    new DataView(out.buffer).setUint32(to, crc32c(out.subarray(from, to)), true);
    return out;
  },
  gzip: (pick, bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b && within(pick, bytes, gunzipSync, gzipSync),
  zlib: (pick, bytes) => bytes[0] === 0x78 && within(pick, bytes, inflateSync, deflateSync),
};

function within(pick, bytes, decode, encode) {
  try {
    return new Uint8Array(encode(damageBytes(pick, new Uint8Array(decode(bytes)))[1]));
  } catch {
    return undefined; // a false match
  }
}

function damageBytes(pick, bytes) {
  if (pick(2)) {
    const kind = of(pick, Object.keys(inside));
    const out = inside[kind](pick, bytes);
    if (out) return [`inside ${kind}`, out];
  }
  const kind = of(pick, [...Object.keys(byteDamages), "an integer", "an integer"]);
  return [kind, byteDamages[kind](pick, bytes)];
}

// ---- documents ------------------------------------------------------------------

/** Text that is copied into a document unchanged. */
class Raw {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** A member that occurs twice. */
class Twice {
  constructor(first, second) {
    this.values = [first, second];
  }
}

function write(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, v]) =>
    (v instanceof Twice ? v.values : [v]).map((one) => `${JSON.stringify(name)}:${write(one)}`),
  );
  return `{${members.join(",")}}`;
}

const otherTypes = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1",
  "1.5",
  '""',
  '"x"',
  "[]",
  "[0]",
  "[[]]",
  "[null]",
  "{}",
  '{"name":"x"}',
];

const hugeNumbers = [
  ..."1e308 -1e308 1e400 1e-400 -0.0 2147483647 2147483648 4294967296 1000000000 1099511627776".split(" "),
  ..."9007199254740991 9007199254740993 9223372036854775807 9223372036854775808 -9223372036854775808".split(" "),
  ..."18446744073709551615 18446744073709551616 100000000000000000000000 1e15 1e18 1e19 NaN -Infinity".split(" "),
];

/** Texts of that are long, deep, or have many members. */
const hugeTexts = [
  () => `"${"x".repeat(1e6)}"`,
  () => "[".repeat(50_000) + "]".repeat(50_000),
  () => `${'{"a":'.repeat(20_000)}0${"}".repeat(20_000)}`,
  () => `[${"1,".repeat(99_999)}1]`,
  () => `[${'{"name":"bytes"},'.repeat(9_999)}{"name":"bytes"}]`,
  () => `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`,
  () => `[${"[1,1],".repeat(50_000)}[1,1]]`,
];

/** All places of a document: [object or list, name, path of names]. */
function placesOf(value, names = [], out = []) {
  if (value !== null && typeof value === "object" && !(value instanceof Raw || value instanceof Twice)) {
    for (const name of Object.keys(value)) {
      out.push([value, name, [...names, name]]);
      placesOf(value[name], [...names, name], out);
    }
  }
  return out;
}

const jsonDamages = {
  drop(_, holder, name) {
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
  },
  retype(pick, holder, name) {
    holder[name] = new Raw(of(pick, otherTypes));
  },
  "huge number"(pick, holder, name) {
    holder[name] = new Raw(of(pick, hugeNumbers));
  },
  "huge text"(pick, holder, name) {
    holder[name] = new Raw(of(pick, hugeTexts)());
  },
  alter(pick, holder, name) {
    const value = holder[name];
    if (typeof value === "number")
      holder[name] = of(pick, [value + 1, value - 1, 2 * value, 1000 * value, -value, value + 0.5, 0]);
    else if (typeof value === "boolean") holder[name] = !value;
    else if (typeof value === "string" && value !== "") {
      const at = pick(value.length);
      const changed = String.fromCharCode(of(pick, [32 + pick(95), pick(0x10000), 0]));
      holder[name] = of(pick, [
        value.slice(0, at) + changed + value.slice(at + 1),
        value.slice(0, at),
        value + value,
        `<${value}`,
      ]);
    } else if (Array.isArray(value))
      holder[name] = of(pick, [
        [...value, ...value],
        value.toReversed?.() ?? [...value].reverse(),
        [value],
        value.slice(1),
      ]);
    else holder[name] = of(pick, [[value], { ...value, more: 1 }, { configuration: value }]);
  },
  twice(pick, holder, name) {
    if (Array.isArray(holder)) holder.push(holder[name]);
    else
      holder[name] = new Twice(
        ...of(pick, [
          [holder[name], new Raw(of(pick, otherTypes))],
          [new Raw(of(pick, otherTypes)), holder[name]],
        ]),
      );
  },
  rename(pick, holder, name) {
    if (Array.isArray(holder)) return;
    holder[of(pick, ["", "__proto__", "x", `${name}_`, name.toUpperCase(), "constructor"])] = holder[name];
    delete holder[name];
  },
  /** Replaces a member by one that another document has under that name. */
  graft(pick, holder, name, vocabulary, names) {
    const others = vocabulary.get(placeName(names));
    holder[name] = others ? structuredClone(of(pick, others)) : null;
  },
  /** All numbers of a list, such as a shape, at once. */
  scale(pick, holder, name) {
    const list = Array.isArray(holder) ? holder : [holder[name]].flat();
    const factor = of(pick, [2, 3, 1000, 2 ** 20, 2 ** 31, 2 ** 40]);
    const larger = list.map((n) => (typeof n === "number" ? n * factor : n));
    if (Array.isArray(holder)) holder.splice(0, holder.length, ...larger);
    else holder[name] = Array.isArray(holder[name]) ? larger : larger[0];
  },
};

/** The name of a place; entries of a list have the list's name. */
const placeName = (names) => {
  const last = names.at(-1);
  return /^\d+$/.test(last) ? `${names.at(-2)}[]` : last;
};

/** The values of all documents under each name, for grafts. */
export function vocabularyOf(documents) {
  const all = new Map();
  const seen = new Set();
  for (const document of documents) {
    for (const [holder, name, names] of placesOf(document)) {
      const place = placeName(names);
      const text = `${place} ${JSON.stringify(holder[name])}`;
      if (text.length > 20_000 || seen.has(text)) continue;
      seen.add(text);
      if (!all.has(place)) all.set(place, []);
      all.get(place).push(holder[name]);
    }
  }
  return all;
}

function damageDocument(pick, text, vocabulary) {
  const document = JSON.parse(text);
  const done = [];
  for (let more = pick(3) === 0 ? 2 : 1; more > 0; more--) {
    const places = placesOf(document).filter(
      ([holder, name]) => !(holder instanceof Raw || holder[name] instanceof Raw),
    );
    // Attributes have most of the places, but the least effect.
    const few = places.filter(([, , names]) => names[0] !== "attributes" || pick(10) === 0);
    const [holder, name, names] = of(pick, few.length > 0 ? few : places) ?? [document, "x", ["x"]];
    const kind = of(pick, [...Object.keys(jsonDamages), "graft", "graft", "alter", "huge number"]);
    jsonDamages[kind](pick, holder, name, vocabulary, names);
    done.push(`${kind} ${names.join(".")}`);
  }
  return [done.join(", "), new TextEncoder().encode(write(document))];
}

// ---- objects --------------------------------------------------------------------

/** True for the keys of metadata documents. */
export const isDocument = (key) => /(^|\/)(zarr\.json|\.z[a-z]+|meta|attrs)$/.test(key);

/**
 * Damages one object of a hierarchy, a Map by key, in place.
 * @returns a description of the damage
 */
export function damage(pick, objects, vocabulary) {
  const keys = [...objects.keys()];
  const documents = keys.filter(isDocument);
  const chunks = keys.filter((key) => !isDocument(key));
  const key = of(pick, chunks.length === 0 || (documents.length > 0 && pick(2)) ? documents : chunks);
  const bytes = objects.get(key);
  switch (pick(12)) {
    case 0:
      objects.delete(key);
      return `${key}: remove`;
    case 1: {
      const other = of(pick, keys);
      objects.set(key, objects.get(other));
      objects.set(other, bytes);
      return `${key}: swap with ${other}`;
    }
  }
  if (isDocument(key) && pick(5) > 0) {
    try {
      const [what, changed] = damageDocument(pick, new TextDecoder().decode(bytes), vocabulary);
      objects.set(key, changed);
      return `${key}: ${what}`;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // damages the bytes of a document with NaN
    }
  }
  const [kind, changed] = damageBytes(pick, bytes);
  objects.set(key, changed);
  return `${key}: ${kind}`;
}
