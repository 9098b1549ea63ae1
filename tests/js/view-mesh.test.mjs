// Maps of curvilinear grids: the cell under each pixel, compared with grids that have a formula and
// its inverse.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { mapped } from "../../dist/view-mesh.js";
import { stored } from "../describe/stored.mjs";
import { turns } from "../lib/rounds.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const { mapOf, ViewWorker } = await bundledModule(
  "mesh",
  'export { mapOf } from "./view/worker/mesh.js"; export { ViewWorker } from "./view/worker/viewworker.js";',
);
after(() => zarr.terminate());

const radians = Math.PI / 180;

function located(grid) {
  const steps = mapOf({ corners: null, ...grid });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** A grid whose cells' centres follow a formula. */
function gridOf(height, width, place) {
  const longitude = new Float64Array(height * width);
  const latitude = new Float64Array(height * width);
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) [longitude[j * width + i], latitude[j * width + i]] = place(j, i);
  }
  return { width, height, longitude, latitude };
}

/** The pixels of a map: each centre, with the row and column of its cell, or null. */
function* pixels({ cells, columns, rows, west, north, step }, width) {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const cell = cells[row * columns + column];
      const at = cell < 0 ? null : { j: Math.floor(cell / width), i: cell % width };
      yield { lon: west + (column + 0.5) * step, lat: north - (row + 0.5) * step, at };
    }
  }
}

/**
 * Compares each pixel with a grid's inverse: fractional rows and columns. Cells have straight sides
 * in place of curves, so a pixel near a side may belong to the neighbour. Pixels further from the
 * grid have no cell.
 */
function check(grid, inverse, { slack = 0.1, round = false, holes = () => false } = {}) {
  const map = located(grid);
  const { width, height } = grid;
  let [inside, outside] = [0, 0];
  for (const { lon, lat, at } of pixels(map, width)) {
    const [row, column] = inverse(lon, lat);
    const where = () => `${lon}, ${lat} is at ${row}, ${column}, and in ${JSON.stringify(at)}`;
    if (at) {
      const apart = Math.abs(at.i - column);
      const near = Math.abs(at.j - row) <= 0.5 + slack && Math.min(apart, round ? width - apart : apart) <= 0.5 + slack;
      if (!near) assert.fail(where());
      inside++;
    } else {
      const within =
        row > -0.5 + slack &&
        row < height - 0.5 - slack &&
        (round || (column > -0.5 + slack && column < width - 0.5 - slack));
      if (within && !holes(Math.round(row), Math.round(column))) assert.fail(where());
      outside++;
    }
  }
  return { map, inside, outside };
}

const wrap = (lon, to) => lon - 360 * Math.round((lon - to) / 360);

test("a regular grid with stated cells equals the regular grid, in every direction and across the antimeridian", () => {
  for (const [west, dx, north, dy] of [
    [10, 2, 50, -1.5],
    [40, -2, 20, 1.5],
    [165, 3, 30, -2],
    [-190, 2.5, -60, 2],
    [350, 1, 10, 0.5],
  ]) {
    const [height, width] = [9, 14];
    // Longitudes in files' range: between -180 and 180.
    const grid = gridOf(height, width, (j, i) => [wrap(west + i * dx, 0), north + j * dy]);
    const { map, outside } = check(grid, (lon, lat) => [(lat - north) / dy, (wrap(lon, west + 6.5 * dx) - west) / dx], {
      slack: 1e-6,
    });
    assert.equal(outside, 0);
    assert.ok(Math.abs(map.columns * map.step - width * Math.abs(dx)) < 2 * map.step, `${map.columns} columns`);
    assert.ok(map.west >= -180 && map.west < 180);
    // Exchanged rows and columns give the same map.
    const turned = gridOf(width, height, (j, i) => [wrap(west + j * dx, 0), north + i * dy]);
    check(turned, (lon, lat) => [(wrap(lon, west + 6.5 * dx) - west) / dx, (lat - north) / dy], { slack: 1e-6 });
  }
});

test("a grid around the world is without a seam", () => {
  for (const first of [0, -180, 77]) {
    const grid = gridOf(36, 72, (j, i) => [first + i * 5, -87.5 + j * 5]);
    const { outside, map } = check(grid, (lon, lat) => [(lat + 87.5) / 5, ((((lon - first) % 360) + 360) % 360) / 5], {
      slack: 1e-6,
      round: true,
    });
    assert.equal(outside, 0);
    assert.deepEqual([map.west, Math.round(map.columns * map.step)], [-180, 360]);
  }
});

/** Points on a plane that touches the pole. */
const fromPlane = (x, y, sign) => [
  Math.atan2(x, -sign * y) / radians,
  sign * (90 - (2 * Math.atan(Math.hypot(x, y))) / radians),
];
function toPlane(lon, lat, sign) {
  const r = Math.tan(((90 - sign * lat) / 2) * radians);
  return [r * Math.sin(lon * radians), -sign * r * Math.cos(lon * radians)];
}

test("a polar grid covers its pole, whether that is within a cell, on a side or on a corner", () => {
  for (const sign of [1, -1]) {
    const placed = [
      [31, 31, -15, -15],
      [30, 30, -14.5, -14.5],
      [30, 31, -15, -14.5],
      [40, 30, -11.3, -17.2],
    ];
    for (const [height, width, x0, y0] of turns(placed, 2)) {
      const size = 0.02;
      const grid = gridOf(height, width, (j, i) => fromPlane((x0 + i) * size, (y0 + j) * size, sign));
      const { map, inside } = check(
        grid,
        (lon, lat) => {
          const [x, y] = toPlane(lon, lat, sign);
          return [y / size - y0, x / size - x0];
        },
        { slack: 0.2 },
      );
      assert.equal(map.columns * map.step >= 360 - map.step, true);
      assert.ok(inside > 1000);
      const row = sign > 0 ? 0 : map.rows - 1;
      const pole = map.cells.subarray(row * map.columns, (row + 1) * map.columns);
      assert.ok(
        pole.every((cell) => cell >= 0),
        "the pixels at the pole",
      );
    }
  }
});

test("a tripolar grid, folded in its last row, covers all of its cap", () => {
  const [width, cap, south] = [120, 60, 40];
  // Ellipses from the circle at 60°N to the line between two poles on it.
  const r = Math.tan(((90 - cap) / 2) * radians);
  const grid = gridOf(south + 20, width, (j, i) => {
    const lon = (i + 0.5) * 3;
    if (j < south) return [lon, -58.5 + 3 * j];
    const flat = 1 - (j - south + 0.5) / 20;
    return fromPlane(r * Math.sin(lon * radians), -flat * r * Math.cos(lon * radians), 1);
  });
  const inverse = (lon, lat) => {
    if (lat < cap) return [(lat + 58.5) / 3, ((lon + 360) % 360) / 3 - 0.5];
    const [x, y] = toPlane(lon, lat, 1);
    const at = Math.asin(Math.max(-1, Math.min(1, x / r)));
    const angle = y < 0 ? at : Math.PI - at;
    const flat = Math.abs(y) / (r * Math.abs(Math.cos(angle)) || 1);
    return [south + (1 - Math.min(1, flat)) * 20 - 0.5, ((angle / radians + 360) % 360) / 3 - 0.5];
  };
  const map = located(grid);
  let [far, holes, count] = [0, 0, 0];
  for (const { lon, lat, at } of pixels(map, width)) {
    count++;
    if (!at) {
      holes++;
      continue;
    }
    const [row, column] = inverse(lon, lat);
    const apart = Math.abs(at.i - column);
    // Across the fold, and beside the two poles, where all columns meet, a neighbour may be nearer.
    const poles = Math.abs(lat - cap) < 6 && Math.min(Math.abs(wrap(lon - 90, 0)), Math.abs(wrap(lon + 90, 0))) < 12;
    if (!poles && row < south + 18 && (Math.abs(at.j - row) > 1 || Math.min(apart, width - apart) > 1)) far++;
  }
  assert.equal(far, 0);
  assert.ok(holes < count * 0.001, `${holes} of ${count} pixels have no cell`);
});

test("masked places have no cells, and their neighbours keep their places", () => {
  const sheared = (j, i) => [20 + i + 0.3 * j, 40 + 0.8 * j - 0.1 * i];
  const inverse = (lon, lat) => {
    const [a, b] = [lon - 20, lat - 40];
    const j = (b + 0.1 * a) / (0.8 + 0.03);
    return [j, a - 0.3 * j];
  };
  const masked = (j, i) => (j > 3 && j < 7 && i > 5 && i < 9) || (j === 0 && i === 0);
  for (const none of [
    [NaN, NaN],
    [9.96921e36, 9.96921e36],
    [-999, -999],
    [NaN, 3],
    [1e20, 12],
  ]) {
    const grid = gridOf(12, 15, (j, i) => (masked(j, i) ? none : sheared(j, i)));
    const { map, outside } = check(grid, inverse, { slack: 1e-6, holes: masked });
    assert.ok(outside > 0);
    assert.ok(!map.cells.some((cell) => cell >= 0 && masked(Math.floor(cell / 15), cell % 15)));
  }
});

test("cells that are filled with zeros draw no streaks", () => {
  const grid = gridOf(30, 30, (j, i) => (i > 19 ? [0, 0] : [100 + i * 0.25, 40 + j * 0.25]));
  const map = located(grid);
  for (const { lon, lat, at } of pixels(map, 30)) {
    if (at && at.i < 20) {
      assert.ok(Math.abs(100 + at.i * 0.25 - lon) <= 0.13 && Math.abs(40 + at.j * 0.25 - lat) <= 0.13);
    } else if (at) assert.ok(Math.abs(lon) < 1 && Math.abs(lat) < 1);
  }
});

test("a swath that overlaps itself has the cell whose middle is nearest", () => {
  // Each scan of four lines overlaps the previous one.
  const place = (j, i) => [10 + i * 0.1, 50 - (Math.floor(j / 4) * 0.3 + (j % 4) * 0.1)];
  const map = located(gridOf(24, 20, place));
  for (const { lon, lat, at } of pixels(map, 20)) {
    if (!at) continue;
    const [x, y] = place(at.j, at.i);
    assert.ok(Math.abs(x - lon) <= 0.06 && Math.abs(y - lat) <= 0.11, `${lon}, ${lat} is in a cell at ${x}, ${y}`);
  }
  assert.ok(map.cells.every((cell) => cell >= 0));
});

test("stated corners are where cells end", () => {
  const [height, width] = [4, 5];
  const grid = gridOf(height, width, (j, i) => [10 * i, 10 * j]);
  const corners = { longitude: new Float64Array(4 * 20), latitude: new Float64Array(4 * 20) };
  for (let k = 0; k < 20; k++) {
    for (const [c, [dx, dy]] of [
      [-1, -4],
      [1, -4],
      [1, 4],
      [-1, 4],
    ].entries()) {
      corners.longitude[4 * k + c] = 10 * (k % width) + dx;
      corners.latitude[4 * k + c] = 10 * Math.floor(k / width) + dy;
    }
  }
  const map = located({ ...grid, corners });
  for (const { lon, lat, at } of pixels(map, width)) {
    const [i, j] = [Math.round(lon / 10) + 0, Math.round(lat / 10) + 0];
    const inside = Math.abs(lon - 10 * i) <= 1 && Math.abs(lat - 10 * j) <= 4;
    assert.deepEqual(at, inside ? { j, i } : null);
  }
});

test("one cell, one row and one column are drawn, and grids without places are empty", () => {
  for (const [height, width] of [
    [1, 1],
    [1, 6],
    [6, 1],
  ]) {
    const map = located(gridOf(height, width, (j, i) => [20 + i, 30 + j]));
    const seen = new Set(map.cells);
    for (let k = 0; k < height * width; k++) assert.ok(seen.has(k), `cell ${k} of ${height} x ${width}`);
  }
  assert.equal(located(gridOf(3, 3, () => [NaN, NaN])).columns, 0);
});

const attributes = { lat: { units: "degrees_north" }, lon: { units: "degrees_east" } };

/** A store with a sheared grid, and the values of a formula. */
function sheared({ shape = [3, 8, 10], dtype = "int16", dims = ["time", "j", "i"], more = {}, packed = false } = {}) {
  const [h, w] = ["j", "i"].map((name) => shape[dims.indexOf(name)]);
  const at = (k) => ({ j: Math.floor(k / w), i: k % w });
  const lon = Array.from({ length: h * w }, (_, k) => 100 + 2 * at(k).i + at(k).j);
  const lat = Array.from({ length: h * w }, (_, k) => 50 - 2 * at(k).j);
  const steps = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const count = shape.reduce((a, b) => a * b, 1);
  const value = (index) => dims.reduce((sum, name) => sum * 12 + index[name], 1) % 97;
  const indexOf = (k) => Object.fromEntries(dims.map((name, d) => [name, Math.floor(k / steps[d]) % shape[d]]));
  const two = (values, name) => ({
    shape: [h, w],
    dims: ["j", "i"],
    values: packed ? values.map((v) => v * 2) : values,
    attributes: { ...attributes[name], ...(packed && { scale_factor: 0.5 }) },
  });
  const nodes = {
    data: {
      shape,
      dims,
      dtype,
      values: Array.from({ length: count }, (_, k) => value(indexOf(k))),
      attributes: { coordinates: "lat lon", ...more },
    },
    lat: two(lat, "lat"),
    lon: two(lon, "lon"),
  };
  return { nodes, value };
}

async function mappedOf(nodes) {
  const array = await zarr.open(zarr.root(stored(nodes)).resolve("data"));
  const { field } = await describe(array);
  const { field: map } = await mapped(field, () => new ViewWorker(), new AbortController().signal);
  return { map };
}

test("a map has the elements of its cells, of every type and order of axes, by get and by vindex", async () => {
  const types = [
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
    "bool",
  ];
  for (const [n, dtype] of types.entries()) {
    const dims = [
      ["time", "j", "i"],
      ["i", "time", "j"],
      ["j", "i"],
    ][n % 3];
    const shape = dims.map((name) => ({ time: 3, j: 8, i: 10 })[name]);
    const { nodes, value } = sheared({ shape, dims, dtype, packed: n % 2 === 1 });
    const { map } = await mappedOf(nodes);
    const { array } = map.levels[0];
    const { x, y } = map.plane.value;
    const time = dims.indexOf("time");
    const [columns, rows] = [map.axes[x].length, map.axes[y].length];
    const items = (row, column) => dims.map((_, d) => (d === y ? row : d === x ? column : 2));
    const all = { start: null, stop: null, step: null };
    const { data, stride, shape: read } = await array.get(items(all, all));
    assert.deepEqual([...read].sort(), [columns, rows].sort());
    const [sy, sx] = y < x ? stride : [stride[1], stride[0]];
    const [across, down] = [await map.axes[x].coordinate(), await map.axes[y].coordinate()];
    let found = 0;
    for (let row = 0; row < rows; row += 11) {
      for (let column = 0; column < columns; column += 17) {
        const [lon, lat] = [across.number(column), down.number(row)];
        const j = (50 - lat) / 2;
        const i = (lon - 100 - j) / 2;
        const inside = j > -0.5 && j < 7.5 && i > -0.5 && i < 9.5;
        const edge = Math.min(...[j, i].map((at) => Math.abs(at - Math.floor(at) - 0.5))) < 1e-6;
        if (edge) continue;
        const stored = data[row * sy + column * sx];
        const index = { time: 2, j: Math.round(j), i: Math.round(i) };
        const expected = dtype === "bool" ? Number(value(index) !== 0) : value(index);
        if (inside) assert.equal(stored, expected, `${dtype} at ${row}, ${column}`);
        else assert.equal(map.text(stored), "missing", JSON.stringify([dtype, dims, lon, lat, j, i]));
        found += inside;
        const one = await array.get(items(row, column));
        assert.ok(Object.is(Number(one), Number(stored)), `${one} is not ${stored}`);
        if (row % 55 === 0 && column % 85 === 0) {
          const list = await array.vindex(
            dims.map((_, d) => (d === y ? [row, row] : d === x ? [column, column] : [2, 1])),
          );
          assert.ok(Object.is(Number(list.data[0]), Number(stored)));
          const part = await array.get(items(row, { start: column, stop: column + 2, step: 1 }));
          assert.ok(Object.is(Number(part.data[0]), Number(stored)));
          if (time < 0) continue;
          const line = await array.get(dims.map((_, d) => (d === y ? row : d === x ? column : all)));
          assert.ok(Object.is(Number(line.data[2]), Number(stored)));
          assert.equal(line.data.length, 3);
        }
      }
    }
    assert.ok(found > 20, `${found} elements of ${dtype}`);
  }
});

test("a map without cells, and one of a grid that is too large, are named errors", async () => {
  const { nodes } = sheared();
  nodes.lat.values = nodes.lat.values.map(() => 1e20);
  await assert.rejects(mappedOf(nodes), { name: "UnsupportedError" });
  const large = { shape: [20_000, 20_000], dims: ["j", "i"], attributes: { coordinates: "lat lon" } };
  const two = (name) => ({ ...large, attributes: attributes[name] });
  await assert.rejects(mappedOf({ data: large, lat: two("lat"), lon: two("lon") }), { name: "LimitError" });
});
