// Tests parts of fields as zip archives of Zarr: elements, coordinates, attributes and places are
// those of the source.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { describe } from "../../dist/describe.js";
import { georeference } from "../../dist/geo.js";
import * as zarr from "../../dist/node.js";
import { openImage } from "../../dist/ome.js";
import { zarrOf } from "../../dist/view-take.js";
import * as writing from "../../dist/write-node.js";
import { ZipWriter } from "../../dist/zip.js";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { serve, top } from "../lib/serve.mjs";

const { open, root, slice, ZipStore } = zarr;
const tools = { ...writing, ZipWriter, open, root, ZipStore };
const never = new AbortController().signal;

const server = await serve(".");
after(() => {
  server.close();
  zarr.terminate();
});

const storeAt = (path) => root(`${server.url}build/fixtures/${path}`);

/** Opens a node of a fixture, and returns the field that is drawn of it. */
async function fieldAt(path, node) {
  const place = storeAt(path);
  const group = await open(place, { kind: "group" }).catch(() => undefined);
  const it = await describe(await open(place.resolve(node)), { group });
  return it.field;
}

/** Draws a part of a level: a range of at least one element along each dimension. */
const partOf = (next, field, level = 0) => ({
  field,
  level,
  ranges: field.levels[level].array.shape.map((length) => {
    const start = next(length);
    return [start, start + 1 + next(length - start)];
  }),
});

const archive = (blob) => root(new ZipStore(blob));
const elements = async (array, ranges) =>
  array.get(
    ranges?.map(([start, stop]) => slice(start, stop)),
    array.type.size > 0 ? { as: "bytes" } : {},
  );

/** Elements as a text that distinguishes every bit. */
const textOf = ({ data, shape }) =>
  JSON.stringify([shape, ArrayBuffer.isView(data) ? Buffer.from(data).toString("hex") : data], (_, one) =>
    typeof one === "bigint" ? `${one}n` : ArrayBuffer.isView(one) ? [...one] : one,
  );

const arrays = [
  ["xarray/climate_v3.zarr", "/t2m"],
  ["xarray/climate_v3.zarr", "/rain"],
  ["xarray/climate_v3.zarr", "/land"],
  ["xarray/climate_v3.zarr", "/station"],
  ["xarray/climate_v2.zarr", "/t2m"],
  ["xarray/climate_v2.zarr", "/station"],
  ["v2/dtype.zarr", "/struct_nested"],
  ["v2/dtype.zarr", "/S12"],
  ["v2/dtype.zarr", "/le_U5"],
  ["v2/dtype.zarr", "/be_c16"],
  ["v2/dtype.zarr", "/time_le_M8_h"],
  ["v3/dtype.zarr", "/datetime_ns"],
  ["v3/dtype.zarr", "/float16_be"],
  ["v3/dtype.zarr", "/bytes_plain"],
];

test("a random part of any array has each bit of the source's elements", async () => {
  const next = random(31);
  for (const [path, node] of arrays) {
    const field = await fieldAt(path, node);
    const [{ array }] = field.levels;
    for (let round = 0; round < rounds(8); round++) {
      const part = partOf(next, field);
      const shares = [];
      const blob = await zarrOf(part, tools, never, (share) => shares.push(share));
      const again = await open(archive(blob).resolve(node), { kind: "array" });
      const about = `${path}${node} ${JSON.stringify(part.ranges)}`;
      assert.equal(textOf(await elements(again)), textOf(await elements(array, part.ranges)), about);
      assert.equal(again.dtype, array.dtype, about);
      assert.equal(again.format, array.format, about);
      assert.deepEqual(again.dimensionNames, array.dimensionNames, about);
      assert.deepEqual(
        shares,
        [...shares].sort((a, b) => a - b),
      );
      assert.equal(shares.at(-1), 1);
    }
  }
});

test("a part of a variable keeps its coordinates, its packing and its grid mapping", async () => {
  const next = random(32);
  for (const version of ["v2", "v3"]) {
    const field = await fieldAt(`xarray/climate_${version}.zarr`, "/t2m");
    for (let round = 0; round < rounds(8); round++) {
      const part = partOf(next, field);
      const blob = await zarrOf(part, tools, never);
      const place = archive(blob);
      const group = await open(place, { kind: "group" });
      const it = await describe(await open(place.resolve("t2m")), { group });
      const { packing, units, title } = it.field;
      assert.deepEqual([packing, units, title.value], [field.packing, field.units, field.title.value]);
      for (const [d, axis] of it.field.axes.entries()) {
        const [before, now] = [await field.axes[d].coordinate(), await axis.coordinate()];
        for (let i = 0; i < axis.length; i++) assert.equal(now.text(i), before.text(part.ranges[d][0] + i), axis.name);
      }
      const source = await open(storeAt(`xarray/climate_${version}.zarr`), { kind: "group" });
      assert.equal(group.attrs.title, source.attrs.title);
      const names = (await group.members()).map(({ name }) => name).sort();
      const mapping = field.levels[0].array.attrs.grid_mapping;
      assert.deepEqual(names, ["lat", "lon", "t2m", "time", ...(mapping ? [mapping] : [])].sort());
    }
  }
});

test("a part of an image has the places of its level's elements", async () => {
  const next = random(33);
  const images = [
    "img_v04_scale",
    "img_v04_both",
    "img_v04_msscale",
    "img_v05_both",
    "img_v05_translation",
    "img_v05_tczyx",
  ];
  for (const path of [
    "ome/image_v04.zarr",
    "ome/image_v05.zarr",
    ...images.map((name) => `conventions/ome/${name}.zarr`),
  ]) {
    const field = await fieldAt(path, "/");
    const image = await openImage(await open(storeAt(path), { kind: "group" }));
    for (let round = 0; round < rounds(8); round++) {
      const level = next(field.levels.length);
      const part = partOf(next, field, level);
      const blob = await zarrOf(part, tools, never);
      const group = await open(archive(blob), { kind: "group" });
      const made = await openImage(group);
      const about = `${path} ${level} ${JSON.stringify(part.ranges)}`;
      assert.equal(made.levels.length, 1, about);
      assert.equal(made.version, image.version);
      const [one] = made.levels;
      const before = image.levels[level];
      for (const [d, [start]] of part.ranges.entries()) {
        const wanted = before.translation[d] + start * before.scale[d];
        assert.ok(Math.abs(one.translation[d] - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), about);
        assert.equal(one.scale[d], before.scale[d], about);
      }
      const array = await one.array();
      assert.equal(
        textOf(await elements(array)),
        textOf(await elements(field.levels[level].array, part.ranges)),
        about,
      );
      const { channels } = (await describe(group)).field;
      if (!field.channels) continue;
      // A channel without a label of its own is labelled by its number in the part.
      const range = part.ranges[field.channels.axis];
      const own = image.channels.slice(...range).map(({ label }) => label);
      const taken = field.channels.list.slice(...range);
      assert.deepEqual(
        channels.list.map(({ label }) => label),
        taken.map(({ label }, i) => (own[i] ? label : `Channel ${i}`)),
        about,
      );
    }
  }
});

test("a part of a georeferenced array lies where its elements lay", async () => {
  const next = random(34);
  const nodes = [
    ["array_plain.zarr", "/data"],
    ["array_rotated.zarr", "/data"],
    ["array_node.zarr", "/data"],
    ["multiscale.zarr", "/r20m/b04"],
    ["spatial_ref_v2.zarr", "/band"],
    ["spatial_ref_v3.zarr", "/band"],
    ["spatial_ref_no_coords_v3.zarr", "/band"],
    ["coords_only_v3.zarr", "/band"],
  ];
  for (const [path, node] of nodes) {
    const place = storeAt(`conventions/geo/${path}`);
    const group = await open(place, { kind: "group" });
    const source = await open(place.resolve(node), { kind: "array" });
    const found = await georeference(source, { group });
    const field = await fieldAt(`conventions/geo/${path}`, node);
    for (let round = 0; round < rounds(8); round++) {
      // Coordinates of one element have no step.
      const part = partOf(next, field);
      const { x, y } = found.axes;
      for (const d of [x, y]) {
        const [start, stop] = part.ranges[d];
        if (stop - start < 2) part.ranges[d] = start > 0 ? [start - 1, stop] : [start, stop + 1];
      }
      const blob = await zarrOf(part, tools, never);
      const name = node.split("/").at(-1);
      const written = archive(blob);
      const made = await georeference(await open(written.resolve(name), { kind: "array" }), {
        group: await open(written, { kind: "group" }),
      });
      const about = `${path}${node} ${JSON.stringify(part.ranges)}: ${JSON.stringify(made.problems)}`;
      assert.equal(made.crs?.epsg, found.crs?.epsg, about);
      const world = ([a, b, c, d, e, f], column, row) => [a * column + b * row + c, d * column + e * row + f];
      const shift = (of) => (of.registration === "node" ? 0 : 0.5);
      for (const [column, row] of [
        [0, 0],
        [1, 1],
      ]) {
        const at = [column + part.ranges[x][0] + shift(found), row + part.ranges[y][0] + shift(found)];
        const wanted = world(found.transform, ...at);
        const now = world(made.transform, column + shift(made), row + shift(made));
        for (const i of [0, 1])
          assert.ok(Math.abs(now[i] - wanted[i]) <= 1e-9 * Math.abs(wanted[i]) + 1e-9, `${about} ${now} ${wanted}`);
      }
    }
  }
});

test("an archive with other elements than the source is not offered", async () => {
  const field = await fieldAt("xarray/climate_v3.zarr", "/t2m");
  const part = { field, level: 0, ranges: field.axes.map(({ length }) => [0, length]) };
  const wrong = (array, selection, value, options) => {
    const data = value.data.slice();
    data[0] ^= 1;
    return writing.set(array, selection, { ...value, data }, options);
  };
  await assert.rejects(zarrOf(part, { ...tools, set: wrong }, never), /other elements of t2m than the source/);
});

test("an aborted archive rejects with the reason, and a too large one at once", async () => {
  const field = await fieldAt("xarray/climate_v3.zarr", "/t2m");
  const ranges = field.axes.map(({ length }) => [0, length]);
  const control = new AbortController();
  const stopped = zarrOf({ field, level: 0, ranges }, tools, control.signal, () => control.abort(new Error("stop")));
  await assert.rejects(stopped, /stop/);
  const [{ array }] = field.levels;
  const huge = await writing.createArray(root(new Map()).resolve("a"), { shape: [2 ** 20, 2 ** 20], chunks: [1, 1] });
  const level = { array: huge, factor: [1, 1], start: [0, 0] };
  const large = { field: { ...field, path: "/a", axes: field.axes.slice(1), levels: [level] }, level: 0 };
  await assert.rejects(
    zarrOf(
      {
        ...large,
        ranges: [
          [0, 2 ** 20],
          [0, 2 ** 20],
        ],
      },
      tools,
      never,
    ),
    { name: "LimitError" },
  );
  assert.equal(array.format, 3);
});

const python = [process.env.PYTHON, "python3", "/usr/bin/python3"].find(
  (at) => at && spawnSync(at, ["-c", "import zarr; assert zarr.__version__ < '3'"], { cwd: tmpdir() }).status === 0,
);

test("zarr-python reads a part as numpy slices the source", {
  skip: !python && "zarr-python 2 is not installed: ./build.sh setup does it where there is apt-get",
}, async () => {
  const next = random(35);
  const folder = mkdtempSync(join(tmpdir(), "zarr-"));
  try {
    const field = await fieldAt("xarray/climate_v2.zarr", "/t2m");
    for (let round = 0; round < rounds(8); round++) {
      const part = partOf(next, field);
      const file = join(folder, `${round}.zarr.zip`);
      writeFileSync(file, Buffer.from(await (await zarrOf(part, tools, never)).arrayBuffer()));
      const program = `
import json, sys, zarr, numpy
at = tuple(slice(*one) for one in json.loads(sys.argv[3]))
source = zarr.open(sys.argv[2], mode="r")
part = zarr.open_consolidated(zarr.ZipStore(sys.argv[1], mode="r"), mode="r")
numpy.testing.assert_array_equal(part["t2m"][...], source["t2m"][at])
for name, one in zip(part["t2m"].attrs["_ARRAY_DIMENSIONS"], at):
    numpy.testing.assert_array_equal(part[name][...], source[name][one])
print(part["t2m"].attrs.asdict() == source["t2m"].attrs.asdict())`;
      const source = join(top, "build/fixtures/xarray/climate_v2.zarr");
      const says = execFileSync(python, ["-c", program, file, source, JSON.stringify(part.ranges)], {
        cwd: folder,
        encoding: "utf8",
      });
      assert.equal(says, "True\n");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
