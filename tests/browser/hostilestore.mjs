// A store with hostile texts: markup, scripts, addresses, styles, templates, names of prototypes,
// bidirectional controls, and a name of a megabyte. It is written to a folder, for tests that show
// it.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { arrayV3, groupV3 } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

/** A host that only texts name: no request may go there. */
export const evil = "evil.test";

const run = "globalThis.ran=(globalThis.ran||0)+1";

/** Texts that do harm when interpreted. */
export const hostile = [
  `<img src=x onerror="${run}">`,
  `"><script>${run}</script><svg onload=${run}>`,
  `' onmouseover='${run}' style='background:url(//${evil}/a)`,
  `javascript:${run}`,
  `red;}*{background:url(https://${evil}/css)}`,
  `url(https://${evil}/b)`,
  `</title></textarea></style></svg><iframe src=https://${evil}/c></iframe>`,
  `\${${run}}`,
  `"); ${run}; ("`,
  `'); ${run}; ('\\`,
  `"""\n__import__('os').system('x')\n"""`,
  "\u202egpj.exe\u2066x\u2069",
  '=HYPERLINK("https://evil.test/d")',
  "nul\u0000bell\u0007esc\u001b[31m",
  "surrogate\ud800 bom\ufeff line\u2028end",
];

/** Names that mean something in JavaScript. */
export const names = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"];

/** Nodes of the store that open as what their names say. */
const kinds = ["/picture", "/image", "/plate", "/table", "/texts", "/frame"];
const numbers = ["0", "-1", "1e999", "NaN", "2147483648", "9007199254740993", "0x10", "1e-320", "", " ", ","];

/**
 * Makes random states of a view by a seed: a node that opens, and hostile values of some of the
 * attributes named.
 */
export function hostileStates(seed, attributes) {
  const pick = random(seed);
  const texts = hostile.map((text) => text.replaceAll("\u0000", ""));
  const one = pick.of;
  const values = [
    () => one(texts),
    () => one(numbers),
    () => `${one(texts)},${one(numbers)}`,
    () => `${one(["x", "y", "c", "__proto__", "constructor"])}:${one(numbers)}`,
    () => encodeURIComponent(one(texts).toWellFormed()),
    () => `{"__proto__":{"polluted":1}}`,
    () => "a".repeat(10_000),
    () => "1,".repeat(5_000),
    () => `${one(["box", "polygon", "line"])}:${one(["y", "x", "time"])}:x,${one(numbers)}:${one(numbers)},3:5,9:1`,
    () => `${one(["time", "y", "__proto__"])}:${one(["x", "time"])}`,
  ];
  return () => {
    const state = { node: one(kinds) };
    for (let n = 1 + pick(5); n > 0; n--) state[one(attributes)] = one(values)();
    return state;
  };
}

const array = (shape, type, attributes, dimension_names, fill_value = 0) =>
  arrayV3(shape, type, {
    chunks: shape,
    fill_value,
    ...(type === "string" && { codecs: [{ name: "vlen-utf8" }] }),
    dimension_names,
    attributes,
  });

const ramp = (n) => Buffer.from(Uint8Array.from({ length: n }, (_, i) => i));

function texts(list) {
  const parts = [Buffer.from(Uint32Array.of(list.length).buffer)];
  for (const text of list) {
    const bytes = Buffer.from(text);
    parts.push(Buffer.from(Uint32Array.of(bytes.length).buffer), bytes);
  }
  return Buffer.concat(parts);
}

/** Attributes of every name that is shown somewhere, each with a hostile text. */
function described(at) {
  const of = (i) => hostile[(at + i) % hostile.length];
  const known = [
    "long_name",
    "standard_name",
    "units",
    "title",
    "comment",
    "source",
    "history",
    "references",
    "license",
    "href",
    "url",
  ];
  return Object.fromEntries([...known.map((name, i) => [name, of(i)]), ...hostile.map((text, i) => [text, of(i + 3)])]);
}

/** The nodes of the store by their paths, and the objects beside them. */
export function nodes() {
  const all = new Map();
  const objects = new Map();
  const giant = "n".repeat(1 << 20);
  const polluted = JSON.parse(
    `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}}}`,
  );

  // A dataset whose dimensions, variables and units are hostile; a child of each hostile name.
  all.set("", groupV3({ ...described(0), ...polluted, Conventions: hostile[1], [giant]: giant }));
  const shape = [3, 16, 16];
  const dimensions = [hostile[1], hostile[0], hostile[8]];
  const named = (text) => text.replaceAll("/", "\u2215").replaceAll("\u0000", "").slice(0, 60).toWellFormed();
  for (const [i, text] of [...hostile, ...names].entries()) {
    const name = named(text);
    all.set(
      name,
      array(shape, "uint8", { ...described(i), scale_factor: 0.5, coordinates: hostile[3] }, dimensions.map(named)),
    );
    objects.set(`${name}/c/0/0/0`, ramp(768));
  }
  for (const [i, text] of dimensions.entries()) {
    // A coordinate has the name of its dimension.
    const name = named(text);
    if (all.get(name)?.shape.length === 1) continue;
    all.set(name, array([shape[i]], "uint8", { ...described(i), calendar: hostile[2] }, [name]));
    objects.delete(`${name}/c/0/0/0`);
    objects.set(`${name}/c/0`, ramp(shape[i]));
  }
  all.set(
    "picture",
    array(
      shape,
      "uint8",
      {
        ...described(2),
        flag_values: [0, 1, 2],
        flag_meanings: hostile.join(" "),
        flag_colors: hostile.slice(3, 6).join(" "),
      },
      dimensions.map(named),
    ),
  );
  objects.set("picture/c/0/0/0", ramp(768));
  all.set("axes", array([2, 2, 2, 16, 16], "uint8", { units: names[1] }, names));
  objects.set("axes/c/0/0/0/0/0", ramp(2048));
  all.set("long", array([16, 16], "uint8", { units: giant, long_name: giant }, [giant, "x"]));
  objects.set("long/c/0/0", ramp(256));

  // Texts, and a struct whose fields have hostile names.
  const list = [...hostile, ...names].map((text) => text.toWellFormed());
  all.set("texts", array([list.length], "string", described(4), [names[0]], ""));
  objects.set("texts/c/0", texts(list));
  const fields = [...hostile.slice(0, 6), ...names].map((text) => [named(text), "uint8"]);
  all.set("table", {
    ...array([4], "uint8", described(5)),
    data_type: { name: "structured", configuration: { fields } },
    fill_value: Buffer.alloc(fields.length).toString("base64"),
  });
  objects.set("table/c/0", ramp(4 * fields.length));

  // An image, a plate and a dataframe.
  const channels = hostile.slice(0, 3).map((label, i) => ({
    label,
    color: hostile[i + 3],
    active: true,
    family: hostile[7],
    window: { start: 0, end: 255, min: 0, max: 255 },
  }));
  const axes = [
    { name: "c", type: "channel" },
    { name: "y", type: "space", unit: hostile[0] },
    { name: "x", type: "space", unit: hostile[5] },
  ];
  const scale = [{ type: "scale", scale: [1, 1, 1] }];
  const multiscales = [
    {
      name: hostile[0],
      type: hostile[3],
      axes,
      datasets: [{ path: "0", coordinateTransformations: scale }],
      metadata: polluted,
    },
  ];
  all.set(
    "image",
    groupV3({
      ome: {
        version: "0.5",
        multiscales,
        omero: { name: hostile[1], channels, rdefs: { model: hostile[2] } },
        creator: polluted,
      },
    }),
  );
  all.set("image/0", array(shape, "uint8"));
  objects.set("image/0/c/0/0/0", ramp(768));
  all.set("image/labels", groupV3({ ome: { version: "0.5", labels: ["l", hostile[3], "../../picture"] } }));
  const label = {
    "image-label": {
      version: "0.5",
      colors: [{ "label-value": 1, rgba: [255, 0, hostile[5], 255] }],
      properties: [{ "label-value": 1, [hostile[0]]: hostile[1] }],
      source: { image: `https://${evil}/image` },
    },
  };
  all.set("image/labels/l", groupV3({ ome: { version: "0.5", multiscales, ...label } }));
  all.set("image/labels/l/0", array(shape, "uint8"));
  objects.set("image/labels/l/0/c/0/0/0", ramp(768));
  const plate = {
    name: hostile[0],
    acquisitions: [{ id: 0, name: hostile[1], description: hostile[2] }],
    columns: [{ name: "1" }],
    rows: [{ name: "A" }],
    wells: [{ path: "A/1", rowIndex: 0, columnIndex: 0 }],
    field_count: 1,
  };
  all.set("plate", groupV3({ ome: { version: "0.5", plate } }));
  all.set("plate/A", groupV3({}));
  all.set("plate/A/1", groupV3({ ome: { version: "0.5", well: { images: [{ path: "0", acquisition: 0 }] } } }));
  all.set("plate/A/1/0", all.get("image"));
  all.set("plate/A/1/0/0", array(shape, "uint8"));
  objects.set("plate/A/1/0/0/c/0/0/0", ramp(768));
  const columns = [hostile[0], names[0], hostile[3]].map(named);
  all.set(
    "frame",
    groupV3({ "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": columns }),
  );
  for (const name of ["_index", ...columns]) {
    all.set(
      `frame/${name}`,
      array([list.length], "string", { "encoding-type": "string-array", "encoding-version": "0.2.0" }, undefined, ""),
    );
    objects.set(`frame/${name}/c/0`, texts(list));
  }
  return { all, objects };
}

/** Writes the store, and gives the paths of its nodes. */
export function writeStore(dir) {
  const { all, objects } = nodes();
  rmSync(dir, { recursive: true, force: true });
  const put = (key, bytes) => {
    const file = join(dir, key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  };
  const metadata = Object.fromEntries([...all].filter(([path]) => path !== ""));
  put(
    "zarr.json",
    JSON.stringify({ ...all.get(""), consolidated_metadata: { kind: "inline", must_understand: false, metadata } }),
  );
  for (const [path, document] of all) if (path !== "") put(`${path}/zarr.json`, JSON.stringify(document));
  for (const [key, bytes] of objects) put(key, bytes);
  return [...all.keys()];
}
