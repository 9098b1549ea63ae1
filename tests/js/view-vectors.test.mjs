// Arrows of vectors: the pairs that form one, and directions compared with computed ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowsOf, pairsOf, partnerName, roundUp, samplesOf } from "../../dist/view-vectors.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";

const { projected } = await bundledModule("globe", 'export { projected } from "./view/globe/index.js";');

const one = (path, attrs = {}, shape = [4, 5], names = ["y", "x"]) => ({ path, attrs, shape, names });
const named = (path, standard_name, units = "m s-1") => one(path, { standard_name, units });

test("components of one vector are found by CF's standard names and by common names", () => {
  for (const [name, partner] of [
    ["u", "v"],
    ["U", "V"],
    ["u10", "v10"],
    ["10u", "10v"],
    ["uo", "vo"],
    ["ua", "va"],
    ["uas", "vas"],
    ["ugos", "vgos"],
    ["uwnd", "vwnd"],
    ["water_u", "water_v"],
    ["u_component_of_wind", "v_component_of_wind"],
    ["10m_u_component_of_wind", "10m_v_component_of_wind"],
    ["eastward_wind", "northward_wind"],
    ["sea_water_x_velocity", "sea_water_y_velocity"],
  ])
    assert.equal(partnerName(name), partner, name);
  for (const name of ["t2m", "sub", "lau", "dust", "uncertainty", "umbrella", "v10", "quv", "menu", ""])
    assert.equal(partnerName(name), undefined, name);
  const standard = [
    named("/a", "eastward_wind"),
    named("/b", "northward_wind"),
    named("/c", "sea_water_x_velocity"),
    named("/d", "sea_water_y_velocity"),
    named("/e", "surface_downward_eastward_stress", "Pa"),
    named("/f", "surface_downward_northward_stress", "Pa"),
    named("/g", "air_temperature"),
  ];
  assert.deepEqual(pairsOf(standard), [
    { x: "/a", y: "/b", gridwise: false },
    { x: "/c", y: "/d", gridwise: true },
    { x: "/e", y: "/f", gridwise: false },
  ]);
  // Other units, shapes or dimensions are no component of the same vector.
  assert.deepEqual(pairsOf([one("/u", { units: "m" }), one("/v", { units: "km" })]), []);
  assert.deepEqual(pairsOf([one("/u"), one("/v", {}, [4, 6])]), []);
  assert.deepEqual(pairsOf([one("/u"), one("/v", {}, [4, 5], ["y", "xv"])]), []);
  assert.deepEqual(pairsOf([one("/g/u10"), one("/g/v10")]), [{ x: "/g/u10", y: "/g/v10", gridwise: false }]);
});

const positions = (units, first, step, length) => ({
  kind: "number",
  name: "",
  units,
  length,
  number: (i) => first + step * i,
  text: String,
});

/** A scene of a random grid, zoom and place. */
function sceneOf(next) {
  const [width, height] = [next.int(3, 400), next.int(3, 300)];
  const axis = (coordinate) => ({ axis: { name: "", title: "", length: coordinate.length, units: "" }, coordinate });
  const x = positions("", 0, next.of([1, -1]), width);
  const y = positions("", 0, next.of([1, -1]), height);
  const ground = { width, height, aspect: next.real(0.5, 2), up: next.chance(0.5), left: next.chance(0.5) };
  const view = { x: 40, y: 8, width: next.int(200, 900), height: next.int(200, 700) };
  const eye = { x: next.real(0, width), y: next.real(0, height), zoom: 2 ** next.real(-2, 6) };
  return { plane: { x: axis(x), y: axis(y) }, ground, view, eye, picture: view };
}

/** Sampled components by a formula of the element. */
function sampled(scene, of) {
  const { columns, rows } = samplesOf(scene);
  const list = ({ start, stop, step }) =>
    Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, i) => start + step * i);
  const cells = list(rows).flatMap((row) => list(columns).map((column) => [column, row]));
  const [x, y] = [0, 1].map((k) => Float64Array.from(cells, ([column, row]) => of(column, row)[k]));
  return { columns, rows, x, y, cells };
}

test("arrows on a grid point along its axes at the middles of their elements", () => {
  const next = random(51);
  let drawn = 0;
  for (let round = 0; round < 300; round++) {
    const scene = sceneOf(next);
    const { plane, ground, eye, view } = scene;
    const of = (column, row) => [Math.sin(column * 12.9 + row * 78.2), Math.cos(column * 4.7 + row * 11.1)];
    const samples = sampled(scene, of);
    const arrows = arrowsOf(scene, samples);
    drawn += arrows.length;
    const places = new Map(
      samples.cells.map(([column, row]) => {
        const px = view.x + view.width / 2 + (ground.left ? -1 : 1) * (column + 0.5 - eye.x) * eye.zoom;
        const py = view.y + view.height / 2 + (ground.up ? -1 : 1) * (row + 0.5 - eye.y) * eye.zoom * ground.aspect;
        return [`${px.toFixed(3)},${py.toFixed(3)}`, [column, row]];
      }),
    );
    for (const { x, y, dx, dy, magnitude } of arrows) {
      const cell = places.get(`${x.toFixed(3)},${y.toFixed(3)}`);
      assert.ok(cell, `an arrow at ${x},${y} is at no element`);
      const [u, v] = of(...cell);
      const right = (ground.left ? -1 : 1) * plane.x.coordinate.number(1);
      const down = (ground.up ? -1 : 1) * plane.y.coordinate.number(1);
      const length = Math.hypot(u, v);
      assert.ok(Math.abs(dx - (u * right) / length) < 1e-9 && Math.abs(dy - (v * down) / length) < 1e-9);
      assert.ok(Math.abs(magnitude - length) < 1e-12);
    }
    // They are apart, so that there are never more than the screen can show.
    assert.ok(arrows.length <= (view.width / 15 + 2) * (view.height / 15 + 2), `${arrows.length}`);
    for (const { step } of [samples.columns, samples.rows]) assert.equal(Math.log2(step) % 1, 0);
  }
  assert.ok(drawn > 5000, `${drawn} arrows`);
});

test("arrows on a globe point along the meridians and parallels as Snyder's formulas draw them", () => {
  const next = random(52);
  const [width, height] = [144, 73];
  const x = positions("degrees_east", -180, 2.5, width);
  const y = positions("degrees_north", 90, -2.5, height);
  const field = { place: { lonLat: true, curvilinear: null, transform: null, crs: "" } };
  const view = { x: 0, y: 0, width: 600, height: 600 };
  const axis = (coordinate) => ({ axis: { name: "", title: "", length: coordinate.length, units: "" }, coordinate });
  const plane = { x: axis(x), y: axis(y) };
  const degree = Math.PI / 180;
  let drawn = 0;
  for (let round = 0; round < 40; round++) {
    const eye = { x: next.real(0, width), y: next.real(8, height - 8), zoom: next.real(3, 12) };
    const globe = projected("orthographic", field, plane, eye, view);
    const ground = { width, height, aspect: globe.aspect, up: globe.up, left: globe.left, period: width };
    const scene = { plane, ground, view, eye: globe.eye, picture: globe.picture, globe };
    const samples = sampled(scene, (column, row) => [1 + (column % 3), (row % 5) - 2]);
    const at = (column, row) => [-180 + 2.5 * (column - 0.5), 90 - 2.5 * (row - 0.5)].map((d) => d * degree);
    const [lon0, lat0] = at(globe.eye.x, globe.eye.y);
    for (const { x: px, y: py, dx, dy } of arrowsOf(scene, samples)) {
      const element = globe.elementAt(px, py);
      const [column, row] = [Math.floor(element.x), Math.floor(element.y)];
      const [lon, lat] = at(column + 0.5, row + 0.5);
      const turn = lon - lon0;
      // Derivatives of x = cos(lat) sin(turn) and
      // y = cos(lat0) sin(lat) - sin(lat0) cos(lat) cos(turn).
      const unit = ([a, b]) => [a / Math.hypot(a, b), b / Math.hypot(a, b)];
      const east = unit([Math.cos(lat) * Math.cos(turn), Math.sin(lat0) * Math.cos(lat) * Math.sin(turn)]);
      const north = unit([
        -Math.sin(lat) * Math.sin(turn),
        Math.cos(lat0) * Math.cos(lat) + Math.sin(lat0) * Math.sin(lat) * Math.cos(turn),
      ]);
      // Near the edge of the globe both directions fall together.
      const depth = Math.sin(lat0) * Math.sin(lat) + Math.cos(lat0) * Math.cos(lat) * Math.cos(turn);
      if (depth < 0.3 || Math.abs(lat) > 75 * degree) continue;
      const [u, v] = [1 + (column % 3), (row % 5) - 2];
      const [wx, wy] = unit([u * east[0] + v * north[0], -(u * east[1] + v * north[1])]);
      assert.ok(dx * wx + dy * wy > 0.999, `${[lon, lat].map((a) => a / degree)}: ${[dx, dy]}, not ${[wx, wy]}`);
      drawn++;
    }
  }
  assert.ok(drawn > 500, `${drawn} arrows`);
});

test("the magnitude of the key is the next round number", () => {
  for (const [value, round] of [
    [0.07, 0.1],
    [1, 1],
    [1.01, 2],
    [3, 5],
    [7, 10],
    [11, 20],
    [99, 100],
  ])
    assert.ok(Math.abs(roundUp(value) - round) < 1e-12, `${value}`);
});
