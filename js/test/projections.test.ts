import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../tests/lib/random.mjs";
import { middleAt, projections } from "../view/globe/projections.js";
import { projectionNames } from "../view/state.js";

const degree = Math.PI / 180;

/**
 * Written by PROJ 9.1.1: `proj +proj=… +R=1 -f %.12f` for eqc, ortho, eqearth, merc and stere. The
 * middle's latitude and longitude, a longitude, a latitude, x, y.
 */
const table = [
  ["plate-carree", 0, -174, -10.952, 44.876, 2.845724438792, 0.783233955125],
  ["plate-carree", 0, -108, 66.191, -61.423, 3.040206477341, -1.072033586452],
  ["plate-carree", 0, -123, 12.676, 35.957, 2.367992915936, 0.62756803914],
  ["plate-carree", 0, -109, -126.936, 40.911, -0.313042254638, 0.714031650283],
  ["plate-carree", 0, 159, -158.178, -45.701, 0.747384892289, -0.797632921454],
  ["plate-carree", 0, 49, 9.385, -50.162, -0.691412183178, -0.875492059385],
  ["orthographic", 61, -133, -137.467, 45.942, -0.054160084014, -0.257949220834],
  ["orthographic", 3, 125, 163.841, -49.244, 0.4094354285, -0.783070780895],
  ["orthographic", -35, 33, 30.564, 8.055, -0.042084074817, 0.682186880094],
  ["orthographic", -77, -88, -52.019, -50.344, 0.374939664584, 0.329996863744],
  ["orthographic", 6, -165, -148.999, 5.31, 0.274471180145, -0.008010101768],
  ["orthographic", 22, 153, 111.195, -49.684, -0.431290418016, -0.887634297953],
  ["equal-earth", 0, 41, 82.735, -52.052, 0.508888318919, -0.973503606266],
  ["equal-earth", 0, 148, 114.776, -3.044, -0.499246998655, -0.061650450335],
  ["equal-earth", 0, -46, -59.036, -28.162, -0.184838455426, -0.558290000807],
  ["equal-earth", 0, 22, -6.543, 25.629, -0.408878508869, 0.510014896061],
  ["equal-earth", 0, -19, 166.076, 80.993, -1.611429214401, 1.293612788773],
  ["equal-earth", 0, -132, 104.345, -32.927, -1.715013546709, -0.647373321002],
  ["mercator", 0, -90, 21.559, 74.114, 1.947071860232, 1.969500812206],
  ["mercator", 0, 165, -73.771, -55.492, 2.1158451989, -1.169298309081],
  ["mercator", 0, -166, 151.566, 17.236, -0.740613014791, 0.305467602299],
  ["mercator", 0, 176, 164.528, 28.827, -0.200224171789, 0.525803284564],
  ["mercator", 0, -35, 147.634, 25.386, -3.095620681092, 0.458320511917],
  ["mercator", 0, -80, -138.962, -50.558, -1.029081033561, -1.025923139659],
  ["north-polar", 90, 0, -59.785, 16.501, -1.290548998759, -0.751569835937],
  ["north-polar", 90, 0, -162.53, 36.38, -0.303421864709, 0.964091091784],
  ["north-polar", 90, 0, -83.631, 63.429, -0.469330909055, -0.052386784531],
  ["north-polar", 90, 0, 49.365, 78.332, 0.155077141711, -0.133081595339],
  ["north-polar", 90, 0, -107.602, 57.401, -0.557440683099, 0.176852017422],
  ["north-polar", 90, 0, 176.452, 59.182, 0.034112697671, 0.550173251207],
  ["south-polar", -90, 0, -159.135, -18.977, -0.508319024055, -1.333599811124],
  ["south-polar", -90, 0, 4.332, -61.264, 0.038698592786, 0.51085859058],
  ["south-polar", -90, 0, 173.326, -1.657, 0.225813247934, -1.929813697885],
  ["south-polar", -90, 0, 32.647, -60.274, 0.286333366391, 0.446918874309],
  ["south-polar", -90, 0, -5.248, -50.541, -0.065606035478, 0.714258956905],
  ["south-polar", -90, 0, 38.254, -0.398, 1.229725561342, 1.559675465968],
] as const;

test("the points of places are those of PROJ", () => {
  for (const [name, latitude0, longitude0, longitude, latitude, x, y] of table) {
    const middle = middleAt(projections[name], longitude0 * degree, latitude0 * degree);
    const turn = longitude - longitude0;
    const found = projections[name].forward(middle, (turn - 360 * Math.round(turn / 360)) * degree, latitude * degree);
    assert.ok(found, `${name} shows ${longitude}, ${latitude}`);
    const far = Math.hypot(found[0] - x, found[1] - y);
    assert.ok(far < 2e-11, `${name} at ${longitude}, ${latitude}: ${found} is not ${x}, ${y}`);
  }
});

for (const name of projectionNames) {
  const mapping = projections[name];
  test(`${name}: the inverse of a point is its place, from any middle`, () => {
    const { next } = random(31);
    let shown = 0;
    for (let k = 0; k < 20_000; k++) {
      const within = (low: number, high: number) => low + (high - low) * next();
      // Middles at the ends and at whole degrees too.
      const latitude0 =
        k % 7 === 0 ? mapping.north : k % 7 === 1 ? mapping.south : within(mapping.south, mapping.north);
      const middle = middleAt(mapping, within(-Math.PI, Math.PI), latitude0);
      const size = 10 ** -(k % 8);
      const turn = within(-Math.PI, Math.PI) * size * 0.999;
      const latitude = Math.max(mapping.south, Math.min(mapping.north, latitude0 + within(-Math.PI, Math.PI) * size));
      const point = mapping.forward(middle, turn, latitude);
      if (!point) continue;
      // The edges of the map belong to it only up to rounding.
      if (Math.abs(latitude) > 1.5705 || latitude === mapping.south || latitude === mapping.north) continue;
      if (name === "orthographic" && Math.hypot(...point) > 0.99999) continue;
      const back = mapping.inverse(middle, ...point);
      assert.ok(back, `${name}: ${turn}, ${latitude} from ${latitude0} has a place`);
      const difference = Math.abs(back[0] - turn);
      const far = Math.hypot(
        Math.min(difference, 2 * Math.PI - difference) * Math.cos(latitude),
        back[1] - (latitude - latitude0),
      );
      assert.ok(
        far < 1e-9 * Math.max(1e-3, size),
        `${name}: ${back} is not ${turn}, ${latitude - latitude0} from ${latitude0}: ${far}`,
      );
      shown++;
    }
    assert.ok(shown > 5000, `${shown} places`);
  });

  test(`${name}: the point of a place is where its inverse began, in the whole plane`, () => {
    const { next } = random(32);
    let shown = 0;
    for (let k = 0; k < 10_000; k++) {
      const middle = middleAt(mapping, (next() - 0.5) * 6, mapping.south + next() * (mapping.north - mapping.south));
      const [x, y] = [(next() - 0.5) * 7, (next() - 0.5) * 7];
      const place = mapping.inverse(middle, x, y);
      if (!place) continue;
      const point = mapping.forward(middle, place[0], middle.latitude + place[1]);
      if (!point) continue;
      if (name === "orthographic" && Math.hypot(x, y) > 0.9999) continue;
      assert.ok(Math.hypot(point[0] - x, point[1] - y) < 1e-7, `${name}: ${point} is not ${x}, ${y}`);
      shown++;
    }
    assert.ok(shown > 300, `${shown} points`);
  });
}
