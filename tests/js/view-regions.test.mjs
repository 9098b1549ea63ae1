// Regions compared with a plain model: their elements, their statistics and their diagrams.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { diagramOf, groundOf, maskOf, partsOf, regionCost, summaryOf } from "../../dist/view-regions.js";
import { arrayV3, groupV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { lengths, made, opened, shuffled } from "./viewoperands.mjs";

const { ViewWorker } = await bundledModule("viewworker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
after(() => zarr.terminate());
const { signal } = new AbortController();

/** The corners of a region in order, in sixteenths of an element. */
function sixteenths({ kind, points }) {
  const corners = points.map((point) => point.map((n) => BigInt(Math.round(n * 16))));
  if (kind !== "box") return corners;
  const [[a, b], [c, d]] = corners;
  return [
    [a, b],
    [c, b],
    [c, d],
    [a, d],
  ];
}

/** Whether the middle of an element is inside, by the even-odd rule in whole numbers. */
function isInside(shape, column, row, period) {
  const corners = sixteenths(shape);
  const turns = period ? Array.from({ length: 17 }, (_, i) => (i - 8) * period) : [0];
  return turns.some((turn) => {
    const [x, y] = [BigInt(16 * (column + turn) + 8), BigInt(16 * row + 8)];
    const left = corners.filter(([x0, y0], i) => {
      const [x1, y1] = corners[(i + 1) % corners.length];
      if (y0 <= y === y1 <= y) return false;
      const cross = (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0);
      return y1 > y0 ? cross >= 0n : cross <= 0n;
    });
    return left.length % 2 === 1;
  });
}

/** The elements of a region, as `column,row`, in the order of its parts. */
function elementsOf(shape, plane) {
  return partsOf(shape, plane).flatMap((part) => {
    const mask = maskOf(shape, part, plane);
    const width = part.right - part.left;
    const found = [];
    for (let row = part.top; row < part.bottom; row++)
      for (let column = part.left; column < part.right; column++)
        if (!mask || mask[(row - part.top) * width + column - part.left]) found.push(`${column},${row}`);
    return found;
  });
}

/** A random region; some of its edges go through the middles of elements. */
function randomShape(roll, { width, height, period }) {
  const kind = roll(3) === 0 ? "box" : "polygon";
  const fine = roll.of([1, 2, 16]);
  const reach = period ? width : 3;
  const corner = () => [
    roll.int(-reach * fine, (width + reach) * fine) / fine,
    roll.int(-3 * fine, (height + 3) * fine) / fine,
  ];
  if (kind === "polygon") return { kind, points: Array.from({ length: roll.int(3, 9) }, corner) };
  const [[a, b], [c, d]] = [corner(), corner()];
  return {
    kind,
    points: [
      [Math.min(a, c), Math.min(b, d)],
      [Math.max(a, c), Math.max(b, d)],
    ],
  };
}

test("a region has the elements with their middles inside by the even-odd rule, each once", () => {
  for (let seed = 1; seed <= rounds(4000); seed++) {
    const roll = random(seed);
    const [width, height] = [roll.int(1, 14), roll.int(1, 12)];
    const period = width > 2 && roll(2) === 0 ? width - roll(2) : undefined;
    const plane = { width, height, period };
    const shape = randomShape(roll, plane);
    const found = elementsOf(shape, plane);
    const what = `seed ${seed}: ${JSON.stringify({ shape, plane })}`;
    assert.equal(new Set(found).size, found.length, `${what}: an element is counted twice`);
    const expected = [];
    for (let row = 0; row < height; row++)
      for (let column = 0; column < (period ?? width); column++)
        if (isInside(shape, column, row, period)) expected.push(`${column},${row}`);
    assert.deepEqual(found.sort(), expected.sort(), what);
  }
});

test("the order of corners, and a whole turn, do not change the elements of a region", () => {
  for (let seed = 1; seed <= rounds(800); seed++) {
    const roll = random(seed);
    const plane = { width: roll.int(4, 14), height: roll.int(1, 12) };
    if (roll(2) === 0) plane.period = plane.width;
    const { points } = { ...randomShape(roll, plane) };
    if (points.length < 3) continue;
    const found = elementsOf({ kind: "polygon", points }, plane).sort();
    const at = roll(points.length);
    const others = [points.toReversed(), [...points.slice(at), ...points.slice(0, at)]];
    if (plane.period) others.push(points.map(([x, y]) => [x + plane.period, y]));
    for (const other of others)
      assert.deepEqual(elementsOf({ kind: "polygon", points: other }, plane).sort(), found, `seed ${seed}`);
  }
});

test("two halves of a convex polygon share no element and lose none", () => {
  for (let seed = 1; seed <= rounds(800); seed++) {
    const roll = random(seed);
    const plane = { width: 16, height: 16 };
    // Corners on a circle in order form a convex polygon before they are rounded to whole elements.
    const angles = Array.from({ length: roll.int(4, 8) }, () => roll.real(0, 2 * Math.PI)).sort((a, b) => a - b);
    const points = angles.map((angle) => [8 + 7 * Math.cos(angle), 8 + 7 * Math.sin(angle)]);
    const k = roll.int(2, points.length - 2);
    const parts = [[...points.slice(0, k + 1)], [...points.slice(k), points[0]]];
    const whole = elementsOf({ kind: "polygon", points }, plane).sort();
    const halves = parts.flatMap((part) => elementsOf({ kind: "polygon", points: part }, plane)).sort();
    assert.deepEqual(halves, whole, `seed ${seed}`);
  }
});

test("the middle of a star that crosses itself is a hole", () => {
  const star = Array.from({ length: 5 }, (_, i) => {
    const angle = (i * 4 * Math.PI) / 5;
    return [10 + 9 * Math.sin(angle), 10 - 9 * Math.cos(angle)];
  });
  const found = new Set(elementsOf({ kind: "polygon", points: star }, { width: 20, height: 20 }));
  assert.ok(!found.has("9,9") && found.has("9,3"));
});

test("a region of many turns is refused by name", () => {
  const shape = {
    kind: "polygon",
    points: [
      [0, 0],
      [2 ** 31, 5],
      [0, 5],
    ],
  };
  assert.throws(() => partsOf(shape, { width: 36, height: 18, period: 36 }), { name: "LimitError" });
});

/** The document of an array of float64 numbers. */
const document = (shape, chunks, dimension_names, attributes) =>
  json(arrayV3(shape, "float64", { chunks, fill_value: "NaN", dimension_names, attributes }));

/** A store with a variable in random chunks, whose longitudes go around the Earth if `around`. */
function grid(roll, names, around) {
  const size = { time: roll.int(1, 6), depth: roll.int(1, 3), lat: roll.int(2, 9), lon: roll.of([8, 9, 12]) };
  const value = (index) => {
    const number = names.reduce((sum, name) => sum * 31 + index[name] * 7 + 1, 0) % 101;
    return number % 6 === 0 ? Number.NaN : number / 4;
  };
  const shape = names.map((name) => size[name]);
  const chunks = names.map((name) => roll.int(1, size[name]));
  const step = around ? 360 / size.lon : 5;
  const store = new Map([["/zarr.json", json(groupV3())]]);
  const floats = (numbers) => new Uint8Array(Float64Array.from(numbers).buffer);
  const degrees = { lat: (i) => 80 - (160 * i) / (size.lat - 1), lon: (i) => -30 + step * i };
  for (const [name, units] of [
    ["lat", "degrees_north"],
    ["lon", "degrees_east"],
  ]) {
    store.set(`/${name}/zarr.json`, document([size[name]], [size[name]], [name], { units }));
    store.set(`/${name}/c/0`, floats(Array.from({ length: size[name] }, (_, i) => degrees[name](i))));
  }
  store.set("/v/zarr.json", document(shape, chunks, names, { units: "m" }));
  const counts = shape.map((length, d) => Math.ceil(length / chunks[d]));
  const each = (lengths) => {
    const all = [];
    const visit = (before) => {
      if (before.length === lengths.length) all.push(before);
      else for (let i = 0; i < lengths[before.length]; i++) visit([...before, i]);
    };
    visit([]);
    return all;
  };
  for (const chunk of each(counts)) {
    const numbers = each(chunks).map((within) => {
      const at = within.map((i, d) => chunk[d] * chunks[d] + i);
      return value(Object.fromEntries(names.map((name, d) => [name, at[d]])));
    });
    store.set(`/v/c/${chunk.join("/")}`, floats(numbers));
  }
  return { store, size, value, degrees, period: around ? size.lon : undefined };
}

const close = (found, expected, what) => {
  if (Number.isNaN(expected)) return assert.ok(Number.isNaN(found), `${what}: ${found}, not missing`);
  assert.ok(Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${found}, not ${expected}`);
};

/** The statistics of values with weights. */
function plain(values) {
  const known = values.filter(([value]) => value !== null && !Number.isNaN(value)).map(([v, w]) => [Number(v), w]);
  const weights = known.reduce((sum, [, weight]) => sum + weight, 0);
  const mean = known.reduce((sum, [value, weight]) => sum + value * weight, 0) / weights;
  const variance = known.reduce((sum, [value, weight]) => sum + weight * (value - mean) ** 2, 0) / weights;
  const all = known.map(([value]) => value);
  return {
    count: all.length,
    missing: values.length - all.length,
    least: all.length > 0 ? Math.min(...all) : Number.NaN,
    most: all.length > 0 ? Math.max(...all) : Number.NaN,
    mean,
    deviation: Math.sqrt(variance),
  };
}

function check(found, expected, what) {
  assert.equal(found.count, expected.count, `${what} count`);
  assert.equal(found.missing, expected.missing, `${what} missing`);
  for (const name of ["least", "most", "mean"]) close(found[name], expected[name], `${what} ${name}`);
  // Integers of 2^60 have no digits left for a deviation.
  if (!(Math.abs(expected.mean) >= 2 ** 50)) close(found.deviation, expected.deviation, `${what} deviation`);
}

test("statistics of a box equal those of its values of each type, at an index or through time", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const roll = random(seed);
    const names = shuffled(roll, ["time", "lat", "lon"]);
    const a = made(roll, names);
    const { field } = await opened({ a });
    const [x, y, time] = ["lon", "lat", "time"].map((name) => names.indexOf(name));
    const end = (length) => {
      const first = roll(length);
      return [first, first + 1 + roll(length - first)];
    };
    const [[left, right], [top, bottom]] = [end(lengths.lon), end(lengths.lat)];
    const along = roll(2) === 0 ? time : null;
    const at = roll(lengths.time);
    const indices = names.map((_, d) => (d === time ? at : 0));
    const shape = {
      kind: "box",
      points: [
        [left, top],
        [right, bottom],
      ],
    };
    const of = { ground: await groundOf(field, x, y, signal), shape, indices, along };
    const worker = new ViewWorker();
    const { each, areas } = await summaryOf(of, worker, signal, () => {});
    worker.close();
    const what = `seed ${seed}: ${a.type} ${names} ${JSON.stringify(shape)}`;
    assert.equal(areas, false, what);
    assert.equal(each.length, along === null ? 1 : lengths.time);
    assert.equal(regionCost(of).chunks, 1);
    for (const [i, found] of each.entries()) {
      const values = [];
      for (let lat = top; lat < bottom; lat++)
        for (let lon = left; lon < right; lon++) values.push([a.value({ time: along === null ? at : i, lat, lon }), 1]);
      check(found, plain(values), what);
    }
  }
});

/** A random grid with a region that has elements, and the elements of the model. */
async function regional(seed) {
  const roll = random(seed);
  const names = shuffled(roll, ["time", "depth", "lat", "lon"]);
  const around = roll(2) === 0;
  const made = grid(roll, names, around);
  const { size, period } = made;
  const array = await zarr.open(zarr.root(made.store).resolve("v"), { kind: "array" });
  const description = await describe(array);
  const [x, y] = [names.indexOf("lon"), names.indexOf("lat")];
  const plane = { width: size.lon, height: size.lat, period };
  let elements = [];
  let shape;
  while (elements.length === 0) {
    shape = randomShape(roll, plane);
    elements = [];
    for (let lat = 0; lat < size.lat; lat++)
      for (let lon = 0; lon < size.lon; lon++) if (isInside(shape, lon, lat, period)) elements.push({ lat, lon });
  }
  const weight = (lat) => Math.cos((made.degrees.lat(lat) * Math.PI) / 180);
  return {
    roll,
    names,
    ...made,
    description,
    x,
    y,
    shape,
    elements,
    weight,
    what: `seed ${seed}: ${JSON.stringify({ names, shape, size, around })}`,
  };
}

test("statistics of boxes and polygons are weighted by area and cross the seam of the Earth, in any chunks", async () => {
  for (let seed = 1; seed <= rounds(200); seed++) {
    const { roll, names, size, value, description, x, y, shape, elements, weight, what } = await regional(seed);
    const along = roll(2) === 0 ? names.indexOf("time") : null;
    const at = { time: roll(size.time), depth: roll(size.depth) };
    const ground = await groundOf(description.field, x, y, signal);
    const of = { ground, shape, indices: names.map((name) => at[name] ?? 0), along };
    const worker = new ViewWorker();
    const steps = [];
    const { each, areas } = await summaryOf(of, worker, signal, (done, total) => steps.push([done, total]));
    worker.close();
    assert.ok(areas, what);
    assert.equal(each.length, along === null ? 1 : size.time, what);
    assert.deepEqual(steps.at(-1)?.[0], steps.at(-1)?.[1], "the progress ends at its total");
    for (const [i, found] of each.entries()) {
      const time = along === null ? at.time : i;
      check(found, plain(elements.map((one) => [value({ ...at, ...one, time }), weight(one.lat)])), `${what} at ${i}`);
    }
  }
});

test("an aborted series ends, and reads nothing more", async () => {
  const { names, description, x, y, shape, store } = await regional(4);
  let reads = 0;
  const get = store.get.bind(store);
  store.get = (key) => {
    reads += Number(String(key).includes("/c/"));
    return get(key);
  };
  const ground = await groundOf(description.field, x, y, signal);
  const controller = new AbortController();
  controller.abort();
  const worker = new ViewWorker();
  const before = reads;
  const of = { ground, shape, indices: [0, 0, 0, 0], along: names.indexOf("time") };
  await assert.rejects(
    summaryOf(of, worker, controller.signal, () => {}),
    { name: "AbortError" },
  );
  assert.equal(reads, before);
  worker.close();
});

/** The elements of an array by the names of its axes. */
async function* rows({ axes, levels }) {
  const [{ array }] = levels;
  const { data, stride } = await array.get(
    axes.map(({ length }) => ({ start: 0, stop: length, step: 1 })),
    { signal },
  );
  const index = axes.map(() => 0);
  const count = axes.reduce((product, { length }) => product * length, 1);
  for (let i = 0; i < count; i++) {
    const place = index.reduce((sum, at, d) => sum + at * stride[d], 0);
    yield [Object.fromEntries(axes.map(({ name }, d) => [name, index[d]])), data[place], [...index]];
    for (let d = axes.length - 1; d >= 0; d--) {
      index[d]++;
      if (index[d] < axes[d].length) break;
      index[d] = 0;
    }
  }
}

test("a diagram has the weighted mean of each column or row of a region, at all other indices", async () => {
  for (let seed = 1; seed <= rounds(120); seed++) {
    const { roll, value, description, shape, elements, weight, size, period, what } = await regional(seed);
    const across = roll.of(["lat", "lon"]);
    const state = { region: { ...shape, axes: ["lat", "lon"] }, diagram: { along: "time", across } };
    const { field } = await diagramOf(description, state, () => new ViewWorker(), signal);
    assert.deepEqual(field.axes.map(({ name }) => name).sort(), ["depth", "time", across].sort(), what);
    const { x, y } = field.plane.value;
    assert.deepEqual([field.axes[y].name, field.axes[x].name], ["time", across]);
    // The places of a region across the seam follow each other.
    const parts = partsOf(shape, { width: size.lon, height: size.lat, period });
    const run = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
    const places =
      across === "lon" ? parts.flatMap(({ left, right }) => run(left, right)) : run(parts[0].top, parts[0].bottom);
    assert.equal(field.axes[x].length, places.length, what);
    const coordinate = await field.axes[x].coordinate(signal);
    const own = await description.field.axes.find(({ name }) => name === across).coordinate(signal);
    for await (const [index, found] of rows(field)) {
      const place = places[index[across]];
      assert.equal(coordinate.text(index[across]), own.text(place));
      const values = elements
        .filter((one) => one[across] === place)
        .map((one) => [value({ ...index, ...one }), weight(one.lat)]);
      close(found, plain(values).mean, `${what} ${JSON.stringify(index)}`);
    }
    // Parts of the diagram equal the same parts of the whole.
    const [{ array }] = field.levels;
    const some = field.axes.map(({ length }) => {
      const start = roll(length);
      return roll(3) === 0 ? start : { start, stop: roll.int(start + 1, length), step: roll.int(1, 2) };
    });
    if (some.every((one) => typeof one === "number")) continue;
    const part = await array.get(some, { signal });
    const wanted = [];
    for await (const [, found, at] of rows(field)) {
      const within = some.every((one, d) =>
        typeof one === "number"
          ? at[d] === one
          : at[d] >= one.start && at[d] < one.stop && (at[d] - one.start) % one.step === 0,
      );
      if (within) wanted.push(found);
    }
    assert.deepEqual([...part.data], wanted, what);
  }
});

test("a section has the elements under its line, and distances in kilometres that rise", async () => {
  for (let seed = 1; seed <= rounds(120); seed++) {
    const { roll, value, description, size, period, what } = await regional(seed);
    const end = () => [
      roll.int(0, (period ? 3 : 1) * size.lon * 16) / 16 - (period ? size.lon : 0),
      roll.int(0, size.lat * 16) / 16,
    ];
    const points = Array.from({ length: roll.int(2, 4) }, end);
    const state = { region: { kind: "line", points, axes: ["lat", "lon"] }, diagram: { along: "depth" } };
    const { field } = await diagramOf(description, state, () => new ViewWorker(), signal);
    const { x, y } = field.plane.value;
    assert.deepEqual([field.axes[y].name, field.axes[x].name], ["depth", "distance"], what);
    const coordinate = await field.axes[x].coordinate(signal);
    assert.equal(coordinate.units, "km");
    // Each edge has one element for each step of at most one column and one row.
    const places = [points[0]];
    for (const [i, to] of points.slice(1).entries()) {
      const from = points[i];
      const steps = Math.max(1, Math.ceil(Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]))));
      for (let k = 1; k <= steps; k++)
        places.push([from[0] + (k / steps) * (to[0] - from[0]), from[1] + (k / steps) * (to[1] - from[1])]);
    }
    assert.equal(field.axes[x].length, places.length, what);
    const turned = (at) => (period ? ((at % period) + period) % period : at);
    const inside = (at, length) => Math.max(0, Math.min(length - 1, Math.floor(at)));
    // The cost of a section is the chunks that it meets, each once.
    const { axes, levels } = description.field;
    const chunk = (name, at) => Math.floor(at / levels[0].array.chunks[axes.findIndex((axis) => axis.name === name)]);
    const met = places.map(([lon, lat]) => [
      chunk("lon", inside(turned(lon), size.lon)),
      chunk("lat", inside(lat, size.lat)),
    ]);
    assert.equal(field.levels[0].reads, new Set(met.map(String)).size, what);
    let before = -1;
    for (let i = 0; i < places.length; i++) {
      assert.ok(coordinate.number(i) >= Math.max(0, before), `${what}: distance ${i}`);
      before = coordinate.number(i);
    }
    for await (const [{ distance, ...others }, found] of rows(field)) {
      const [lon, lat] = [inside(turned(places[distance][0]), size.lon), inside(places[distance][1], size.lat)];
      const expected = value({ ...others, lon, lat });
      assert.ok(Object.is(found, expected), `${what}: ${found}, not ${expected}, at ${distance}`);
    }
    const linear = { ...state, diagram: { along: "depth", linear: true } };
    const between = await diagramOf(description, linear, () => new ViewWorker(), signal);
    assert.match(between.field.title.value, /interpolated linearly$/);
    for await (const [{ distance, ...others }, found] of rows(between.field)) {
      // The two nearest centres of each axis, by their distances; the border has only one.
      const ends = (at, length, turn) => {
        const low = Math.floor(at - 0.5);
        const part = at - 0.5 - low;
        const place = (i) => (turn ? ((i % length) + length) % length : Math.max(0, Math.min(length - 1, i)));
        return [
          [place(low), 1 - part],
          [place(low + 1), part],
        ];
      };
      let expected = 0;
      for (const [lon, a] of ends(turned(places[distance][0]), size.lon, period))
        for (const [lat, b] of ends(places[distance][1], size.lat, false))
          if (a * b > 0) expected += a * b * value({ ...others, lon, lat });
      const near = Number.isNaN(expected)
        ? Number.isNaN(found)
        : Math.abs(found - expected) <= 1e-9 * (1 + Math.abs(expected));
      assert.ok(near, `${what}: ${found}, not ${expected}, at ${distance}, ${places[distance]}`);
    }
  }
});

test("flags and booleans have a section of their elements, and no linear one", async () => {
  const flags = { flag_values: [0, 1], flag_meanings: "land water" };
  const points = [
    [0, 0],
    [3, 3],
  ];
  for (const [type, attributes] of [
    ["int8", flags],
    ["bool", {}],
  ]) {
    const array = arrayV3([2, 4, 4], type, {
      dimension_names: ["z", "y", "x"],
      attributes,
      fill_value: type === "bool" ? false : 0,
    });
    const store = new Map([["/zarr.json", json(array)]]);
    const description = await describe(await zarr.open(store, { kind: "array" }));
    const of = (linear) => {
      const state = { region: { kind: "line", points, axes: ["y", "x"] }, diagram: { along: "z", linear } };
      return diagramOf(description, state, () => new ViewWorker(), signal);
    };
    assert.equal((await of(undefined)).field.axes.at(-1).name, "distance");
    await assert.rejects(of(true), /names or labels, between which nothing is interpolated/);
  }
});

test("a section along the equator of a turn has the length of the equator", async () => {
  const roll = random(9);
  const made = grid(roll, ["time", "depth", "lat", "lon"], true);
  const array = await zarr.open(zarr.root(made.store).resolve("v"), { kind: "array" });
  const description = await describe(array);
  const middle = made.size.lat / 2;
  const line = (points) => ({ region: { kind: "line", points, axes: ["lat", "lon"] }, diagram: { along: "depth" } });
  const state = line([
    [0, middle],
    [made.size.lon, middle],
  ]);
  const { field } = await diagramOf(description, state, () => new ViewWorker(), signal);
  const coordinate = await field.axes[field.plane.value.x].coordinate(signal);
  close(coordinate.number(coordinate.length - 1), 2 * Math.PI * 6371.0088, "the equator");
});

test("heights grow upwards in a diagram, depths and times downwards, and latitudes to the right", async () => {
  for (const [name, units, rises, up] of [
    ["height", "m", true, true],
    ["height", "m", false, false],
    ["depth", "m", true, false],
    ["level", "hPa", false, true],
    ["level", "hPa", true, false],
  ]) {
    const numbers = Float64Array.from(rises ? [1, 2, 3] : [3, 2, 1]);
    const store = new Map([
      ["/zarr.json", json(groupV3())],
      ["/v/zarr.json", document([3, 2, 4], [3, 2, 4], [name, "lat", "lon"], {})],
      [`/${name}/zarr.json`, document([3], [3], [name], { units, axis: "Z" })],
      [`/${name}/c/0`, new Uint8Array(numbers.buffer)],
      ["/lat/zarr.json", document([2], [2], ["lat"], { units: "degrees_north" })],
      ["/lat/c/0", new Uint8Array(Float64Array.of(20, 10).buffer)],
    ]);
    const description = await describe(await zarr.open(zarr.root(store).resolve("v"), { kind: "array" }));
    const box = {
      kind: "box",
      axes: ["lat", "lon"],
      points: [
        [0, 0],
        [4, 2],
      ],
    };
    for (const across of ["lat", "lon"]) {
      const state = { region: box, diagram: { along: name, across } };
      const { field } = await diagramOf(description, state, () => new ViewWorker(), signal);
      const { value } = field.plane;
      assert.deepEqual([value.up, value.left], [up, across === "lat"], `${name} ${units} ${rises} ${across}`);
    }
  }
});

test("a diagram that its region does not have is refused with its reason", async () => {
  const { description } = await regional(3);
  const box = {
    kind: "box",
    axes: ["lat", "lon"],
    points: [
      [0, 0],
      [2, 2],
    ],
  };
  for (const [state, reason] of [
    [{ diagram: { along: "time", across: "lon" } }, /needs a region/],
    [{ region: box, diagram: { along: "time", across: "depth" } }, /depth is no axis of the region/],
    [{ region: box, diagram: { along: "lat", across: "lon" } }, /is an axis of the region itself/],
    [{ region: box, diagram: { along: "time" } }, /needs a line/],
    [{ region: box, diagram: { along: "month", across: "lon" } }, /no axis month/],
    [{ region: { ...box, kind: "line" }, diagram: { along: "time", across: "lon" } }, /sections only/],
    [
      {
        region: {
          ...box,
          points: [
            [0, 50],
            [2, 60],
          ],
        },
        diagram: { along: "time", across: "lon" },
      },
      /no elements/,
    ],
  ])
    await assert.rejects(
      diagramOf(description, state, () => new ViewWorker(), signal),
      { name: "UnsupportedError", message: reason },
    );
});
