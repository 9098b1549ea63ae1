// Properties of all OME-Zarr documents: random ones, absurd ones, and the cost of calls.
import { arrayV3, groupV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

const check = (is, what) => {
  if (!is) throw new Error(typeof what === "function" ? what() : what);
};
const equal = (is, expected, what) => {
  const [a, b] = [JSON.stringify(is), JSON.stringify(expected)];
  check(a === b, `${what}: ${a}, expected ${b}`);
};

/** Fails unless it rejects with an error of that name. */
async function rejects(promise, name, what) {
  let error;
  try {
    await promise;
  } catch (caught) {
    error = caught;
  }
  check(error?.name === name, () => `${what}: ${error?.stack ?? "no error"}, expected ${name}`);
  return error;
}

const axes = [
  { name: "z", type: "space", unit: "micrometer" },
  { name: "y", type: "space", unit: "micrometer" },
  { name: "x", type: "space", unit: "micrometer" },
];
export const scaled = (path, scale, translation) => {
  const moved = translation ? [{ type: "translation", translation }] : [];
  return { path, coordinateTransformations: [{ type: "scale", scale }, ...moved] };
};
const image04 = (datasets, more = {}) => ({
  multiscales: [{ version: "0.4", name: "i", axes, datasets, ...more }],
});

/**
 * The documents and chunks, by key, of a group with attributes and arrays. Each array has its
 * shape, and float64 values if they matter.
 */
export function storedOf(attributes, arrays = {}, groups = {}) {
  const [documents, chunks] = [{}, {}];
  documents["zarr.json"] = groupV3(attributes);
  for (const [path, own] of Object.entries(groups)) documents[`${path}/zarr.json`] = groupV3(own);
  for (const [path, { shape, values, type = values ? "float64" : "uint8" }] of Object.entries(arrays)) {
    documents[`${path}/zarr.json`] = arrayV3(shape, type);
    const key = ["c", ...shape.map(() => 0)].join("/");
    if (values) chunks[`${path}/${key}`] = new Uint8Array(values.buffer ?? new Float64Array(values).buffer);
  }
  return { documents, chunks };
}

/** The group of {@link storedOf}. */
async function groupOf({ zarr }, ...of) {
  const { documents, chunks } = storedOf(...of);
  const files = new Map(Object.entries(chunks).map(([key, bytes]) => [`/${key}`, bytes]));
  for (const [key, one] of Object.entries(documents)) files.set(`/${key}`, json(one));
  return zarr.open(files, { kind: "group" });
}

/** A group of attributes only, for calls that read nothing else. */
const bare = ({ zarr }, attrs) => ({
  kind: "group",
  path: "/",
  attrs,
  open: async (path) => {
    throw new zarr.NotFoundError(`nothing at ${path}`);
  },
  resolve: (path) => ({ path: `/${path}` }),
});

/** The pixels that a range of indices touches in more than an edge, found one by one. */
function touched(from, to, length) {
  const found = [];
  for (let i = 0; i < length; i++) if (i + 0.5 > from + 1e-9 && i - 0.5 < to - 1e-9) found.push(i);
  return found;
}

async function boxes(t) {
  const draw = random(7);
  for (let round = 0; round < 200; round++) {
    const scale = axes.map(() => draw.real(0.1, 3) * (draw.next() < 0.2 ? -1 : 1));
    const translation = axes.map(() => draw.real(-10, 10));
    const image = await t.ome.openImage(bare(t, image04([scaled("0", scale, translation)])));
    const [level] = image.levels;
    for (let one = 0; one < 10; one++) {
      const index = axes.map(() => draw.int(-5, 20));
      const back = level.toIndex(level.toPhysical(index));
      check(
        back.every((v, i) => Math.abs(v - index[i]) < 1e-9),
        () => `${index} became ${back}`,
      );
      // Edges and centres of pixels, and points between them.
      const at = () => draw.int(-8, 30) * 0.5 + (draw.next() < 0.5 ? 0 : draw.real(-0.4, 0.4));
      const [a, b] = [at(), at()];
      const axis = draw.int(0, 2);
      const physical = (v) => level.toPhysical(axes.map((_, i) => (i === axis ? v : 0)))[axis];
      if (a === b) continue;
      const selection = level.selection({ [axes[axis].name]: [physical(a), physical(b)] });
      const { start, stop } = selection[axis];
      const got = Array.from({ length: 12 }, (_, i) => i).filter((i) => i >= start && i < stop);
      equal(got, touched(Math.min(a, b), Math.max(a, b), 12), `from ${a} to ${b}, scale ${scale[axis]}`);
      const rest = selection.filter((_, i) => i !== axis);
      equal(rest, [null, null], "other axes");
    }
  }
  const [level] = (await t.ome.openImage(bare(t, image04([scaled("0", [1, 2, 2])])))).levels;
  equal(level.selection({ y: 3.1, x: 4 }), [null, 2, 2], "one number takes the pixel that it lies in");
  equal(level.selection({ z: null }), [null, null, null], "null takes all");
  equal(level.selection({ x: [4, 4] })[2], { start: 2, stop: 3, step: null }, "a range without extent takes a pixel");
  equal(
    level.selection({ x: [-100, -50] })[2],
    { start: 0, stop: 0, step: null },
    "a range before the first takes none",
  );
  for (const box of [
    { x: -2 },
    { q: 1 },
    { x: [1] },
    { x: [1, Number.NaN] },
    { x: "1" },
    { x: Number.POSITIVE_INFINITY },
  ]) {
    await rejects((async () => level.selection(box))(), "InvalidSelectionError", JSON.stringify(box));
  }
  for (const point of [[1, 2], [], undefined]) {
    await rejects((async () => level.toPhysical(point))(), "InvalidSelectionError", `toPhysical(${point})`);
    await rejects((async () => level.toIndex(point))(), "InvalidSelectionError", `toIndex(${point})`);
  }
}

/** A selection of a box reads those elements that the box touches. */
async function readBoxes(t) {
  const values = Float64Array.from({ length: 6 * 8 }, (_, i) => i);
  const yx = axes.slice(1);
  const document = { multiscales: [{ version: "0.4", axes: yx, datasets: [scaled("0", [2, 0.5], [1, -1])] }] };
  const group = await groupOf(t, document, { 0: { shape: [6, 8], values } });
  const [level] = (await t.ome.openImage(group)).levels;
  equal(level.shape, undefined, "the shape before the array is opened");
  const array = await level.array();
  equal(level.shape, [6, 8], "the shape");
  check((await level.array()) === array, "the array is opened once");
  const { data, shape } = await array.get(level.selection({ y: [3, 6], x: [-0.5, 100] }));
  equal(shape, [2, 7], "shape of a box");
  equal([...data.slice(0, 3)], [9, 10, 11], "data of a box");
  equal(await array.get(level.selection({ y: 5, x: 0 })), 18, "one element");
}

async function levels(t) {
  const draw = random(11);
  for (let round = 0; round < 500; round++) {
    const sizes = Array.from({ length: draw.int(1, 6) }, () => axes.map(() => draw.of([0.5, 1, 1, 2, 3, 4, 8, -2])));
    const image = await t.ome.openImage(bare(t, image04(sizes.map((scale, i) => scaled(String(i), scale)))));
    const names = draw.of([["y", "x"], ["x"], ["z", "y", "x"]]);
    const viewport = Object.fromEntries(names.map((name) => [name, draw.of([10, 100, 300, 1000])]));
    const pixels = Object.fromEntries(names.map((name) => [name, draw.of([50, 100, 150])]));
    const got = image.levelFor({ viewport, pixels });
    const at = names.map((name) => axes.findIndex((axis) => axis.name === name));
    const most = names.map((name) => viewport[name] / pixels[name]);
    const product = (scale) => at.reduce((all, axis) => all * Math.abs(scale[axis]), 1);
    const fits = sizes.filter((scale) => at.every((axis, i) => Math.abs(scale[axis]) <= most[i] * (1 + 1e-9)));
    const best = fits.length > 0 ? Math.max(...fits.map(product)) : Math.min(...sizes.map(product));
    check(
      Math.abs(product(got.scale) - best) <= 1e-9 * best &&
        (fits.length === 0 || fits.some((one) => one.join() === got.scale.join())),
      () => `${JSON.stringify({ sizes, viewport, pixels })}: level ${got.index}`,
    );
  }
  const image = await t.ome.openImage(bare(t, image04([scaled("0", [1, 1, 1])])));
  for (const view of [
    {},
    undefined,
    { viewport: {} },
    { viewport: { x: 1 } },
    { viewport: { x: 0 }, pixels: { x: 1 } },
    { viewport: { x: 1 }, pixels: { x: -1 } },
    { viewport: { x: Number.NaN }, pixels: { x: 1 } },
    { viewport: { q: 1 }, pixels: { q: 1 } },
    { viewport: { x: "1" }, pixels: { x: 1 } },
  ]) {
    await rejects((async () => image.levelFor(view))(), "InvalidSelectionError", JSON.stringify(view));
  }
}

const systems = (...names) =>
  names.map((name) => ({
    name,
    axes: axes.slice(1),
  }));

/** An image of 0.6 with transformations from its intrinsic system to another. */
export const image06 = (transformations, datasets = ["s0"]) => ({
  ome: {
    version: "0.6",
    multiscales: [
      {
        name: "i",
        coordinateSystems: systems("physical", "world", "moon"),
        datasets: datasets.map((path) => ({
          path,
          coordinateTransformations: [{ type: "scale", scale: [2, 4], input: { path }, output: { name: "physical" } }],
        })),
        coordinateTransformations: transformations,
      },
    ],
  },
});
export const link = (one, from = "physical", to = "world") => ({ ...one, input: { name: from }, output: { name: to } });

const scale = { type: "scale", scale: [2, 3] };
const translation = { type: "translation", translation: [10, 20] };

/**
 * Transformations with their result for (3, 5), the inverse's result if it differs, and the
 * necessary arrays.
 */
export const transformationCases = [
  [{ type: "identity" }, [3, 5]],
  [scale, [6, 15]],
  [translation, [13, 25]],
  [
    {
      type: "affine",
      affine: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
    [16, 43],
  ],
  [
    {
      type: "rotation",
      rotation: [
        [0, -1],
        [1, 0],
      ],
    },
    [-5, 3],
  ],
  [{ type: "mapAxis", mapAxis: [1, 0] }, [5, 3]],
  [{ type: "sequence", transformations: [scale, translation] }, [16, 35]],
  [{ type: "sequence", transformations: [translation, scale] }, [26, 75]],
  [
    {
      type: "sequence",
      transformations: [{ type: "projectAxis", droppedInputs: [0], createdOutputs: [1] }, translation],
    },
    [15, 20],
  ],
  [
    {
      type: "byDimension",
      transformations: [
        { transformation: { type: "scale", scale: [7] }, inputAxes: [0], outputAxes: [1] },
        { transformation: { type: "translation", translation: [1] }, inputAxes: [1], outputAxes: [0] },
      ],
    },
    [6, 21],
  ],
  [{ type: "bijection", forward: scale, inverse: { type: "scale", scale: [0.5, 0.25] } }, [6, 15], [3, 3.75]],
  [{ type: "affine", path: "m" }, [16, 43], undefined, { m: { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] } }],
  [
    { type: "affine", path: "m" },
    [16, 43],
    undefined,
    { m: { shape: [2, 3], values: new Int32Array([1, 2, 3, 4, 5, 6]), type: "int32" } },
  ],
  [
    { type: "affine", path: "m" },
    [16, 43],
    undefined,
    { m: { shape: [2, 3], values: new BigInt64Array([1n, 2n, 3n, 4n, 5n, 6n]), type: "int64" } },
  ],
  [{ type: "rotation", path: "m" }, [-5, 3], undefined, { m: { shape: [2, 2], values: [0, -1, 1, 0] } }],
  [{ type: "scale", path: "m" }, [6, 15], undefined, { m: { shape: [2], values: [2, 3] } }],
];

/** Invalid transformations with the error, and the arrays that exist. */
export const refusedTransformations = [
  [{ type: "affine", path: "m" }, "NotFoundError"],
  [{ type: "affine", path: "m" }, "InvalidMetadataError", { m: { shape: [6], values: [1, 2, 3, 4, 5, 6] } }],
  [{ type: "affine", path: "m" }, "InvalidMetadataError", { m: { shape: [2, 4], values: [1, 2, 3, 4, 5, 6, 7, 8] } }],
  [
    { type: "affine", path: "m" },
    "InvalidMetadataError",
    { m: { shape: [2, 3], values: [1, 2, 3, 4, 5, Number.NaN] } },
  ],
  [{ type: "affine", path: "m" }, "InvalidMetadataError", { m: { shape: [100000, 100000] } }],
  [{ type: "affine", path: "m" }, "InvalidMetadataError", { m: { shape: [0, 3] } }],
  [{ type: "rotation", path: "m" }, "InvalidMetadataError", { m: { shape: [2, 2], values: [1, 1, 0, 1] } }],
  [{ type: "scale", path: "m" }, "InvalidMetadataError", { m: { shape: [3], values: [1, 2, 3] } }],
  [{ type: "displacements", path: "m" }, "UnsupportedError", { m: { shape: [2], values: [1, 2] } }],
  [{ type: "coordinates", path: "m" }, "UnsupportedError", { m: { shape: [2], values: [1, 2] } }],
];

async function transformations(t) {
  const { openImage } = t.ome;
  const point = [3, 5];
  const of = async (one, arrays) => {
    const group = await groupOf(t, image06([link(one)]), arrays);
    return (await openImage(group)).transform("physical", "world");
  };
  const near = (is, expected, what) => {
    check(
      is.length === expected.length && is.every((v, i) => Math.abs(v - expected[i]) < 1e-9),
      () => `${what}: ${is}, expected ${expected}`,
    );
  };
  for (const [one, expected, again = point, arrays] of transformationCases) {
    const map = await of(one, arrays);
    const what = JSON.stringify(one);
    near(map.apply(point), expected, what);
    if (one.transformations?.[0].type === "projectAxis")
      await rejects((async () => map.inverse())(), "UnsupportedError", what);
    else near(map.inverse().apply(expected), again, `the inverse of ${what}`);
  }
  for (const [one, name, arrays] of refusedTransformations) {
    await rejects(of(one, arrays), name, JSON.stringify(one));
  }
  // A chain of several, inverted where necessary, from the array of a level.
  const chain = [link(scale), link(translation, "moon", "physical")];
  const image = await openImage(await groupOf(t, image06(chain)));
  near((await image.transform("moon", "world")).apply([1, 1]), [22, 63], "two in a row");
  near((await image.transform("world", "moon")).apply([22, 63]), [1, 1], "two back");
  near((await image.transform({ path: "s0" }, "world")).apply([1, 1]), [4, 12], "from an array");
  near((await image.transform("moon", { path: "s0" })).apply([-8, -16]), [1, 1], "to an array");
  near((await image.transform("world", "world")).apply([1, 2]), [1, 2], "to itself");
  await rejects(image.transform("world", "sun"), "NotFoundError", "to what is not there");
  await rejects(
    (async () => (await image.transform("world", "moon")).apply([1]))(),
    "InvalidSelectionError",
    "a short point",
  );
  // A path that cannot be inverted is avoided, or reported.
  const around = [
    link({ type: "displacements", path: "d" }),
    link({ type: "identity" }, "physical", "moon"),
    link(scale, "physical", "world"),
  ];
  near(
    (await (await openImage(await groupOf(t, image06(around)))).transform("physical", "world")).apply([1, 1]),
    [2, 3],
    "another way",
  );
  const flat = {
    type: "affine",
    affine: [
      [1, 0, 0],
      [1, 0, 0],
    ],
  };
  const oneWay = await openImage(await groupOf(t, image06([link(flat)])));
  near((await oneWay.transform("physical", "world")).apply([3, 5]), [3, 3], "a flat one");
  await rejects(oneWay.transform("world", "physical"), "UnsupportedError", "the way back of a flat one");
  // Random maps: the inverse restores the point, and composition equals successive application.
  const draw = random(3);
  for (let round = 0; round < 200; round++) {
    const matrix = () => ({
      type: "affine",
      affine: [0, 1].map((row) => [0, 1, 2].map((c) => draw.real(-2, 2) + (c === row ? 5 : 0))),
    });
    const [a, b] = [matrix(), matrix()];
    const both = await openImage(bare(t, image06([link(a), link(b, "world", "moon")])));
    const there = await both.transform("physical", "moon");
    const start = [draw.real(-9, 9), draw.real(-9, 9)];
    const [first, second] = [await both.transform("physical", "world"), await both.transform("world", "moon")];
    near(there.apply(start), second.apply(first.apply(start)), "one after the other");
    near(there.inverse().apply(there.apply(start)), start, "back");
    near((await both.transform("moon", "physical")).apply(there.apply(start)), start, "the way back");
  }
}

/** The scale of levels may be stored in arrays, in 0.4 as well. */
async function pathsOfLevels(t) {
  const stored = {
    path: "0",
    coordinateTransformations: [
      { type: "scale", path: "s" },
      { type: "translation", path: "t" },
    ],
  };
  const arrays = {
    0: { shape: [2, 3, 4] },
    s: { shape: [3], values: [1, 2, 3] },
    t: { shape: [3], values: [4, 5, 6] },
  };
  const shared = [{ type: "scale", scale: [2, 2, 2] }];
  const image = await t.ome.openImage(
    await groupOf(t, image04([stored], { coordinateTransformations: shared }), arrays),
  );
  equal(image.levels[0].scale, [2, 4, 6], "scale");
  equal(image.levels[0].translation, [8, 10, 12], "translation");
  for (const [values, name] of [
    [[1, 2], "InvalidMetadataError"],
    [[0, 1, 1], "InvalidMetadataError"],
    [undefined, "NotFoundError"],
  ]) {
    const { s, ...others } = arrays;
    const group = await groupOf(
      t,
      image04([stored]),
      values ? { ...others, s: { shape: [values.length], values } } : others,
    );
    await rejects(t.ome.openImage(group), name, `scale ${values}`);
  }
}

async function scenes(t) {
  const base = "../public/zarr-developers+zarr-java/testdata/ome/v0.6_scene";
  const two = await t.ome.openScene(await t.open(base, "example2_multi_instrument_chain.zarr", { kind: "group" }));
  equal([...two.images.keys()], ["instrument1", "instrument2", "instrument3"], "images");
  equal(two.problems, [], "problems");
  const at = (path) => ({ path, name: "physical" });
  equal((await two.transform(at("instrument1"), at("instrument2"))).apply([0, 0, 0]), [10, 5, -2], "one step");
  const back = (await two.transform(at("instrument3"), at("instrument1"))).apply([1, 1, 1]);
  // From 3 to 2 by its matrix, and from 2 to 1 by the inverse of the other's.
  const expected = [0.9 + 0.1 - 10, 1.1 + 1 - 5, 1.2 + 3 + 2];
  check(
    back.every((v, i) => Math.abs(v - expected[i]) < 1e-9),
    () => `${back}, expected ${expected}`,
  );
  const array = (await two.transform({ path: "instrument1/s0" }, at("instrument2"))).apply([1, 2, 3]);
  equal(array, [11, 7, 1], "from the array of a level");
  const one = await t.ome.openScene(await t.open(base, "example1_instrument_registration.zarr", { kind: "group" }));
  const group = await t.open(base, "example1_instrument_registration.zarr", { kind: "group" });
  const stored = await group.open("coordinateTransformations/sampleA_instrument2-to-instrument1", { kind: "array" });
  const { data } = await stored.get();
  const map = await one.transform(
    { path: "sampleA_instrument2", name: "physical_instrument2" },
    { path: "sampleA_instrument1", name: "physical_instrument1" },
  );
  equal(map.matrix.flat(), [...data], "a matrix in an array");
}

/** Attributes of each kind of group. */
export function documents() {
  const label = {
    version: "0.4",
    colors: [{ "label-value": 1, rgba: [1, 2, 3, 4] }],
    properties: [{ "label-value": 1, a: 2 }],
    source: { image: "../.." },
  };
  const omero = {
    channels: [{ label: "a", color: "00FF00", window: { min: 0, max: 1, start: 0, end: 1 } }],
    rdefs: { model: "color", defaultZ: 1 },
  };
  const nested = {
    type: "sequence",
    transformations: [
      { type: "scale", scale: [1, 2] },
      { type: "mapAxis", mapAxis: [1, 0] },
    ],
  };
  const by = {
    type: "byDimension",
    transformations: [{ transformation: { type: "identity" }, inputAxes: [0, 1], outputAxes: [0, 1] }],
  };
  return [
    { ...image04([scaled("0", [1, 2, 3], [1, 1, 1]), scaled("1", [2, 4, 6])]), omero, "image-label": label },
    { ome: { version: "0.5", ...image04([scaled("0", [1, 2, 3])]), omero } },
    { multiscales: [{ version: "0.3", axes: ["z", "y", "x"], datasets: [{ path: "0" }] }] },
    { multiscales: [{ version: "0.1", datasets: [{ path: "0" }, { path: "1" }] }] },
    image06(
      [
        link(nested),
        link(by, "world", "moon"),
        link(
          {
            type: "affine",
            affine: [
              [1, 0, 0],
              [0, 1, 0],
            ],
          },
          "moon",
          "physical",
        ),
      ],
      ["s0", "s1"],
    ),
    {
      plate: {
        version: "0.4",
        rows: [{ name: "A" }],
        columns: [{ name: "1" }],
        wells: [{ path: "A/1", rowIndex: 0, columnIndex: 0 }],
        acquisitions: [{ id: 1 }],
      },
    },
    { ome: { version: "0.5", well: { images: [{ path: "0", acquisition: 1 }] } } },
    { ome: { version: "0.5", labels: ["a", "b"] } },
    { "bioformats2raw.layout": 3 },
    {
      ome: {
        version: "0.6",
        scene: { coordinateSystems: systems("a", "b"), coordinateTransformations: [link(nested, "a", "b")] },
      },
    },
  ];
}

async function absurd(t) {
  const { ome } = t;
  const quick = async (what, run) => {
    const began = performance.now();
    const got = await run();
    check(performance.now() - began < 30_000, () => `${what}: ${performance.now() - began} ms`);
    return got;
  };
  const many = (n, of) => Array.from({ length: n }, (_, i) => of(i));
  const wells = many(100_000, () => ({ path: "A/1", rowIndex: 1, columnIndex: 1 }));
  const plate = { version: "0.4", rows: [{ name: "A" }], columns: [{ name: "1" }], wells };
  const report = await quick("wells", () => ome.validate({ plate }));
  check(report.problems.length === 1001 && !report.valid, () => `${report.problems.length} problems`);
  const levels = many(20_000, (i) => scaled(String(i), [1, 1, 1]));
  const image = await quick("levels", () => ome.openImage(bare(t, image04(levels))));
  equal(image.levels.length, 20_000, "levels");
  check(String(image).split("\n").length < 40, "String of many levels");
  await quick("levelFor", () => image.levelFor({ viewport: { x: 1 }, pixels: { x: 1 } }));
  const before04 = { multiscales: [{ version: "0.1", datasets: many(20_000, (i) => ({ path: String(i) })) }] };
  await rejects(ome.openImage(bare(t, before04)), "LimitError", "levels before 0.4");
  const many6 = systems(...many(5000, (i) => `s${i}`));
  const chain = many(4999, (i) => link({ type: "identity" }, `s${4999 - i}`, `s${4998 - i}`));
  const at0 = {
    path: "a",
    coordinateTransformations: [{ type: "identity", input: { path: "a" }, output: { name: "s0" } }],
  };
  const long = {
    ome: {
      version: "0.6",
      multiscales: [
        {
          name: "n",
          type: "t",
          metadata: {},
          coordinateSystems: many6,
          datasets: [at0],
          coordinateTransformations: chain,
        },
      ],
    },
  };
  const found = await quick("systems", () => ome.validate(long));
  check(!found.problems.some(({ message }) => message.includes("MUST link")), "all systems are linked");
  const linked = await ome.openImage(bare(t, long));
  equal((await quick("route", () => linked.transform("s0", "s4999"))).apply([1, 2]), [1, 2], "a long way");
  let deep = { type: "identity" };
  for (let i = 0; i < 100_000; i++) deep = { type: "sequence", transformations: [deep] };
  await quick("depth", () => ome.validate(image06([link(deep)])));
  const wide = many(3000, () => many(3000, () => 0));
  await quick("a matrix", () => ome.validate(image06([link({ type: "rotation", rotation: wide })])));
  const axes = many(100_000, (i) => ({ name: `a${i}`, type: "space", unit: "meter" }));
  await quick("axes", () => ome.validate({ multiscales: [{ version: "0.4", axes, datasets: [scaled("0", [1])] }] }));
  for (const [what, scale] of [
    ["NaN", [Number.NaN, 1, 1]],
    ["zero", [1, 0, 1]],
    ["infinity", [1, Number.POSITIVE_INFINITY, 1]],
    ["a string", [1, "1", 1]],
    ["too short", [1, 1]],
  ]) {
    const error = await rejects(ome.openImage(bare(t, image04([scaled("0", scale)]))), "InvalidMetadataError", what);
    check(error.message.includes("multiscales[0].datasets[0].coordinateTransformations[0].scale"), () => error.message);
  }
  const shared = { coordinateTransformations: [{ type: "scale", scale: [1e-300, 1, 1] }] };
  await rejects(
    ome.openImage(bare(t, image04([scaled("0", [1e-300, 1, 1])], shared))),
    "InvalidMetadataError",
    "a scale that vanishes",
  );
}

/** The cost of calls over HTTP. */
async function requests(t) {
  const asked = [];
  const openAt = async (path, options) => {
    const store = new t.zarr.FetchStore(new URL(path, t.root).href, {
      onRequest: (event) => asked.push(event.key),
    });
    const group = await t.zarr.open(store, { kind: "group", ...options });
    asked.length = 0;
    return group;
  };
  // The other documents that opening the group may have requested arrive late.
  const documents = () => {
    const nodes = asked.map((key) => key.slice(0, key.lastIndexOf("/")));
    return new Set(nodes.filter((node) => node !== ""));
  };
  const image = await t.ome.openImage(await openAt("ome/img_v05_tczyx.zarr"));
  equal(documents().size, 0, "requests of openImage");
  await image.levels[1].array();
  equal([...documents()], ["/1"], "nodes that level.array asks for");
  asked.length = 0;
  await image.levels[1].array();
  equal(documents().size, 0, "requests of level.array, the second time");
  await t.ome.openImage(await openAt("ome/img_v01.zarr"));
  equal(documents().size, 3, "nodes that openImage asks for before 0.4");
  const plateGroup = await openAt("ome/plate_v05.zarr");
  const plate = await t.ome.openPlate(plateGroup);
  equal(documents().size, 0, "requests of openPlate");
  await plate.openWell("B/3");
  equal(documents().size, 1, "nodes that openWell asks for");
  await t.ome.openLabels(await openAt("ome/labels_v05.zarr"));
  equal(documents().size, 1, "nodes that openLabels asks for");
  await t.ome.openSeries(await openAt("ome/bf2raw_v05_series.zarr"));
  equal(documents().size, 1, "nodes that openSeries asks for with a list");
  await t.ome.openSeries(await openAt("ome/bf2raw_v05_plain.zarr"));
  // OME, 0 and 1, and the missing ones of the next step.
  equal(documents().size, 7, "nodes that openSeries asks for without a list");
}

/** The images of other sets have the written values. */
async function decode(t) {
  const manifest = JSON.parse(await t.text("../manifest.json"));
  const cases = manifest.cases.filter(({ store, expected }) => store?.startsWith("ome/") && expected?.sha256);
  check(cases.length >= 8, `only ${cases.length} arrays`);
  const seen = new Set();
  const opened = async (group, under) => {
    const image = await t.ome.openImage(group);
    for (const level of image.levels) {
      const path = `${under}${level.path}`;
      const one = cases.find(({ store, array }) => store === `ome/${group.name}` && array === path);
      if (!one) continue;
      const array = await level.array();
      equal(array.shape, one.shape, one.id);
      const { data } = await array.get(null, { as: "bytes" });
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
      equal(Array.from(hash, (b) => b.toString(16).padStart(2, "0")).join(""), one.expected.sha256, one.id);
      seen.add(one.id);
    }
  };
  const named = async (store, path = "") => {
    const group = await t.open(`../ome/${store}`, path, { kind: "group" });
    return Object.defineProperty(group, "name", { value: store });
  };
  for (const store of ["image_v04.zarr", "image_v05.zarr"]) await opened(await named(store), "");
  const labels = await t.ome.openLabels(await named("image_v04.zarr"));
  equal(labels.paths, ["cells"], "labels");
  await opened(await named("image_v04.zarr", "labels/cells"), "labels/cells/");
  const plate = await t.ome.openPlate(await named("plate_v04.zarr"));
  for (const { path } of plate.wells) {
    const well = await plate.openWell(path);
    for (const field of well.images)
      await opened(await named("plate_v04.zarr", `${path}/${field.path}`), `${path}/${field.path}/`);
  }
  const missed = cases.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
  equal(missed, [], "arrays that no image led to");
}

/** Validates every group of the public examples. Only the listed ones are invalid. */
async function examples(t) {
  const top = "../public/BioImageTools+ome-zarr-examples/data/valid";
  const java = "../public/zarr-developers+zarr-java/testdata/ome";
  const valid = [
    [top, "plate-01.zarr/A/1"],
    [top, "plate-01.zarr/A/1/0"],
    [top, "plate-01.zarr/B/2/0"],
    [top, "image-02.zarr/labels"],
    [java, "v0.4_hcs"],
    [java, "v0.4_hcs/A/1"],
    [java, "v0.4_hcs/A/1/0"],
    [java, "v0.5_hcs"],
    [java, "v0.5_hcs/A/1"],
    [java, "v0.4/labels"],
    [java, "v0.4/labels/nuclei"],
    [java, "v0.5/labels"],
    [java, "v0.6_scene/example1_instrument_registration.zarr"],
    [java, "v0.6_scene/example1_instrument_registration.zarr/sampleA_instrument1"],
    [java, "v0.6_scene/example1_instrument_registration.zarr/sampleA_instrument2"],
    [java, "v0.6_scene/example2_multi_instrument_chain.zarr"],
    [java, "v0.6_scene/example2_multi_instrument_chain.zarr/instrument1"],
  ];
  for (const [store, path] of valid) {
    const group = await t.open(store, path, { kind: "group" });
    const { problems } = await t.ome.validateImage(group);
    equal(
      problems.filter(({ level }) => level === "MUST"),
      [],
      path,
    );
  }
  // These have an error each: channels without a window (0.4), and arrays without dimension_names
  // (0.5).
  for (const [path, at] of [
    ["v0.4", "omero.channels[0].window"],
    ["v0.5", "ome.omero.channels[0].window"],
  ]) {
    const { problems } = await t.ome.validateImage(await t.open(java, path, { kind: "group" }));
    check(
      problems.some((one) => one.level === "MUST" && one.path === at),
      () => `${path}: ${JSON.stringify(problems)}`,
    );
  }
}

const two = image04([scaled("0", [1, 1, 1]), scaled("1", [1, 2, 2])]);
const first = { 0: { shape: [4, 8, 8] } };
const both = { ...first, 1: { shape: [4, 4, 4] } };
const at1 = "multiscales[0].datasets[1].path";
const channel = { color: "FFFFFF", window: { min: 0, max: 1, start: 0, end: 1 } };
const label = {
  ...image04([scaled("0", [1, 1, 1])]),
  "image-label": { version: "0.4", colors: [{ "label-value": 1 }] },
};
const plate = {
  plate: {
    version: "0.4",
    rows: [{ name: "A" }],
    columns: [{ name: "1" }, { name: "2" }],
    wells: [
      { path: "A/1", rowIndex: 0, columnIndex: 0 },
      { path: "A/2", rowIndex: 0, columnIndex: 1 },
    ],
    acquisitions: [{ id: 1 }, { id: 2 }],
  },
};
const well = { well: { images: [{ path: "0", acquisition: 1 }, { path: "1", acquisition: 3 }, { path: "2" }] } };

/** Hierarchies, and the problems of the group at a path, without recommendations. */
export const hierarchyCases = [
  { what: "right", attributes: two, arrays: both, problems: [] },
  { what: "missing", attributes: two, arrays: first, problems: [`MUST ${at1}: there is no array "1"`] },
  {
    what: "a group for an array",
    attributes: two,
    arrays: first,
    groups: { 1: {} },
    problems: [`MUST ${at1}: there is no array "1"`],
  },
  {
    what: "rank",
    attributes: two,
    arrays: { ...first, 1: { shape: [4, 4] } },
    problems: [`MUST ${at1}: the array has 2 dimensions for 3 axes`],
  },
  {
    what: "order",
    attributes: two,
    arrays: { 0: both[1], 1: first[0] },
    problems: [
      `MUST ${at1}: the datasets MUST be ordered from the largest to the smallest`,
      `warning ${at1}: the extent along y differs from that of the first level`,
    ],
  },
  {
    what: "types",
    attributes: two,
    arrays: { ...first, 1: { shape: [4, 4, 4], type: "float32" } },
    problems: [`warning ${at1}: the data type is float32, but another level has uint8`],
  },
  { what: "no channels", attributes: { ...two, omero: { channels: [] } }, arrays: both, problems: [] },
  {
    what: "channels",
    attributes: { ...two, omero: { channels: [channel, channel] } },
    arrays: both,
    problems: ["warning omero.channels: there are 2 channels, but the channel axis has length 1"],
  },
  {
    what: "a label image against the image that it is of",
    attributes: two,
    arrays: { "labels/a/0": { shape: [4, 8, 8], type: "float32" } },
    groups: { labels: { labels: ["a"] }, "labels/a": label },
    path: "labels/a",
    problems: [
      "warning multiscales[0].datasets[0].path: labels MUST be integers, not float32",
      "MUST multiscales: a label image MUST have as many levels as its source: 2, not 1",
    ],
  },
  {
    what: "wells that are not there",
    attributes: plate,
    groups: { "A/1": well },
    problems: ['MUST plate.wells[1].path: there is no group "A/2"'],
  },
  {
    what: "acquisitions that the plate does not have",
    attributes: plate,
    groups: { A: {}, "A/1": well, "A/1/0": {}, "A/1/1": {} },
    path: "A/1",
    problems: [
      'MUST well.images[2].path: there is no group "2"',
      "MUST well.images[1].acquisition: `acquisition` MUST be one of the plate's acquisitions",
      "MUST well.images[2].acquisition: an image MUST have an `acquisition` if the plate has several",
    ],
  },
  {
    what: "a list of labels",
    attributes: { labels: ["a", "b/c"] },
    groups: { a: {} },
    problems: ['MUST labels[1]: there is no group "b/c"'],
  },
  {
    what: "a list of series",
    attributes: { "bioformats2raw.layout": 3 },
    groups: { OME: { series: ["0", "1"] }, 0: {} },
    path: "OME",
    problems: ['MUST series[1]: there is no group "1"'],
  },
  {
    what: "names of dimensions since 0.5",
    attributes: { ome: { version: "0.5", ...image04([scaled("0", [1, 1, 1])]) } },
    arrays: first,
    problems: ["MUST ome.multiscales[0].datasets[0].path: `dimension_names` MUST be z, y, x, like the axes"],
  },
];

/** Documents that contradict their arrays. */
async function hierarchies(t) {
  const judge = async ({ attributes, arrays, groups, path }) => {
    const root = await groupOf(t, attributes, arrays, groups);
    const { problems } = await t.ome.validateImage(path ? await root.open(path, { kind: "group" }) : root);
    return problems
      .filter(({ level }) => level !== "SHOULD")
      .map(({ level, path, message }) => `${level} ${path}: ${message}`);
  };
  for (const one of hierarchyCases) equal(await judge(one), one.problems, one.what);
  const nonsense = { ...first, 1: { shape: [4, 4, 4], type: "nonsense" } };
  const [unknown] = await judge({ attributes: two, arrays: nonsense });
  check(unknown.startsWith(`MUST ${at1}: the array "1" cannot be opened: `), unknown);
}

/** Opens partly valid documents, one of several images, and missing nodes. */
async function opening(t) {
  const { ome } = t;
  const [one] = image04([scaled("a", [1, 1, 1])]).multiscales;
  const several = {
    multiscales: [
      { ...one, datasets: [] },
      { ...one, name: "b", datasets: [scaled("b", [2, 2, 2])] },
    ],
  };
  const group = bare(t, several);
  const error = await rejects(ome.openImage(group), "InvalidMetadataError", "the first");
  check(error.message.includes("multiscales[0].datasets: `datasets` is empty"), error.message);
  equal((await ome.openImage(group, { multiscale: 1 })).levels[0].path, "b", "by index");
  equal((await ome.openImage(group, { multiscale: "b" })).levels[0].path, "b", "by name");
  for (const multiscale of ["c", 2, -1])
    await rejects(ome.openImage(group, { multiscale }), "NotFoundError", `multiscale ${multiscale}`);
  await rejects(ome.openImage(bare(t, {})), "NotFoundError", "no image");
  for (const open of [ome.openPlate, ome.openWell, ome.openSeries, ome.openScene])
    await rejects(open(bare(t, {})), "NotFoundError", open.name);
  for (const open of [
    ome.openImage,
    ome.openPlate,
    ome.openWell,
    ome.openSeries,
    ome.openScene,
    ome.openLabels,
    ome.validateImage,
  ]) {
    for (const what of [undefined, null, {}, "https://example.org", { kind: "array" }])
      await rejects(open(what), "TypeError", `${open.name}(${what})`);
  }
  equal((await ome.openLabels(bare(t, {}))).paths, [], "an image without labels");
  const labels = await ome.openLabels(bare(t, { labels: ["a"] }));
  for (const path of ["b", "a"]) await rejects(labels.open(path), "NotFoundError", path);
  const plate = await ome.openPlate(
    bare(t, { plate: { rows: [{ name: "A" }], columns: [{ name: "1" }], wells: [{ path: "A/1" }] } }),
  );
  equal([plate.wells[0].rowIndex, plate.wells[0].columnIndex], [0, 0], "indices of a path");
  for (const well of ["B/1", 1]) await rejects(plate.openWell(well), "NotFoundError", `well ${well}`);
  // A level of another rank, or a missing level, is an error. The other levels remain readable.
  const two = await groupOf(t, image04([scaled("0", [1, 1, 1]), scaled("1", [1, 1, 1]), scaled("2", [1, 1, 1])]), {
    0: { shape: [2, 2] },
    1: { shape: [2, 2, 2] },
  });
  const image = await ome.openImage(two);
  for (let again = 0; again < 2; again++) {
    await rejects(image.levels[0].array(), "InvalidMetadataError", "another rank");
    await rejects(image.levels[2].array(), "NotFoundError", "not there");
    equal((await image.levels[1].array()).shape, [2, 2, 2], "another level");
  }
  // Label values beyond 2^53 are exact.
  const big = `{"multiscales":${JSON.stringify([one])},"image-label":{"colors":[{"label-value":18446744073709551615,"rgba":[1,2,3,4]},{"label-value":1,"rgba":[0,0,0,0]},{"label-value":1,"rgba":[9,9,9,9]}]}}`;
  const files = new Map([
    ["/zarr.json", new TextEncoder().encode(`{"zarr_format":3,"node_type":"group","attributes":${big}}`)],
  ]);
  const { label } = await ome.openImage(await t.zarr.open(files, { kind: "group" }));
  equal(label.colors.get(18446744073709551615n), [1, 2, 3, 4], "a label of 64 bits");
  equal(label.colors.get(1), [9, 9, 9, 9], "the last of two colours counts");
}

/** An abort ends a read without a trace. */
async function signals(t) {
  const group = await t.open("ome/img_v05_tczyx.zarr", "", { kind: "group" });
  const image = await t.ome.openImage(group);
  const signal = AbortSignal.abort(new RangeError("no more"));
  await rejects(image.levels[0].array({ signal }), "RangeError", "level.array");
  equal((await image.levels[0].array()).shape, [2, 2, 2, 96, 120], "afterwards");
  const old = await t.open("ome/img_v02.zarr", "", { kind: "group" });
  await rejects(t.ome.openImage(old, { signal }), "RangeError", "openImage");
  equal((await t.ome.openImage(old)).levels.length, 3, "afterwards");
  await rejects(
    t.ome.openLabels(await t.open("ome/labels_v05.zarr", "", { kind: "group" }), { signal }),
    "RangeError",
    "openLabels",
  );
  await rejects(
    t.ome.openSeries(await t.open("ome/bf2raw_v05_plain.zarr", "", { kind: "group" }), { signal }),
    "RangeError",
    "openSeries",
  );
  await rejects(t.ome.validateImage(group, { signal }), "RangeError", "validateImage");
}

async function printed(t) {
  const image = await t.ome.openImage(await t.open("ome/img_v04_czyx.zarr", "", { kind: "group" }));
  await image.levels[0].array();
  equal(
    String(image).split("\n"),
    [
      '<Image / of OME-Zarr 0.4 "v04_czyx">',
      "  axes      c, z (micrometer), y (micrometer), x (micrometer)",
      '  level 0   "0" shape=(2, 4, 96, 120) scale=(1, 2, 0.36, 0.36)',
      '  level 1   "1" scale=(1, 2, 0.72, 0.72)',
      '  level 2   "2" scale=(1, 2, 1.44, 1.44)',
      "  channels  DAPI #FF0000, bright #0000FF (off)",
    ],
    "String",
  );
  equal(image[Symbol.for("nodejs.util.inspect.custom")](), String(image), "inspect");
}

const all = {
  boxes,
  readBoxes,
  levels,
  transformations,
  pathsOfLevels,
  scenes,
  absurd,
  requests,
  decode,
  examples,
  hierarchies,
  opening,
  signals,
  printed,
};

export default function* () {
  for (const [name, run] of Object.entries(all)) yield { id: `ome_properties.${name}`, run };
}
